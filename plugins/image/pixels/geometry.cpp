// SPDX-License-Identifier: Apache-2.0
//
// torchvision's size and crop arithmetic. See geometry.h.
#include "pixels/geometry.h"

#include <algorithm>
#include <cmath>

namespace headrace::image {
namespace {

// Python's round(): ties go to the even neighbour, as nearbyint does in the default rounding mode.
int python_round(double value) { return static_cast<int>(std::nearbyint(value)); }

struct Axis {
  int start;
  int length;
};

Axis center(int length, int crop) {
  const int before = crop > length ? (crop - length) / 2 : 0;
  const int padded = std::max(length, crop);
  return {python_round((padded - crop) / 2.0) - before, crop};
}

}  // namespace

Region whole(Size size) { return {0, 0, size.width, size.height}; }

Region intersection(const Region& a, const Region& b) {
  const int x0 = std::max(a.x, b.x);
  const int y0 = std::max(a.y, b.y);
  const int x1 = std::min(a.x + a.width, b.x + b.width);
  const int y1 = std::min(a.y + a.height, b.y + b.height);
  return {x0, y0, std::max(0, x1 - x0), std::max(0, y1 - y0)};
}

Region within(const Region& of, const Region& part) {
  return {of.x + part.x, of.y + part.y, part.width, part.height};
}

Verdict resized(const ResizeRule& rule, Size from, Size& to) {
  double width = rule.width;
  double height = rule.height;
  if (rule.width == 0) {
    const bool upright = from.width <= from.height;
    const double shorter = upright ? from.width : from.height;
    const double longer = upright ? from.height : from.width;
    double new_short = rule.height;
    double new_long = std::trunc(new_short * longer / shorter);
    if (rule.height == 0) {
      new_short = std::trunc(rule.max_size * shorter / longer);
      new_long = rule.max_size;
    } else if (rule.max_size > 0 && new_long > rule.max_size) {
      new_short = std::trunc(rule.max_size * new_short / new_long);
      new_long = rule.max_size;
    }
    width = upright ? new_short : new_long;
    height = upright ? new_long : new_short;
  }
  if (width < 1 || height < 1) {
    return Verdict::refuse(Verdict::Kind::kInvalid, "resizing %d x %d pixels would leave a side of 0",
                           from.width, from.height);
  }
  if (width > kMaxSide || height > kMaxSide) {
    return Verdict::refuse(Verdict::Kind::kTooLarge, "resizing %d x %d pixels would give %.0f x %.0f",
                           from.width, from.height, width, height);
  }
  to = {static_cast<int>(width), static_cast<int>(height)};
  return {};
}

Region center_crop(Size of, Size crop) {
  const Axis x = center(of.width, crop.width);
  const Axis y = center(of.height, crop.height);
  return {x.start, y.start, x.length, y.length};
}

namespace detail {

bool crop_candidate(const RandomCropRule& rule, Size of, double area_draw, double ratio_draw, Size& crop) {
  const double area = static_cast<double>(of.width) * of.height *
                      (rule.scale[0] + area_draw * (rule.scale[1] - rule.scale[0]));
  const double log_low = std::log(rule.ratio[0]);
  const double log_high = std::log(rule.ratio[1]);
  const double ratio = std::exp(log_low + ratio_draw * (log_high - log_low));
  const double width = std::nearbyint(std::sqrt(area * ratio));
  const double height = std::nearbyint(std::sqrt(area / ratio));
  if (!(width > 0 && width <= of.width && height > 0 && height <= of.height)) return false;
  crop = {static_cast<int>(width), static_cast<int>(height)};
  return true;
}

Region crop_at(Size of, Size crop, double y_draw, double x_draw) {
  const int rows = of.height - crop.height + 1;
  const int columns = of.width - crop.width + 1;
  const int y = std::min(rows - 1, static_cast<int>(y_draw * rows));
  const int x = std::min(columns - 1, static_cast<int>(x_draw * columns));
  return {x, y, crop.width, crop.height};
}

Region fallback_crop(const RandomCropRule& rule, Size of) {
  const double ratio = static_cast<double>(of.width) / of.height;
  Size crop = of;
  if (ratio < rule.ratio[0]) {
    crop.height = python_round(of.width / rule.ratio[0]);
  } else if (ratio > rule.ratio[1]) {
    crop.width = python_round(of.height * rule.ratio[1]);
  }
  crop.width = std::clamp(crop.width, 1, of.width);
  crop.height = std::clamp(crop.height, 1, of.height);
  return {(of.width - crop.width) / 2, (of.height - crop.height) / 2, crop.width, crop.height};
}

}  // namespace detail
}  // namespace headrace::image
