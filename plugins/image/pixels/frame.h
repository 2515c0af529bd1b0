// SPDX-License-Identifier: Apache-2.0
//
// A chain of crops, at most one resize, and flips, folded into one description of what becomes of a picture,
// so that a single pass over its rows can do it all. Filled by the ops' steps once a picture, carried out by
// the renderer. Plain values, any thread.
#pragma once

#include <array>

#include "pixels/geometry.h"
#include "pixels/taps.h"

namespace headrace::image {

class Frame {
 public:
  /// The picture as it is.
  explicit Frame(Size picture) : canvas_(whole(picture)), valid_(canvas_) {}

  /// What the chain so far gives.
  Size size() const { return canvas_.size(); }

  /// Keeps `part` of the present result; where it reaches beyond, black appears. [before any flip]
  void crop(const Region& part);
  /// Resamples the present result to `to`. [once, before any flip] Nothing happens when it has that size
  /// already.
  void resize(Size to, Filter filter, bool antialias);
  void flip() { mirrored_ = !mirrored_; }

  /// The picture comes smaller than it was thought to be: its pixel (x, y) is at (x, y) * factor + origin of
  /// one of size `shrunk`. [resampled, and source() lies inside the picture]
  void shrink_source(double factor, double origin_x, double origin_y, Size shrunk);

  /// A crop came before the resize, or without one; even one that took all.
  bool cropped() const { return cropped_; }
  bool resampled() const { return resampled_; }
  bool mirrored() const { return mirrored_; }
  Filter filter() const { return filter_; }
  bool antialias() const { return antialias_; }

  /// The part of the picture that is resampled, or that is the result where nothing is; pixels outside
  /// source_valid() are black.
  const Region& source() const { return resampled_ ? source_ : canvas_; }
  const Region& source_valid() const { return resampled_ ? source_valid_ : valid_; }
  /// [resampled] The stretch of source() that the target covers, x0, y0, x1, y1 in pixels from its corner:
  /// all of it, but for the fractions of a pixel that shrinking leaves.
  const std::array<float, 4>& source_box() const { return source_box_; }
  /// [resampled] The size of all of source() after resampling, and the part of that which is the result.
  Size target() const { return target_; }
  const Region& window() const { return canvas_; }
  const Region& window_valid() const { return valid_; }

 private:
  Region canvas_;
  Region valid_;
  bool cropped_ = false;
  bool resampled_ = false;
  bool mirrored_ = false;
  bool antialias_ = true;
  Filter filter_ = Filter::kBilinear;
  Region source_;
  Region source_valid_;
  std::array<float, 4> source_box_{};
  Size target_;
};

}  // namespace headrace::image
