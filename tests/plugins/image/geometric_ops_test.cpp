// SPDX-License-Identifier: Apache-2.0
//
// The geometric ops as a host sees them: parameters reach the functions that warp_test.cpp and boxes_test.cpp
// hold against torchvision, in both types and layouts; boxes follow their pictures; what is absorbed gives
// the same bits.
#include <algorithm>
#include <set>

#include "jpeg_writer.h"
#include "ops_bench.h"
#include "warp_references.h"

namespace headrace::image {
namespace {

using testing::BenchOptions;
using testing::elements_of;
using testing::faults;
using testing::make_jpeg;
using testing::NodeText;
using testing::numbers_of;
using testing::OpBench;
using testing::Outcome;
using testing::pattern_of;
using testing::planes;
using testing::plugin;
using testing::Record;
using testing::reference_rows;
using testing::run_op;
using testing::sample_at;
using testing::Value;

/// A picture of HWC elements, in either layout.
template <class T>
Value picture(const std::vector<T>& pixels, std::int64_t height, std::int64_t width, std::int64_t channels,
              bool chw) {
  if (chw) {
    return Value::tensor<T>({channels, height, width}, planes(pixels, static_cast<std::size_t>(channels)),
                            HEADRACE_LAYOUT_CHW);
  }
  return Value::tensor<T>({height, width, channels}, pixels, HEADRACE_LAYOUT_HWC);
}

/// 1, 2, 3 ... as bytes of one channel.
Value counting(std::int64_t height, std::int64_t width) {
  std::vector<std::uint8_t> pixels;
  for (std::int64_t i = 1; i <= height * width; ++i) pixels.push_back(static_cast<std::uint8_t>(i));
  return picture(pixels, height, width, 1, false);
}

std::vector<std::uint8_t> bytes_after(const NodeText& node, const Record& record,
                                      std::uint64_t position = 0) {
  const Outcome outcome = run_op(node, record, position);
  EXPECT_TRUE(outcome.ok()) << node.op << ": " << outcome.error;
  return outcome.ok() ? outcome.record["image"].elements<std::uint8_t>() : std::vector<std::uint8_t>();
}

using Bytes = std::vector<std::uint8_t>;
using Numbers = std::vector<int>;

/// The same in a type that g++ 12 can put into a set without a false warning (its bug 105329).
Numbers numbers_after(const NodeText& node, const Record& record, std::uint64_t position) {
  const Bytes bytes = bytes_after(node, record, position);
  return {bytes.begin(), bytes.end()};
}

TEST(Pad, PadsAsTorchvisionInEveryTypeAndLayout) {
  const auto expect = [](const std::vector<std::string>& row, auto element) {
    using T = decltype(element);
    const auto number = [&row](std::size_t i) { return std::stol(row[i]); };
    const auto pixels = pattern_of<T>(static_cast<std::size_t>(number(1) * number(2) * number(3)),
                                      static_cast<std::uint64_t>(number(4)));
    const NodeText node{
        .op = "image.pad",
        .with = {{"padding", "[" + row[5] + ", " + row[6] + ", " + row[7] + ", " + row[8] + "]"},
                 {"padding_mode", row[9]},
                 {"fill", "[" + row[10] + "]"}}};
    for (const bool chw : {false, true}) {
      const Outcome out = run_op(node, {{"image", picture(pixels, number(3), number(2), number(1), chw)}});
      ASSERT_TRUE(out.ok()) << out.error;
      const Value expected = picture(elements_of<T>(row[13]), number(12), number(11), number(1), chw);
      EXPECT_TRUE(out.record["image"] == expected) << row[9] << " seed " << row[4];
    }
  };
  for (const auto& row : reference_rows("warp_padding.txt")) {
    if (row[0] == "float") {
      expect(row, float());
    } else {
      expect(row, std::uint8_t());
    }
  }
}

/// The node of a row of warp_pictures.txt that is no perspective.
NodeText warp_node(const std::vector<std::string>& row) {
  NodeText node{.op = "image." + row[0], .with = {{"interpolation", row[6]}, {"angle", row[8]}}};
  node.with["fill"] = row[7] == "-" ? "null" : "[" + row[7] + "]";
  std::string center = row[10];
  if (row[0] == "affine") {
    node.with["translate"] = "[" + row[9] + ", " + row[10] + "]";
    node.with["scale"] = row[11];
    node.with["shear"] = "[" + row[12] + ", " + row[13] + "]";
    center = row[14];
  } else {
    node.with["expand"] = row[9] == "1" ? "true" : "false";
  }
  if (center != "-") node.with["center"] = "[" + center + "]";
  return node;
}

template <class T>
void expect_warped(const std::vector<std::string>& row) {
  const auto number = [&row](std::size_t i) { return std::stol(row[i]); };
  const std::size_t size_at = row[0] == "affine" ? 15 : 11;
  const auto pixels = pattern_of<T>(static_cast<std::size_t>(number(2) * number(3) * number(4)),
                                    static_cast<std::uint64_t>(number(5)));
  for (const bool chw : {false, true}) {
    const Outcome out =
        run_op(warp_node(row), {{"image", picture(pixels, number(4), number(3), number(2), chw)}});
    ASSERT_TRUE(out.ok()) << out.error;
    const Value expected =
        picture(elements_of<T>(row[size_at + 2]), number(size_at + 1), number(size_at), number(2), chw);
    ASSERT_EQ(out.record["image"].shape(), expected.shape()) << row[0] << " seed " << row[5];
    const std::vector<T> is = out.record["image"].elements<T>();
    const std::vector<T> ought = expected.elements<T>();
    // warp_test.cpp counts how often a byte is one off.
    for (std::size_t i = 0; i < is.size(); ++i)
      ASSERT_NEAR(is[i], ought[i], sizeof(T) == 1 ? 1 : 1e-6) << row[0] << " seed " << row[5];
  }
}

TEST(Rotate, AndAffineAreTorchvisionsInEveryTypeAndLayout) {
  for (const auto& row : reference_rows("warp_pictures.txt")) {
    if (row[0] == "perspective") continue;
    if (row[1] == "float") {
      expect_warped<float>(row);
    } else {
      expect_warped<std::uint8_t>(row);
    }
  }
}

TEST(RandomRotation, StaysWithinItsDegreesAndHandsOnWhatDoesNotTurn) {
  const Record record{{"image", counting(2, 2)}};
  const NodeText quarter{.op = "image.random_rotation", .with = {{"degrees", "[90, 90]"}}};
  EXPECT_EQ(bytes_after(quarter, record), (Bytes{2, 4, 1, 3}));
  const NodeText none{.op = "image.random_rotation", .with = {{"degrees", "0"}}};
  EXPECT_EQ(bytes_after(none, record), (Bytes{1, 2, 3, 4}));
}

TEST(RandomAffine, DrawsForEachSample) {
  const Record record{{"image", picture(pattern_of<std::uint8_t>(300, 2), 10, 10, 3, true)}};
  const NodeText node{
      .op = "image.random_affine",
      .with = {{"degrees", "20"}, {"translate", "[0.2, 0.1]"}, {"scale", "[0.5, 2]"}, {"shear", "10"}}};
  std::set<Numbers> seen;
  for (std::uint64_t i = 0; i < 10; ++i) seen.insert(numbers_after(node, record, i));
  EXPECT_EQ(seen.size(), 10U);
  EXPECT_EQ(bytes_after(node, record, 3), bytes_after(node, record, 3));
}

TEST(RandomAffine, MovesByWholePixelsWithinItsPart) {
  std::vector<std::uint8_t> dot(100);
  dot[55] = 200;
  const Record record{{"image", picture(dot, 10, 10, 1, false)}};
  const NodeText node{.op = "image.random_affine", .with = {{"degrees", "0"}, {"translate", "[0.3, 0]"}}};
  std::set<std::ptrdiff_t> places;
  for (std::uint64_t i = 0; i < 100; ++i) {
    const Bytes out = bytes_after(node, record, i);
    ASSERT_EQ(std::count(out.begin(), out.end(), 200), 1);
    places.insert(std::find(out.begin(), out.end(), 200) - out.begin());
  }
  EXPECT_EQ(places, (std::set<std::ptrdiff_t>{52, 53, 54, 55, 56, 57, 58}));
}

TEST(RandomPerspective, TiltsAsOftenAsItIsTold) {
  const Record record{{"image", picture(pattern_of<std::uint8_t>(1200, 2), 20, 20, 3, false)}};
  const Bytes before = record["image"].elements<std::uint8_t>();
  for (const auto& [p, least, most] : {std::tuple{"0", 0, 0}, {"0.5", 30, 70}, {"1", 95, 100}}) {
    int tilted = 0;
    for (std::uint64_t i = 0; i < 100; ++i) {
      const Bytes out = bytes_after({.op = "image.random_perspective", .with = {{"p", p}}}, record, i);
      tilted += out == before ? 0 : 1;
    }
    EXPECT_GE(tilted, least) << p;
    EXPECT_LE(tilted, most) << p;
  }
}

TEST(RandomPerspective, RefusesAPictureThatCannotBeTilted) {
  const Outcome out =
      run_op({.op = "image.random_perspective", .with = {{"p", "1"}}}, {{"image", counting(1, 1)}});
  EXPECT_EQ(out.status, HEADRACE_DATA_ERROR);
  EXPECT_EQ(out.error, "a picture of 1 x 1 pixels is too small to be tilted");
}

TEST(Crop, TakesPartsAndPutsZeroAround) {
  const Record record{{"image", counting(2, 3)}};
  const NodeText inside{.op = "image.crop",
                        .with = {{"top", "1"}, {"left", "1"}, {"height", "1"}, {"width", "2"}}};
  EXPECT_EQ(bytes_after(inside, record), (Bytes{5, 6}));
  const NodeText beyond{.op = "image.crop",
                        .with = {{"top", "-1"}, {"left", "2"}, {"height", "2"}, {"width", "2"}}};
  EXPECT_EQ(bytes_after(beyond, record), (Bytes{0, 0, 3, 0}));
}

TEST(RandomCrop, TakesEveryPlaceAndNoOther) {
  const Record record{{"image", counting(3, 3)}};
  std::set<Numbers> seen;
  const NodeText node{.op = "image.random_crop", .with = {{"size", "2"}}};
  for (std::uint64_t i = 0; i < 200; ++i) seen.insert(numbers_after(node, record, i));
  EXPECT_EQ(seen, (std::set<Numbers>{{1, 2, 4, 5}, {2, 3, 5, 6}, {4, 5, 7, 8}, {5, 6, 8, 9}}));
}

TEST(RandomCrop, PadsFirstInItsMode) {
  const Record record{{"image", counting(1, 2)}};
  std::set<Numbers> seen;
  NodeText node{.op = "image.random_crop",
                .with = {{"size", "[1, 2]"}, {"padding", "[1, 0]"}, {"padding_mode", "edge"}}};
  for (std::uint64_t i = 0; i < 200; ++i) seen.insert(numbers_after(node, record, i));
  EXPECT_EQ(seen, (std::set<Numbers>{{1, 1}, {1, 2}, {2, 2}}));
  node.with = {{"size", "[1, 3]"}, {"pad_if_needed", "true"}, {"fill", "9"}};
  seen.clear();
  for (std::uint64_t i = 0; i < 200; ++i) seen.insert(numbers_after(node, record, i));
  EXPECT_EQ(seen, (std::set<Numbers>{{9, 1, 2}, {1, 2, 9}}));
}

TEST(RandomCrop, SaysWhatToDoWithAPictureTooSmall) {
  const Outcome out =
      run_op({.op = "image.random_crop", .with = {{"size", "3"}}}, {{"image", counting(2, 4)}});
  EXPECT_EQ(out.status, HEADRACE_DATA_ERROR);
  EXPECT_EQ(
      out.error,
      "a picture of 4 x 2 pixels is too small for a crop of 3 x 3; give it padding, or set pad_if_needed");
}

TEST(Flips, SwapSidesOfEveryTypeAndLayout) {
  const Record bytes{{"image", counting(2, 2)}};
  EXPECT_EQ(bytes_after({.op = "image.horizontal_flip"}, bytes), (Bytes{2, 1, 4, 3}));
  EXPECT_EQ(bytes_after({.op = "image.vertical_flip"}, bytes), (Bytes{3, 4, 1, 2}));
  EXPECT_EQ(bytes_after({.op = "image.random_vertical_flip", .with = {{"p", "1"}}}, bytes),
            (Bytes{3, 4, 1, 2}));
  EXPECT_EQ(bytes_after({.op = "image.random_vertical_flip", .with = {{"p", "0"}}}, bytes),
            (Bytes{1, 2, 3, 4}));
  const Record floats{{"image", Value::tensor<float>({2, 2, 1}, {1, 2, 3, 4}, HEADRACE_LAYOUT_CHW)}};
  EXPECT_EQ(run_op({.op = "image.vertical_flip"}, floats).record["image"].elements<float>(),
            (std::vector<float>{2, 1, 4, 3}));
}

TEST(Crops, GiveTorchvisionsFiveAndTen) {
  const Record record{{"image", counting(3, 4)}, {"label", Value::scalar<std::int64_t>(7)}};
  // torchvision.transforms.functional.ten_crop of 1 .. 12 as 3 x 4, size [2, 2].
  const std::vector<Bytes> five{{1, 2, 5, 6}, {3, 4, 7, 8}, {5, 6, 9, 10}, {7, 8, 11, 12}, {2, 3, 6, 7}};
  const std::vector<Bytes> across{{4, 3, 8, 7}, {2, 1, 6, 5}, {8, 7, 12, 11}, {6, 5, 10, 9}, {3, 2, 7, 6}};
  const std::vector<Bytes> down{{9, 10, 5, 6}, {11, 12, 7, 8}, {5, 6, 1, 2}, {7, 8, 3, 4}, {10, 11, 6, 7}};
  const auto joined = [](std::vector<Bytes> a, const std::vector<Bytes>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  };
  const std::vector<std::pair<NodeText, std::vector<Bytes>>> cases{
      {{.op = "image.five_crop", .with = {{"size", "2"}}}, five},
      {{.op = "image.ten_crop", .with = {{"size", "2"}}}, joined(five, across)},
      {{.op = "image.ten_crop", .with = {{"size", "2"}, {"vertical_flip", "true"}}}, joined(five, down)}};
  for (const auto& [node, expected] : cases) {
    OpBench bench(plugin(), node);
    const std::vector<Outcome> children = bench.expand(record);
    ASSERT_EQ(children.size(), expected.size());
    for (std::size_t i = 0; i < children.size(); ++i) {
      ASSERT_TRUE(children[i].violations.empty()) << children[i].violations.front();
      EXPECT_EQ(children[i].record["image"].elements<std::uint8_t>(), expected[i]) << node.op << " " << i;
      EXPECT_TRUE(children[i].record["label"] == record["label"]);
    }
  }
}

TEST(Crops, RefuseAPictureTooSmall) {
  OpBench bench(plugin(), {.op = "image.five_crop", .with = {{"size", "3"}}});
  const std::vector<Outcome> children = bench.expand({{"image", counting(2, 4)}});
  EXPECT_EQ(children.back().status, HEADRACE_DATA_ERROR);
  EXPECT_EQ(children.back().error, "a picture of 4 x 2 pixels is too small for crops of 3 x 3");
}

TEST(RandomErasing, WritesItsValueInOneBox) {
  const auto pixels = pattern_of<float>(3 * 400, 2);
  for (const bool chw : {false, true}) {
    for (const bool in_place : {false, true}) {
      BenchOptions options;
      options.in_place = in_place;
      const NodeText node{.op = "image.random_erasing", .with = {{"p", "1"}, {"value", "[2, 3, 4]"}}};
      const Outcome out = run_op(node, {{"image", picture(pixels, 20, 20, 3, chw)}}, 5, options);
      ASSERT_TRUE(out.ok()) << out.error;
      std::vector<float> after = out.record["image"].elements<float>();
      if (chw) after = planes(after, after.size() / 3);
      int erased = 0;
      for (std::size_t i = 0; i < after.size(); ++i) {
        const bool is = after[i] == static_cast<float>(2 + i % 3);
        erased += is ? 1 : 0;
        ASSERT_TRUE(is || after[i] == pixels[i]);
      }
      EXPECT_GE(erased, 3 * 6);    // 2 % of 400 pixels, rounded sides
      EXPECT_LE(erased, 3 * 140);  // 33 %
    }
  }
}

TEST(RandomErasing, WritesNoiseOfANormalDistribution) {
  const NodeText node{
      .op = "image.random_erasing",
      .with = {{"p", "1"}, {"value", "random"}, {"scale", "[0.5, 0.5]"}, {"ratio", "[1, 1]"}}};
  const std::vector<float> sevens(3 * 100 * 100, 77);
  const Outcome out = run_op(node, {{"image", picture(sevens, 100, 100, 3, true)}});
  ASSERT_TRUE(out.ok()) << out.error;
  double sum = 0;
  double squares = 0;
  double within_one = 0;
  double count = 0;
  for (const float value : out.record["image"].elements<float>()) {
    if (value == 77) continue;
    ++count;
    sum += value;
    squares += value * value;
    within_one += std::abs(value) < 1 ? 1 : 0;
  }
  EXPECT_EQ(count, 3 * 71 * 71);
  EXPECT_NEAR(sum / count, 0, 0.03);  // 4 standard errors of 15123 numbers
  EXPECT_NEAR(squares / count, 1, 0.05);
  EXPECT_NEAR(within_one / count, 0.6827, 0.016);
}

TEST(RandomErasing, ErasesAsOftenAsItIsTold) {
  const Record record{{"image", picture(std::vector<std::uint8_t>(400, 5), 20, 20, 1, false)}};
  const Bytes before = record["image"].elements<std::uint8_t>();
  int erased = 0;
  for (std::uint64_t i = 0; i < 400; ++i) {
    const NodeText node{.op = "image.random_erasing", .with = {{"p", "0.25"}}};
    erased += bytes_after(node, record, i) == before ? 0 : 1;
  }
  EXPECT_GE(erased, 60);
  EXPECT_LE(erased, 140);
}

Value boxes_of(const std::vector<float>& numbers) {
  return Value::tensor<float>({static_cast<std::int64_t>(numbers.size() / 4), 4}, numbers);
}

TEST(Boxes, FollowTheirPicture) {
  const auto moved = [](NodeText node, std::uint64_t position = 0) {
    node.with["boxes"] = "boxes";
    const Outcome out =
        run_op(node, {{"image", counting(6, 10)}, {"boxes", boxes_of({1, 1, 4, 5, -2, 0, 12, 6})}}, position);
    EXPECT_TRUE(out.ok()) << node.op << ": " << out.error;
    return out.record["boxes"].elements<float>();
  };
  using Floats = std::vector<float>;
  EXPECT_EQ(moved({.op = "image.resize", .with = {{"size", "[12, 5]"}}}),
            (Floats{0.5, 2, 2, 10, -1, 0, 6, 12}));
  EXPECT_EQ(
      moved({.op = "image.crop", .with = {{"top", "2"}, {"left", "3"}, {"height", "3"}, {"width", "4"}}}),
      (Floats{0, 0, 1, 3, 0, 0, 4, 3}));
  EXPECT_EQ(moved({.op = "image.center_crop", .with = {{"size", "[2, 4]"}}}),
            (Floats{0, 0, 1, 2, 0, 0, 4, 2}));
  EXPECT_EQ(moved({.op = "image.pad", .with = {{"padding", "[2, 1, 0, 3]"}}}),
            (Floats{3, 2, 6, 6, 0, 1, 12, 7}));
  EXPECT_EQ(moved({.op = "image.horizontal_flip"}), (Floats{6, 1, 9, 5, -2, 0, 12, 6}));
  EXPECT_EQ(moved({.op = "image.vertical_flip"}), (Floats{1, 1, 4, 5, -2, 0, 12, 6}));
  EXPECT_EQ(moved({.op = "image.random_vertical_flip", .with = {{"p", "0"}}}),
            (Floats{1, 1, 4, 5, -2, 0, 12, 6}));
  EXPECT_EQ(moved({.op = "image.rotate", .with = {{"angle", "90"}, {"expand", "true"}}}),
            (Floats{1, 6, 5, 9, 0, 0, 6, 10}));
  EXPECT_EQ(moved({.op = "image.affine", .with = {{"translate", "[1, -1]"}}}),
            (Floats{2, 0, 5, 4, 0, 0, 10, 5}));
  EXPECT_EQ(moved({.op = "image.affine"}), (Floats{1, 1, 4, 5, -2, 0, 12, 6}));
}

/// A picture with one bright rectangle, and the box around it.
Record marked() {
  std::vector<std::uint8_t> pixels(40 * 60);
  for (std::size_t y = 12; y < 24; ++y)
    std::fill_n(pixels.begin() + static_cast<std::ptrdiff_t>(y * 60 + 20), 16, 255);
  return {{"image", picture(pixels, 40, 60, 1, false)}, {"boxes", boxes_of({20, 12, 36, 24})}};
}

/// The box around what is bright.
std::vector<float> bright(const Value& image) {
  const Bytes pixels = image.elements<std::uint8_t>();
  const std::int64_t width = image.shape()[1];
  std::int64_t x0 = width;
  std::int64_t y0 = image.shape()[0];
  std::int64_t x1 = 0;
  std::int64_t y1 = 0;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(pixels.size()); ++i) {
    if (pixels[static_cast<std::size_t>(i)] < 128) continue;
    x0 = std::min(x0, i % width);
    x1 = std::max(x1, i % width + 1);
    y0 = std::min(y0, i / width);
    y1 = std::max(y1, i / width + 1);
  }
  return {static_cast<float>(x0), static_cast<float>(y0), static_cast<float>(x1), static_cast<float>(y1)};
}

TEST(Boxes, StayAroundWhatTheyMark) {
  const std::vector<NodeText> nodes{
      {.op = "image.random_crop", .with = {{"size", "[36, 50]"}, {"padding", "[9, 3]"}}},
      {.op = "image.random_resized_crop", .with = {{"size", "[50, 70]"}, {"scale", "[0.7, 1]"}}},
      {.op = "image.random_horizontal_flip"},
      {.op = "image.random_vertical_flip"},
      {.op = "image.random_rotation", .with = {{"degrees", "[180, 180]"}}},
      {.op = "image.random_affine",
       .with = {{"degrees", "0"}, {"translate", "[0.3, 0.3]"}, {"scale", "[1, 1.5]"}}},
      {.op = "image.center_crop", .with = {{"size", "[45, 63]"}}}};
  for (NodeText node : nodes) {
    node.with["boxes"] = "boxes";
    for (std::uint64_t i = 0; i < 40; ++i) {
      const Outcome out = run_op(node, marked(), i);
      ASSERT_TRUE(out.ok()) << node.op << ": " << out.error;
      const std::vector<float> box = out.record["boxes"].elements<float>();
      if (box[2] - box[0] < 2 || box[3] - box[1] < 2) continue;  // all but cut away
      const std::vector<float> seen = bright(out.record["image"]);
      for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(box[k], seen[k], 1.0) << node.op << " sample " << i;
    }
  }
}

TEST(Boxes, OfEveryFormatAreTheSameBoxes) {
  const NodeText node{.op = "image.random_resized_crop", .with = {{"size", "30"}, {"boxes", "boxes"}}};
  const auto after = [&](const char* format, const std::vector<float>& box) {
    NodeText formatted = node;
    formatted.with["box_format"] = format;
    const Record record{{"image", counting(20, 10)}, {"boxes", boxes_of(box)}};
    return run_op(formatted, record, 4).record["boxes"].elements<float>();
  };
  const std::vector<float> corners = after("xyxy", {2, 4, 8, 16});
  const std::vector<float> sized = after("xywh", {2, 4, 6, 12});
  const std::vector<float> centered = after("cxcywh", {5, 10, 6, 12});
  EXPECT_NEAR(sized[0] + sized[2], corners[2], 1e-4);
  EXPECT_NEAR(sized[1] + sized[3], corners[3], 1e-4);
  EXPECT_NEAR(centered[0], (corners[0] + corners[2]) / 2, 1e-4);
  EXPECT_NEAR(centered[3], corners[3] - corners[1], 1e-4);
}

TEST(Boxes, NoneAtAllAreFine) {
  for (const char* op : {"image.horizontal_flip", "image.clamp_boxes", "image.sanitize_boxes"}) {
    NodeText node{.op = op, .with = {{"boxes", "boxes"}}};
    const Outcome out = run_op(node, {{"image", counting(2, 2)}, {"boxes", boxes_of({})}});
    EXPECT_TRUE(out.ok()) << op << ": " << out.error;
    EXPECT_EQ(out.record["boxes"].shape(), (std::vector<std::int64_t>{0, 4}));
  }
}

TEST(ClampBoxes, CutsOffAtThePicturesSides) {
  for (const bool in_place : {true, false}) {
    BenchOptions options;
    options.in_place = in_place;
    const Record record{{"image", counting(6, 10)}, {"boxes", boxes_of({-1, 2, 12, 5})}};
    const Outcome out = run_op({.op = "image.clamp_boxes"}, record, 0, options);
    EXPECT_EQ(out.record["boxes"].elements<float>(), (std::vector<float>{0, 2, 10, 5}));
  }
}

TEST(SanitizeBoxes, DropsBoxesAndWhatBelongsToThem) {
  const NodeText node{.op = "image.sanitize_boxes",
                      .with = {{"labels", "[classes, points]"}, {"min_size", "2"}, {"min_area", "7"}}};
  const Record record{{"image", counting(6, 10)},
                      {"boxes", boxes_of({1, 1, 4, 5, 0, 0, 1, 6, -1, 0, 5, 5, 0, 0, 10, 6, 2, 2, 4, 5})},
                      {"classes", Value::tensor<std::int64_t>({5}, {10, 11, 12, 13, 14})},
                      {"points", Value::tensor<std::uint8_t>({5, 2}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9})}};
  for (const bool in_place : {true, false}) {
    BenchOptions options;
    options.in_place = in_place;
    const Outcome out = run_op(node, record, 0, options);
    ASSERT_TRUE(out.ok()) << out.error;
    EXPECT_EQ(out.record["boxes"].elements<float>(), (std::vector<float>{1, 1, 4, 5, 0, 0, 10, 6}));
    EXPECT_EQ(out.record["classes"].elements<std::int64_t>(), (std::vector<std::int64_t>{10, 13}));
    EXPECT_EQ(out.record["points"].elements<std::uint8_t>(), (Bytes{0, 1, 6, 7}));
    EXPECT_TRUE(out.record["image"] == record["image"]);
  }
}

