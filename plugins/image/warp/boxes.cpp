// SPDX-License-Identifier: Apache-2.0
//
// See boxes.h.
#include "warp/boxes.h"

#include <algorithm>

namespace headrace::image {
namespace {

/// Between a box as it is kept and its two corners.
void to_corners(float* box, BoxFormat format) {
  if (format == BoxFormat::kCxcywh) {
    const float half[2] = {box[2] / 2, box[3] / 2};
    box[0] -= half[0];
    box[1] -= half[1];
  }
  if (format != BoxFormat::kXyxy) {
    box[2] += box[0];
    box[3] += box[1];
  }
}

void from_corners(float* box, BoxFormat format) {
  if (format != BoxFormat::kXyxy) {
    box[2] -= box[0];
    box[3] -= box[1];
  }
  if (format == BoxFormat::kCxcywh) {
    box[0] = (box[0] * 2 + box[2]) / 2;
    box[1] = (box[1] * 2 + box[3]) / 2;
  }
}

void clamp_corners(float* box, Size canvas) {
  const float width = static_cast<float>(canvas.width);
  const float height = static_cast<float>(canvas.height);
  box[0] = std::clamp(box[0], 0.0F, width);
  box[1] = std::clamp(box[1], 0.0F, height);
  box[2] = std::clamp(box[2], 0.0F, width);
  box[3] = std::clamp(box[3], 0.0F, height);
}

template <class Body>
void each_box(const Boxes& boxes, Body body) {
  for (std::size_t i = 0; i < boxes.count; ++i) body(boxes.data + 4 * i);
}

struct FloatPoint {
  float x;
  float y;
};

/// The upright box around the moved corners.
template <class Move>
void surround_corners(float* box, Move move) {
  const FloatPoint corners[] = {move(box[0], box[1]), move(box[2], box[1]), move(box[2], box[3]),
                                move(box[0], box[3])};
  box[0] = box[2] = corners[0].x;
  box[1] = box[3] = corners[0].y;
  for (const FloatPoint& corner : corners) {
    box[0] = std::min(box[0], corner.x);
    box[1] = std::min(box[1], corner.y);
    box[2] = std::max(box[2], corner.x);
    box[3] = std::max(box[3], corner.y);
  }
}

/// One axis of a flip, of a canvas `length` long.
void flip_axis(float* start, BoxFormat format, float length) {
  float& first = start[0];
  float& second = start[2];
  switch (format) {
    case BoxFormat::kXyxy: {
      const float end = length - first;
      first = length - second;
      second = end;
      break;
    }
    case BoxFormat::kXywh:
      first = length - (first + second);
      break;
    case BoxFormat::kCxcywh:
      first = length - first;
      break;
  }
}

}  // namespace

void clamp_boxes(const Boxes& boxes, Size canvas) {
  each_box(boxes, [&](float* box) {
    to_corners(box, boxes.format);
    clamp_corners(box, canvas);
    from_corners(box, boxes.format);
  });
}

void crop_boxes(const Boxes& boxes, const Region& part) {
  const auto left = static_cast<float>(part.x);
  const auto top = static_cast<float>(part.y);
  each_box(boxes, [&](float* box) {
    box[0] -= left;
    box[1] -= top;
    if (boxes.format == BoxFormat::kXyxy) {
      box[2] -= left;
      box[3] -= top;
    }
  });
  clamp_boxes(boxes, part.size());
}

void resize_boxes(const Boxes& boxes, Size from, Size to) {
  const auto across = static_cast<float>(static_cast<double>(to.width) / from.width);
  const auto down = static_cast<float>(static_cast<double>(to.height) / from.height);
  each_box(boxes, [&](float* box) {
    box[0] *= across;
    box[1] *= down;
    box[2] *= across;
    box[3] *= down;
  });
}

void flip_boxes_across(const Boxes& boxes, Size canvas) {
  each_box(boxes, [&](float* box) { flip_axis(box, boxes.format, static_cast<float>(canvas.width)); });
}

void flip_boxes_down(const Boxes& boxes, Size canvas) {
  each_box(boxes, [&](float* box) { flip_axis(box + 1, boxes.format, static_cast<float>(canvas.height)); });
}

void warp_boxes(const Boxes& boxes, const AffineMatrix& forward, Point offset, Size canvas) {
  const auto m = [&](std::size_t i) { return static_cast<float>(forward[i]); };
  const auto across = static_cast<float>(offset.x);
  const auto down = static_cast<float>(offset.y);
  each_box(boxes, [&](float* box) {
    to_corners(box, boxes.format);
    surround_corners(box, [&](float x, float y) {
      return FloatPoint{x * m(0) + y * m(1) + m(2) + across, x * m(3) + y * m(4) + m(5) + down};
    });
    clamp_corners(box, canvas);
    from_corners(box, boxes.format);
  });
}

bool warp_boxes(const Boxes& boxes, const PerspectiveCoefficients& c, Size canvas) {
  const double determinant = c[0] * c[4] - c[1] * c[3];
  if (determinant == 0) return false;
  const float m[8] = {static_cast<float>((c[4] - c[5] * c[7]) / determinant),
                      static_cast<float>((-c[1] + c[2] * c[7]) / determinant),
                      static_cast<float>((c[1] * c[5] - c[2] * c[4]) / determinant),
                      static_cast<float>((-c[3] + c[5] * c[6]) / determinant),
                      static_cast<float>((c[0] - c[2] * c[6]) / determinant),
                      static_cast<float>((-c[0] * c[5] + c[2] * c[3]) / determinant),
                      static_cast<float>((-c[4] * c[6] + c[3] * c[7]) / determinant),
                      static_cast<float>((-c[0] * c[7] + c[1] * c[6]) / determinant)};
  each_box(boxes, [&](float* box) {
    to_corners(box, boxes.format);
    surround_corners(box, [&](float x, float y) {
      const float below = x * m[6] + y * m[7] + 1.0F;
      return FloatPoint{(x * m[0] + y * m[1] + m[2]) / below, (x * m[3] + y * m[4] + m[5]) / below};
    });
    clamp_corners(box, canvas);
    from_corners(box, boxes.format);
  });
  return true;
}

bool is_sound(const float* box, BoxFormat format, Size canvas, float min_size, float min_area) {
  float corners[4] = {box[0], box[1], box[2], box[3]};
  to_corners(corners, format);
  const float width = corners[2] - corners[0];
  const float height = corners[3] - corners[1];
  const auto right = static_cast<float>(canvas.width);
  const auto bottom = static_cast<float>(canvas.height);
  return width >= min_size && height >= min_size && width * height >= min_area && corners[0] >= 0 &&
         corners[1] >= 0 && corners[2] >= 0 && corners[3] >= 0 && corners[0] <= right &&
         corners[2] <= right && corners[1] <= bottom && corners[3] <= bottom;
}

}  // namespace headrace::image
