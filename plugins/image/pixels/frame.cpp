// SPDX-License-Identifier: Apache-2.0
//
// See frame.h.
#include "pixels/frame.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace headrace::image {

void Frame::crop(const Region& part) {
  cropped_ = cropped_ || !resampled_;
  canvas_ = within(canvas_, part);
  // A pixel that an earlier crop cut away stays away, even if a later crop is larger.
  valid_ = intersection(valid_, canvas_);
}

void Frame::resize(Size to, Filter filter, bool antialias) {
  if (to == size()) return;
  resampled_ = true;
  filter_ = filter;
  antialias_ = antialias;
  source_ = canvas_;
  source_valid_ = valid_;
  source_box_ = {0, 0, static_cast<float>(source_.width), static_cast<float>(source_.height)};
  target_ = to;
  canvas_ = whole(to);
  valid_ = canvas_;
}

void Frame::shrink_source(double factor, double origin_x, double origin_y, Size shrunk) {
  const auto stretch = [factor](int first, int count, double origin, int size) {
    const double begin = std::clamp(first * factor + origin, 0.0, static_cast<double>(size));
    const double end = std::clamp((first + count) * factor + origin, begin, static_cast<double>(size));
    return std::pair(begin, end);
  };
  const auto [left, right] = stretch(source_.x, source_.width, origin_x, shrunk.width);
  const auto [top, bottom] = stretch(source_.y, source_.height, origin_y, shrunk.height);
  const int x = static_cast<int>(left);
  const int y = static_cast<int>(top);
  source_ = {x, y, static_cast<int>(std::ceil(right)) - x, static_cast<int>(std::ceil(bottom)) - y};
  source_valid_ = source_;
  source_box_ = {static_cast<float>(left - x), static_cast<float>(top - y), static_cast<float>(right - x),
                 static_cast<float>(bottom - y)};
}

}  // namespace headrace::image
