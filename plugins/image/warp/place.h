// SPDX-License-Identifier: Apache-2.0
//
// Moving pixels without looking at them: parts of a picture that may reach beyond it, flips and quarter
// turns. Works on bytes, so any dtype and layout will do. Pure functions, called by the geometric ops once a
// picture, on any thread; they allocate nothing.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pixels/geometry.h"

namespace headrace::image {

/// A dense picture as planes of rows of pixels: HWC is one plane of wide pixels, CHW a plane a channel.
struct Planes {
  std::int64_t count = 0;
  Size size;
  std::size_t pixel_bytes = 0;

  std::size_t row_bytes() const { return static_cast<std::size_t>(size.width) * pixel_bytes; }
  std::size_t plane_bytes() const { return row_bytes() * static_cast<std::size_t>(size.height); }
  std::size_t bytes() const { return plane_bytes() * static_cast<std::size_t>(count); }
  Planes with(Size other) const { return {count, other, pixel_bytes}; }
};

/// What lies around a picture, as torchvision's padding_mode: the fill; the pixel at the edge; the picture
/// mirrored at its outermost pixel, which is not repeated, or at its outermost edge.
enum class Surround : std::uint8_t { kConstant, kEdge, kReflect, kSymmetric };

/// Pixels of padding on each side, 0 or more.
struct Padding {
  int left = 0;
  int top = 0;
  int right = 0;
  int bottom = 0;
  bool operator==(const Padding&) const = default;
};

/// The padded picture, in the coordinates of the picture itself.
Region padded(Size size, const Padding& padding);

/// Refuses a padding that the picture is too small to be mirrored into: kReflect needs sides longer than it,
/// kSymmetric sides as long.
Verdict check_padding(Size size, const Padding& padding, Surround surround);

/// `part` of the picture, which may reach beyond it as far as check_padding() allows, to `out`. `fill` has a
/// pixel for each plane, plane after plane; null is all zeros. Only kConstant reads it.
void take_part(const std::uint8_t* in, const Planes& planes, const Region& part, Surround surround,
               const std::uint8_t* fill, std::uint8_t* out);

/// Fills `part`, which lies inside the picture, with one pixel for each plane, as take_part()'s fill.
void fill_part(std::uint8_t* pixels, const Planes& planes, const Region& part, const std::uint8_t* fill);

/// Left becomes right; top becomes bottom. `in` and `out` are apart.
void flip_columns(const std::uint8_t* in, const Planes& planes, std::uint8_t* out);
void flip_rows(const std::uint8_t* in, const Planes& planes, std::uint8_t* out);

/// A turn by 90 degrees times `quarters` (1, 2 or 3), counterclockwise as torch.rot90. The result of 1 and 3
/// is as wide as `in` is high.
void turn(const std::uint8_t* in, const Planes& planes, int quarters, std::uint8_t* out);

}  // namespace headrace::image