TEST(SanitizeBoxes, RefusesLabelsOfAnotherNumber) {
  const NodeText node{.op = "image.sanitize_boxes", .with = {{"labels", "classes"}}};
  const Outcome out = run_op(node, {{"image", counting(6, 10)},
                                    {"boxes", boxes_of({1, 1, 4, 5})},
                                    {"classes", Value::tensor<std::int64_t>({2}, {1, 2})}});
  EXPECT_EQ(out.status, HEADRACE_DATA_ERROR);
  EXPECT_EQ(out.error, "2 labels for 1 boxes");
}

TEST(Resize, MakesTheLongerSideMaxSize) {
  const NodeText node{.op = "image.resize", .with = {{"max_size", "20"}}};
  EXPECT_EQ(run_op(node, {{"image", counting(3, 10)}}).record["image"].shape(),
            (std::vector<std::int64_t>{6, 20, 1}));
  EXPECT_EQ(run_op(node, {{"image", counting(10, 3)}}).record["image"].shape(),
            (std::vector<std::int64_t>{20, 6, 1}));
}

TEST(Resize, ResizesFloatsAsTorchvisionInEitherLayout) {
  for (const auto& row : reference_rows("warp_resized.txt")) {
    const auto number = [&row](std::size_t i) { return std::stol(row[i]); };
    const auto pixels = pattern_of<float>(static_cast<std::size_t>(number(2) * number(3) * number(4)),
                                          static_cast<std::uint64_t>(number(5)));
    const NodeText node{.op = "image.resize",
                        .with = {{"size", "[" + row[7] + ", " + row[6] + "]"},
                                 {"interpolation", row[0]},
                                 {"antialias", row[1] == "1" ? "true" : "false"}}};
    for (const bool chw : {false, true}) {
      const Outcome out = run_op(node, {{"image", picture(pixels, number(4), number(3), number(2), chw)}});
      ASSERT_TRUE(out.ok()) << out.error;
      const Value expected = picture(elements_of<float>(row[8]), number(7), number(6), number(2), chw);
      ASSERT_EQ(out.record["image"].shape(), expected.shape());
      const std::vector<float> is = out.record["image"].elements<float>();
      const std::vector<float> ought = expected.elements<float>();
      for (std::size_t i = 0; i < is.size(); ++i)
        ASSERT_NEAR(is[i], ought[i], 2e-6) << row[0] << " " << row[5];
    }
  }
}

