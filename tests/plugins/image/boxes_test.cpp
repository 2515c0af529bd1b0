// SPDX-License-Identifier: Apache-2.0
//
// Boxes move as torchvision moves them. Its boxes are in references/warp_boxes.txt.
#include "warp/boxes.h"

#include <cmath>

#include "warp_references.h"

namespace headrace::image {
namespace {

using testing::numbers_of;
using testing::reference_rows;

BoxFormat format_named(const std::string& name) {
  return name == "xyxy" ? BoxFormat::kXyxy : name == "xywh" ? BoxFormat::kXywh : BoxFormat::kCxcywh;
}

struct Moved {
  explicit Moved(const std::vector<std::string>& row)
      : kind(row[0]),
        format(format_named(row[1])),
        canvas{std::stoi(row[2]), std::stoi(row[3])},
        parameters(numbers_of(row[4])),
        after(numbers_of(row[6])) {
    for (const double value : numbers_of(row[5])) before.push_back(static_cast<float>(value));
  }
  int number(std::size_t i) const { return static_cast<int>(parameters[i]); }

  std::string kind;
  BoxFormat format;
  Size canvas;
  std::vector<double> parameters;
  std::vector<float> before;
  std::vector<double> after;
};

void move(const Moved& m, const Boxes& boxes) {
  const AffineRule rule = [&] {
    AffineRule r;
    r.center = {m.canvas.width * 0.5, m.canvas.height * 0.5};
    return r;
  }();
  if (m.kind == "clamp") {
    clamp_boxes(boxes, m.canvas);
  } else if (m.kind == "crop") {
    crop_boxes(boxes, {m.number(0), m.number(1), m.number(2), m.number(3)});
  } else if (m.kind == "resize") {
    resize_boxes(boxes, m.canvas, {m.number(0), m.number(1)});
  } else if (m.kind == "hflip") {
    flip_boxes_across(boxes, m.canvas);
  } else if (m.kind == "vflip") {
    flip_boxes_down(boxes, m.canvas);
  } else if (m.kind == "pad") {
    crop_boxes(boxes, {-m.number(0), -m.number(1), m.canvas.width + m.number(0) + m.number(2),
                       m.canvas.height + m.number(1) + m.number(3)});
  } else if (m.kind == "center_crop") {
    crop_boxes(boxes, center_crop(m.canvas, {m.number(0), m.number(1)}));
  } else if (m.kind == "resized_crop") {
    const Region part{m.number(0), m.number(1), m.number(2), m.number(3)};
    crop_boxes(boxes, part);
    resize_boxes(boxes, part.size(), {m.number(4), m.number(5)});
  } else if (m.kind == "affine") {
    AffineRule affine = rule;
    affine.angle = m.parameters[0];
    affine.translate = {m.parameters[1], m.parameters[2]};
    affine.scale = m.parameters[3];
    affine.shear = {m.parameters[4], m.parameters[5]};
    warp_boxes(boxes, forward_affine(affine), {}, m.canvas);
  } else if (m.kind == "rotate") {
    AffineRule rotation = rule;
    rotation.angle = -m.parameters[0];
    const AffineMatrix forward = forward_affine(rotation);
    const bool expand = m.parameters[1] != 0;
    warp_boxes(boxes, forward, expand ? expansion_offset(forward, m.canvas) : Point{},
               {m.number(2), m.number(3)});
  } else {
    PerspectiveCoefficients coefficients;
    std::copy(m.parameters.begin(), m.parameters.end(), coefficients.begin());
    EXPECT_TRUE(warp_boxes(boxes, coefficients, m.canvas));
  }
}

TEST(Boxes, MoveAsTorchvisionsDo) {
  int seen = 0;
  for (const auto& row : reference_rows("warp_boxes.txt")) {
    const Moved m(row);
    if (m.kind == "sanitize") continue;
    ++seen;
    std::vector<float> boxes = m.before;
    move(m, {boxes.data(), boxes.size() / 4, m.format});
    // Matrix products sum in another order; the rest is exact.
    const bool warps = m.kind == "affine" || m.kind == "rotate" || m.kind == "perspective";
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      ASSERT_NEAR(boxes[i], m.after[i], warps ? 2e-3 : std::fabs(m.after[i]) * 1e-7)
          << m.kind << " " << row[1] << " element " << i;
    }
  }
  EXPECT_GE(seen, 250);
}

TEST(Boxes, AreSoundWhereTorchvisionSaysSo) {
  int sound = 0;
  int unsound = 0;
  for (const auto& row : reference_rows("warp_boxes.txt")) {
    const Moved m(row);
    if (m.kind != "sanitize") continue;
    for (std::size_t i = 0; i < m.after.size(); ++i) {
      const bool is = is_sound(m.before.data() + 4 * i, m.format, m.canvas, 20, 900);
      ++(is ? sound : unsound);
      EXPECT_EQ(is, m.after[i] != 0) << row[1] << " box " << i;
    }
  }
  EXPECT_GE(sound, 20);
  EXPECT_GE(unsound, 20);
}

TEST(Boxes, StayWhereNoPerspectiveCanBeTurnedRound) {
  std::vector<float> box{1, 2, 3, 4};
  EXPECT_FALSE(warp_boxes({box.data(), 1, BoxFormat::kXyxy}, {1, 1, 0, 1, 1, 0, 0, 0}, {10, 10}));
  EXPECT_EQ(box, (std::vector<float>{1, 2, 3, 4}));
}

}  // namespace
}  // namespace headrace::image
