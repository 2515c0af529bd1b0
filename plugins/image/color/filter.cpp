// SPDX-License-Identifier: Apache-2.0
//
// See filter.h.
#include "color/filter.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "color/filter_kernels.h"

namespace headrace::image {
namespace {

/// Rows whose values at `step` apart are neighbours: all of an interleaved picture, or one plane.
struct Run {
  Run(const PictureShape& shape)
      : height(shape.size.height),
        step(shape.step()),
        width(static_cast<std::size_t>(shape.size.width) * step),
        count(shape.is_interleaved() ? 1 : shape.channels) {}
  std::size_t elements() const { return width * static_cast<std::size_t>(height); }

  int height;
  std::size_t step;
  std::size_t width;
  int count;
};

void grow(std::vector<float>& to, std::size_t size) {
  if (to.size() < size + kFilterSlack) to.resize(size + kFilterSlack);
}

/// torchvision's _get_gaussian_kernel1d: samples of the density, made to sum up to 1.
void gaussian_weights(int kernel, double sigma, std::vector<float>& weights) {
  const int radius = kernel / 2;
  weights.clear();
  double sum = 0;
  for (int d = 0; d <= radius; ++d) {
    const double density = std::exp(-0.5 * (d / sigma) * (d / sigma));
    weights.push_back(static_cast<float>(density));
    sum += d == 0 ? density : 2 * density;
  }
  for (float& weight : weights) weight = static_cast<float>(static_cast<double>(weight) / sum);
}

/// The row or column that stands for one beyond the edge, which is not repeated.
int reflected(int at, int size) {
  if (at < 0) return -at;
  return at < size ? at : 2 * size - 2 - at;
}

void to_floats(const std::uint8_t* in, std::size_t count, float* out) { widen(in, count, out); }
void to_floats(const float* in, std::size_t count, float* out) {
  std::memcpy(out, in, count * sizeof(float));
}

}  // namespace

template <class T>
void RowFilter::blur_run(const PictureShape& shape, const T* in, T* out) {
  const Run run(shape);
  const auto radius_x = static_cast<int>(weights_x_.size()) - 1;
  const auto radius_y = static_cast<int>(weights_y_.size()) - 1;
  const std::size_t margin = static_cast<std::size_t>(radius_x) * run.step;
  const int ring_rows = 2 * radius_y + 1;
  const std::size_t ring_width = run.width + kFilterSlack;
  grow(padded_, run.width + 2 * margin);
  grow(ring_, ring_width * static_cast<std::size_t>(ring_rows));
  taps_.resize(2 * static_cast<std::size_t>(std::max(radius_x, radius_y)) + 1);
  const auto ring_row = [&](int y) {
    return ring_.data() + static_cast<std::size_t>(y % ring_rows) * ring_width;
  };
  const auto filter_x = [&](int y) {
    float* row = padded_.data() + margin;
    to_floats(in + static_cast<std::size_t>(y) * run.width, run.width, row);
    for (int x = 1; x <= radius_x; ++x) {
      const std::size_t at = static_cast<std::size_t>(x) * run.step;
      std::copy_n(row + at, run.step, row - at);
      std::copy_n(row + run.width - run.step - at, run.step, row + run.width - run.step + at);
    }
    taps_[0] = row;
    for (int d = 1; d <= radius_x; ++d) {
      taps_[2 * static_cast<std::size_t>(d) - 1] = row - static_cast<std::size_t>(d) * run.step;
      taps_[2 * static_cast<std::size_t>(d)] = row + static_cast<std::size_t>(d) * run.step;
    }
    weigh(taps_.data(), weights_x_.data(), radius_x, run.width, ring_row(y));
  };
  int filtered = 0;
  for (int y = 0; y < run.height; ++y) {
    for (; filtered < std::min(run.height, y + radius_y + 1); ++filtered) filter_x(filtered);
    taps_[0] = ring_row(y);
    for (int d = 1; d <= radius_y; ++d) {
      taps_[2 * static_cast<std::size_t>(d) - 1] = ring_row(reflected(y - d, run.height));
      taps_[2 * static_cast<std::size_t>(d)] = ring_row(reflected(y + d, run.height));
    }
    weigh(taps_.data(), weights_y_.data(), radius_y, run.width,
          out + static_cast<std::size_t>(y) * run.width);
  }
}

void RowFilter::gaussian_blur(const PictureShape& shape, const void* in, void* out, int kernel_width,
                              int kernel_height, double sigma_x, double sigma_y) {
  gaussian_weights(kernel_width, sigma_x, weights_x_);
  gaussian_weights(kernel_height, sigma_y, weights_y_);
  const Run run(shape);
  with_elements(shape, in, out, [&](const auto* from, auto* to) {
    for (int i = 0; i < run.count; ++i, from += run.elements(), to += run.elements())
      blur_run(shape, from, to);
  });
}

template <class T>
void RowFilter::sharpen_run(const PictureShape& shape, const T* in, T* out, float factor) {
  const Run run(shape);
  grow(row_, run.width);
  grow(sums_, run.width);
  const auto copy = [&](std::size_t from, std::size_t count) {
    if (in != out) std::memcpy(out + from, in + from, count * sizeof(T));
  };
  to_floats(in, run.width, row_.data());
  copy(0, run.width);
  for (int y = 1; y + 1 < run.height; ++y) {
    const std::size_t at = static_cast<std::size_t>(y) * run.width;
    sum_rows(row_.data(), in + at, in + at + run.width, run.width, sums_.data());
    copy(at, run.step);
    copy(at + run.width - run.step, run.step);
    sharpen(row_.data(), sums_.data(), run.step, run.width, factor, out + at);
  }
  copy(run.elements() - run.width, run.width);
}

void RowFilter::adjust_sharpness(const PictureShape& shape, const void* in, void* out, double factor) {
  if (shape.size.width < 3 || shape.size.height < 3) {
    if (in != out) std::memcpy(out, in, shape.bytes());
    return;
  }
  const Run run(shape);
  with_elements(shape, in, out, [&](const auto* from, auto* to) {
    for (int i = 0; i < run.count; ++i, from += run.elements(), to += run.elements())
      sharpen_run(shape, from, to, static_cast<float>(factor));
  });
}

}  // namespace headrace::image