TEST(Resize, ResizesPlanesOfBytesAsPixels) {
  const Bytes pixels = pattern_of<std::uint8_t>(3 * 31 * 22, 4);
  const std::vector<NodeText> nodes{
      {.op = "image.resize", .with = {{"size", "[9, 40]"}, {"interpolation", "lanczos"}}},
      {.op = "image.random_resized_crop", .with = {{"size", "[12, 10]"}}}};
  for (const NodeText& node : nodes) {
    const Outcome interleaved = run_op(node, {{"image", picture(pixels, 31, 22, 3, false)}}, 8);
    const Outcome apart = run_op(node, {{"image", picture(pixels, 31, 22, 3, true)}}, 8);
    ASSERT_TRUE(interleaved.ok()) << interleaved.error;
    ASSERT_TRUE(apart.ok()) << apart.error;
    EXPECT_EQ(apart.record["image"].c().layout, HEADRACE_LAYOUT_CHW);
    EXPECT_EQ(apart.record["image"].elements<std::uint8_t>(),
              planes(interleaved.record["image"].elements<std::uint8_t>(), 3));
  }
}

const NodeText kDecode{.op = "image.decode", .with = {}, .name = "decode"};

TEST(ImageDecode, AbsorbsCropsAndPaddingsBitForBit) {
  const NodeText crop{
      .op = "image.random_crop", .with = {{"size", "[60, 50]"}, {"padding", "[4, 8]"}}, .name = "crop"};
  const NodeText needed{.op = "image.random_crop",
                        .with = {{"size", "[130, 90]"}, {"pad_if_needed", "true"}},
                        .name = "needed"};
  const NodeText part{.op = "image.crop",
                      .with = {{"top", "-5"}, {"left", "10"}, {"height", "50"}, {"width", "120"}},
                      .name = "part"};
  const NodeText pad{.op = "image.pad", .with = {{"padding", "[3, 0, 20, 9]"}}, .name = "pad"};
  const NodeText small{.op = "image.resize", .with = {{"max_size", "64"}}, .name = "small"};
  const NodeText flip{.op = "image.horizontal_flip", .name = "flip"};
  const NodeText normalize{
      .op = "image.normalize", .with = {{"mean", "0.5"}, {"std", "0.25"}}, .name = "norm"};
  const std::vector<std::vector<NodeText>> chains{{kDecode, crop, flip, normalize},
                                                  {kDecode, needed, flip},
                                                  {kDecode, part, small, pad, normalize},
                                                  {kDecode, small, pad, crop},
                                                  {kDecode, pad, small, part, flip, normalize}};
  const std::vector<std::uint8_t> file =
      make_jpeg({.width = 103, .height = 117, .h_sampling = 2, .v_sampling = 2});
  const Record record{
      {"bytes", Value::bytes(std::string_view(reinterpret_cast<const char*>(file.data()), file.size()))}};
  for (const std::vector<NodeText>& nodes : chains) {
    OpBench fused(plugin(), nodes.front());
    for (std::size_t i = 1; i < nodes.size(); ++i)
      ASSERT_EQ(fused.offer(plugin(), nodes[i]), "") << nodes[i].op;
    for (std::uint64_t position = 0; position < 20; ++position) {
      fused.set_sample(sample_at(position));
      const Outcome together = fused.map(record);
      ASSERT_TRUE(together.ok()) << together.error;
      Outcome apart;
      apart.record = record;
      for (const NodeText& node : nodes) apart = run_op(node, apart.record, position);
      ASSERT_TRUE(together.record == apart.record) << nodes[1].name << " sample " << position;
    }
  }
}

