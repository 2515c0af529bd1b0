// SPDX-License-Identifier: Apache-2.0
//
// See resize.h.
#include "warp/resize.h"

#include <algorithm>

namespace headrace::image {
namespace {

/// A weight as a float, which is exact.
float weight_of(std::int32_t fixed) { return static_cast<float>(fixed) * (1.0F / (1 << kWeightBits)); }

AxisSpec axis_of(int in, int out, bool antialias) {
  return {in, 0, static_cast<float>(in), out, 0, out, false, antialias};
}

}  // namespace

void FloatResizer::resize(const PictureView<const float>& in, const Region& source, Filter filter,
                          bool antialias, const PictureView<float>& out) {
  columns_.build(filter, axis_of(source.width, out.size.width, antialias));
  rows_.build(filter, axis_of(source.height, out.size.height, antialias));
  const std::size_t step = in.column_step();
  const std::size_t line_length = static_cast<std::size_t>(out.size.width) * step;
  lines_.resize(static_cast<std::size_t>(rows_.end() - rows_.begin()) * line_length);
  const int planes = in.layout == PixelLayout::kChw ? in.channels : 1;
  for (int plane = 0; plane < planes; ++plane) {
    const float* first = in.data + static_cast<std::size_t>(plane) * in.channel_step() +
                         static_cast<std::size_t>(source.y) * in.row_step() +
                         static_cast<std::size_t>(source.x) * step;
    float* line = lines_.data();
    for (int y = rows_.begin(); y < rows_.end(); ++y, line += line_length)
      across(first + static_cast<std::size_t>(y) * in.row_step(), step, line);
    float* to = out.data + static_cast<std::size_t>(plane) * out.channel_step();
    for (int y = 0; y < out.size.height; ++y, to += line_length) down(line_length, y, to);
  }
}

void FloatResizer::across(const float* row, std::size_t step, float* line) const {
  for (int x = 0; x < columns_.count(); ++x, line += step) {
    const float* from = row + static_cast<std::size_t>(columns_.first(x)) * step;
    const std::int32_t* weights = columns_.weights(x);
    std::fill_n(line, step, 0.0F);
    for (int tap = 0; tap < columns_.length(x); ++tap, from += step) {
      const float weight = weight_of(weights[tap]);
      for (std::size_t c = 0; c < step; ++c) line[c] += from[c] * weight;
    }
  }
}

void FloatResizer::down(std::size_t line_length, int output, float* out) const {
  const float* line =
      lines_.data() + static_cast<std::size_t>(rows_.first(output) - rows_.begin()) * line_length;
  const std::int32_t* weights = rows_.weights(output);
  std::fill_n(out, line_length, 0.0F);
  for (int tap = 0; tap < rows_.length(output); ++tap, line += line_length) {
    const float weight = weight_of(weights[tap]);
    for (std::size_t i = 0; i < line_length; ++i) out[i] += line[i] * weight;
  }
}

}  // namespace headrace::image
