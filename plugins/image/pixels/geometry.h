// SPDX-License-Identifier: Apache-2.0
//
// Which part of a picture an operation takes and how large its result is: torchvision's rules, in plain
// integers. Pure functions, called by the image ops once a picture, on any thread.
#pragma once

#include <cstdint>

#include "pixels/verdict.h"

namespace headrace::image {

struct Size {
  int width = 0;
  int height = 0;
  bool operator==(const Size&) const = default;
};

/// Pixels x .. x+width-1, y .. y+height-1. May reach beyond the picture that it is a part of; what lies there
/// is black.
struct Region {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
  bool operator==(const Region&) const = default;

  Size size() const { return {width, height}; }
  bool empty() const { return width <= 0 || height <= 0; }
};

Region whole(Size size);
Region intersection(const Region& a, const Region& b);
/// `part` is given relative to `of`; comes back in the coordinates of `of`'s own picture.
Region within(const Region& of, const Region& part);

/// Longest side that any picture or result may have.
inline constexpr int kMaxSide = 1 << 20;

/// The `size` and `max_size` of torchvision's resize. One number: the shorter side gets it and the aspect
/// ratio stays, unless the longer side would pass max_size. Two: exactly height and width. None: the longer
/// side gets max_size.
struct ResizeRule {
  int height = 0;    // 0: only max_size counts
  int width = 0;     // 0: `height` is for the shorter side
  int max_size = 0;  // 0: none; not with two numbers; with one, greater than it
};

/// torchvision.transforms.functional._compute_resized_output_size. Refuses a result with a side of 0 or above
/// kMaxSide.
Verdict resized(const ResizeRule& rule, Size from, Size& to);

/// torchvision's center_crop: even a picture smaller than the crop gives all of it, padded with black.
Region center_crop(Size of, Size crop);

/// torchvision.transforms.RandomResizedCrop.get_params: ten tries at an area of `scale` times the picture's
/// and an aspect ratio drawn evenly on a log scale from `ratio`; then a centre crop of the nearest allowed
/// ratio. 0 < scale[0] <= scale[1], 0 < ratio[0] <= ratio[1].
struct RandomCropRule {
  double scale[2] = {0.08, 1.0};
  double ratio[2] = {3.0 / 4.0, 4.0 / 3.0};
};

namespace detail {
bool crop_candidate(const RandomCropRule& rule, Size of, double area_draw, double ratio_draw, Size& crop);
Region crop_at(Size of, Size crop, double y_draw, double x_draw);
Region fallback_crop(const RandomCropRule& rule, Size of);
}  // namespace detail

/// `uniform()` gives independent doubles in [0, 1). Draws per try: area, ratio and, for the one that fits,
/// row and column.
template <class Uniform>
Region random_resized_crop(const RandomCropRule& rule, Size of, Uniform&& uniform) {
  for (int attempt = 0; attempt < 10; ++attempt) {
    const double area_draw = uniform();
    const double ratio_draw = uniform();
    Size crop;
    if (detail::crop_candidate(rule, of, area_draw, ratio_draw, crop)) {
      const double y_draw = uniform();
      const double x_draw = uniform();
      return detail::crop_at(of, crop, y_draw, x_draw);
    }
  }
  return detail::fallback_crop(rule, of);
}

}  // namespace headrace::image