TEST(ImageDecode, LeavesToOthersWhatItCannotDoOnTheWay) {
  const auto reason = [](NodeText node) { return OpBench(plugin(), kDecode).offer(plugin(), node); };
  EXPECT_EQ(reason({.op = "image.resize", .with = {{"size", "64"}, {"boxes", "boxes"}}}),
            "it moves the boxes 'boxes' too, and decoding has none");
  EXPECT_EQ(reason({.op = "image.pad", .with = {{"padding", "1"}, {"fill", "3"}}}),
            "decoding can surround a picture with black only");
  EXPECT_EQ(reason({.op = "image.random_crop", .with = {{"size", "8"}, {"padding_mode", "edge"}}}),
            "decoding can surround a picture with black only");
  EXPECT_EQ(reason({.op = "image.vertical_flip"}),
            "image.vertical_flip is not one of the ops that decoding can do on the way");
}

TEST(GeometricOps, RefuseWhatCannotBeRight) {
  const Record bytes{{"image", counting(4, 4)}, {"boxes", boxes_of({1, 1, 2, 2})}};
  const Record doubles{{"image", Value::empty(HEADRACE_FLOAT64, {3, 4, 4}, HEADRACE_LAYOUT_CHW)}};
  const Record floats{{"image", Value::empty(HEADRACE_FLOAT32, {3, 4, 4}, HEADRACE_LAYOUT_CHW)}};
  const auto expect = [](const NodeText& node, const Record& record, const std::string& text) {
    const std::string said = faults(node, record);
    EXPECT_NE(said.find(text), std::string::npos) << node.op << " said: " << said;
  };
  expect({.op = "image.pad", .with = {{"padding", "[1, 2, 3]"}}}, bytes,
         "padding: padding is one, two or four");
  expect({.op = "image.pad", .with = {{"padding", "1"}, {"fill", "[1, 2]"}}}, bytes,
         "fill: 2 numbers for the 1");
  expect({.op = "image.pad", .with = {{"padding", "1"}, {"fill", "300"}}}, bytes,
         "fill: the bytes of 'image'");
  expect({.op = "image.pad", .with = {{"padding", "1"}, {"fill", "1"}}}, doubles, "fill: 'image' is neither");
  expect({.op = "image.pad", .with = {{"padding", "1"}, {"fill", "1"}, {"padding_mode", "edge"}}}, bytes,
         "fill: a fill goes with padding_mode constant");
  expect({.op = "image.pad", .with = {{"padding", "1"}, {"boxes", "boxes"}, {"padding_mode", "edge"}}}, bytes,
         "padding_mode: boxes go with padding_mode constant");
  expect({.op = "image.rotate", .with = {{"angle", "1"}}}, doubles,
         "field: 'image' must be uint8 or float32");
  expect({.op = "image.random_rotation", .with = {{"degrees", "-5"}}}, bytes, "degrees: one number d");
  expect({.op = "image.random_rotation", .with = {{"degrees", "[5, 1]"}}}, bytes,
         "degrees: the first of the two");
  expect({.op = "image.random_affine", .with = {{"degrees", "5"}, {"shear", "[1, 2, 3]"}}}, bytes,
         "shear: shear is one, two or four numbers");
  expect({.op = "image.random_affine", .with = {{"degrees", "5"}, {"shear", "[1, 2, 4, 3]"}}}, bytes,
         "shear: the first of the two");
  expect({.op = "image.random_affine", .with = {{"degrees", "5"}, {"scale", "[2, 1]"}}}, bytes,
         "scale: the first of the two");
  expect({.op = "image.random_erasing", .with = {{"value", "random"}}}, bytes, "value: bytes cannot hold");
  expect({.op = "image.random_erasing", .with = {{"value", "noise"}}}, floats,
         "value: value is numbers, or random");
  expect({.op = "image.random_erasing", .with = {{"value", "[1, 2]"}}}, floats,
         "value: 2 numbers for 3 channels");
  expect({.op = "image.random_erasing", .with = {{"value", "256"}}}, bytes, "value: bytes hold 0 to 255");
  expect({.op = "image.random_erasing", .with = {{"ratio", "[2, 1]"}}}, bytes, "ratio: the first of the two");
  expect({.op = "image.horizontal_flip", .with = {{"boxes", "image"}}}, bytes,
         "boxes: 'image' is the picture");
  expect({.op = "image.horizontal_flip", .with = {{"boxes", "boxes"}}}, floats, "there is no field 'boxes'");
  expect({.op = "image.resize"}, bytes, "size: size, max_size or both");
  const Record words{{"image", counting(4, 4)}, {"boxes", Value::empty(HEADRACE_INT64, {2, 4})}};
  expect({.op = "image.crop",
          .with = {{"top", "0"}, {"left", "0"}, {"height", "1"}, {"width", "1"}, {"boxes", "boxes"}}},
         words, "boxes: 'boxes' is no float32[N, 4]");
  expect({.op = "image.clamp_boxes"}, words, "boxes: 'boxes' is no float32[N, 4]");
  expect({.op = "image.sanitize_boxes", .with = {{"labels", "image2"}}}, bytes, "there is no field 'image2'");
}

}  // namespace
}  // namespace headrace::image
