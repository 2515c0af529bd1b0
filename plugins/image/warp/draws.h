// SPDX-License-Identifier: Apache-2.0
//
// What the random geometric ops choose, with torchvision's distributions and in its order of draws
// (make_params in transforms/v2/_geometry.py and _augment.py). Templates over where the numbers come from:
// `draws.uniform()` gives a number in [0, 1), `draws.below(n)` one of 0 .. n-1. Called by the ops once a
// picture, on any thread.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "warp/matrix.h"
#include "warp/place.h"

namespace headrace::image {

struct Range {
  double low = 0;
  double high = 0;
  bool operator==(const Range&) const = default;
};

template <class Draws>
double draw_from(const Range& range, Draws& draws) {
  return range.low + (range.high - range.low) * static_cast<double>(draws.uniform());
}

template <class Draws>
int draw_below(int count, Draws& draws) {
  return static_cast<int>(draws.below(static_cast<std::uint32_t>(count)));
}

/// torchvision's RandomCrop: a part of `size` of the padded picture.
struct PaddedCropRule {
  Size size;
  Padding padding;
  bool pad_if_needed = false;  // a side that is too short grows at both ends by what it lacks
  Surround surround = Surround::kConstant;
};

/// The padding that the rule comes to for a picture.
inline Padding padding_for(const PaddedCropRule& rule, Size of) {
  Padding padding = rule.padding;
  if (!rule.pad_if_needed) return padding;
  const Size all = padded(of, padding).size();
  const int across = std::max(0, rule.size.width - all.width);
  const int down = std::max(0, rule.size.height - all.height);
  return {padding.left + across, padding.top + down, padding.right + across, padding.bottom + down};
}

/// `part` in the coordinates of the picture. Refuses a picture that is too small.
template <class Draws>
Verdict padded_crop(const PaddedCropRule& rule, Size of, Draws& draws, Region& part) {
  const Padding padding = padding_for(rule, of);
  const Region all = padded(of, padding);
  if (all.width < rule.size.width || all.height < rule.size.height) {
    return Verdict::refuse(
        Verdict::Kind::kInvalid,
        "a picture of %d x %d pixels is too small for a crop of %d x %d; give it padding, or "
        "set pad_if_needed",
        all.width, all.height, rule.size.width, rule.size.height);
  }
  const int rows = all.height - rule.size.height + 1;
  const int columns = all.width - rule.size.width + 1;
  const int y = rows > 1 ? draw_below(rows, draws) : 0;
  const int x = columns > 1 ? draw_below(columns, draws) : 0;
  part = {all.x + x, all.y + y, rule.size.width, rule.size.height};
  return check_padding(of, padding, rule.surround);
}

/// torchvision's RandomErasing: ten tries at a part of an area and aspect ratio (height / width, even on a
/// log scale) that is smaller than the picture both ways.
struct EraseRule {
  Range scale;
  Range ratio;
};

/// False when no try fits: then nothing is erased.
template <class Draws>
bool erased_part(const EraseRule& rule, Size of, Draws& draws, Region& part) {
  const Range log_ratio{std::log(rule.ratio.low), std::log(rule.ratio.high)};
  const double area = static_cast<double>(of.width) * of.height;
  for (int attempt = 0; attempt < 10; ++attempt) {
    const double erased = area * draw_from(rule.scale, draws);
    const double ratio = std::exp(draw_from(log_ratio, draws));
    const double height = std::nearbyint(std::sqrt(erased * ratio));
    const double width = std::nearbyint(std::sqrt(erased / ratio));
    if (!(height < of.height && width < of.width)) continue;
    const Size size{static_cast<int>(width), static_cast<int>(height)};
    const int y = draw_below(of.height - size.height + 1, draws);
    const int x = draw_below(of.width - size.width + 1, draws);
    part = {x, y, size.width, size.height};
    return true;
  }
  return false;
}

/// torchvision's RandomAffine. What is not wanted is not drawn.
struct RandomAffineRule {
  Range degrees;
  bool translates = false;
  Point translate;  // most, as a fraction of width and of height
  bool scales = false;
  Range scale;
  int shears = 0;  // axes: 0, 1 (x) or 2
  Range shear_x;
  Range shear_y;
};

/// All but the centre.
template <class Draws>
AffineRule draw_affine(const RandomAffineRule& rule, Size of, Draws& draws) {
  AffineRule drawn;
  drawn.angle = draw_from(rule.degrees, draws);
  if (rule.translates) {
    const double across = rule.translate.x * of.width;
    const double down = rule.translate.y * of.height;
    drawn.translate.x = std::nearbyint(draw_from({-across, across}, draws));
    drawn.translate.y = std::nearbyint(draw_from({-down, down}, draws));
  }
  if (rule.scales) drawn.scale = draw_from(rule.scale, draws);
  if (rule.shears > 0) drawn.shear.x = draw_from(rule.shear_x, draws);
  if (rule.shears > 1) drawn.shear.y = draw_from(rule.shear_y, draws);
  return drawn;
}

/// A picture's corners, clockwise from the upper left.
inline std::array<Point, 4> corners(Size of) {
  const double right = of.width - 1;
  const double bottom = of.height - 1;
  return {Point{0, 0}, Point{right, 0}, Point{right, bottom}, Point{0, bottom}};
}

/// torchvision's RandomPerspective: where the corners go, each inwards by up to `distortion` times half the
/// side.
template <class Draws>
std::array<Point, 4> draw_corners(double distortion, Size of, Draws& draws) {
  const Size half{of.width / 2, of.height / 2};
  const int across = static_cast<int>(distortion * half.width) + 1;
  const int down = static_cast<int>(distortion * half.height) + 1;
  const auto at = [&draws](int first, int count) {
    return static_cast<double>(first + draw_below(count, draws));
  };
  std::array<Point, 4> ends;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    ends[i].x = at(i == 1 || i == 2 ? of.width - across : 0, across);
    ends[i].y = at(i >= 2 ? of.height - down : 0, down);
  }
  return ends;
}

}  // namespace headrace::image
