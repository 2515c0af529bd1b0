// SPDX-License-Identifier: Apache-2.0
//
// Bounding boxes that follow their picture: what torchvision's v2 kernels for BoundingBoxes do, in single
// precision and their order of operations. Boxes are changed where they lie. Pure functions, called by the
// geometric ops once a picture, on any thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "warp/matrix.h"

namespace headrace::image {

/// Four numbers a box, in pixels from the upper left corner: both corners; a corner, width and height; the
/// centre, width and height.
enum class BoxFormat : std::uint8_t { kXyxy, kXywh, kCxcywh };

struct Boxes {
  float* data = nullptr;  // count * 4
  std::size_t count = 0;
  BoxFormat format = BoxFormat::kXyxy;
};

/// Cuts off what lies outside the picture, which may leave a box without an area.
void clamp_boxes(const Boxes& boxes, Size canvas);
/// The picture becomes `part` of itself, which may reach beyond it. Clamps.
void crop_boxes(const Boxes& boxes, const Region& part);
void resize_boxes(const Boxes& boxes, Size from, Size to);
void flip_boxes_across(const Boxes& boxes, Size canvas);
void flip_boxes_down(const Boxes& boxes, Size canvas);

/// Each box becomes the upright box around its four corners, moved by `forward` and then by `offset`. Clamps
/// to `canvas`.
void warp_boxes(const Boxes& boxes, const AffineMatrix& forward, Point offset, Size canvas);
/// The same by perspective. `inverse` is what the picture was warped by; false, and nothing done, when it
/// cannot be turned round.
bool warp_boxes(const Boxes& boxes, const PerspectiveCoefficients& inverse, Size canvas);

/// torchvision's sanitize_bounding_boxes: whether the box is at least min_size wide and high, at least
/// min_area large, and inside the canvas.
bool is_sound(const float* box, BoxFormat format, Size canvas, float min_size, float min_area);

}  // namespace headrace::image
