// SPDX-License-Identifier: Apache-2.0
//
// Resizing of floats, by the filters and weights that the resampler has for bytes (taps.h), summed in single
// precision, across and then down. Used by the resizing ops. One object a worker; it keeps its buffers.
#pragma once

#include <vector>

#include "pixels/taps.h"
#include "warp/view.h"

namespace headrace::image {

class FloatResizer {
 public:
  /// `source`, which lies inside `in`, becomes all of `out`; nothing outside `source` counts. Same layout and
  /// number of channels, sizes at least 1, memory apart.
  void resize(const PictureView<const float>& in, const Region& source, Filter filter, bool antialias,
              const PictureView<float>& out);

 private:
  void across(const float* row, std::size_t step, float* line) const;
  void down(std::size_t line_length, int output, float* out) const;

  Taps columns_;
  Taps rows_;
  std::vector<float> lines_;  // the rows that rows_ reads, resized across
};

}  // namespace headrace::image
