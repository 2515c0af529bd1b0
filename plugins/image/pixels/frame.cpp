// SPDX-License-Identifier: Apache-2.0
//
// See frame.h.
#include "pixels/frame.h"

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
  target_ = to;
  canvas_ = whole(to);
  valid_ = canvas_;
}

}  // namespace headrace::image
