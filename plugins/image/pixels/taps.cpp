// SPDX-License-Identifier: Apache-2.0
//
// Pillow's filters and the order in which it rounds, step by step in double precision: bit equality with it
// hangs on the exact expressions here, so this file must not be compiled with value-changing floating point
// options. See taps.h.
#include "pixels/taps.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace headrace::image {
namespace {

struct Box {
  static constexpr double kSupport = 0.5;
  static double at(double x) { return x > -0.5 && x <= 0.5 ? 1.0 : 0.0; }
};

struct Bilinear {
  static constexpr double kSupport = 1.0;
  static double at(double x) {
    x = std::fabs(x);
    return x < 1.0 ? 1.0 - x : 0.0;
  }
};

struct Hamming {
  static constexpr double kSupport = 1.0;
  static double at(double x) {
    x = std::fabs(x);
    if (x == 0.0) return 1.0;
    if (x >= 1.0) return 0.0;
    x *= std::numbers::pi;
    // The window's constants are single precision in Pillow, and so they must be here.
    return std::sin(x) / x * (static_cast<double>(0.54f) + static_cast<double>(0.46f) * std::cos(x));
  }
};

// Keys' cubic convolution with a = -0.5 (IEEE Trans. ASSP 29(6), 1981), in the nesting that Pillow evaluates.
struct Bicubic {
  static constexpr double kSupport = 2.0;
  static double at(double x) {
    constexpr double kA = -0.5;
    x = std::fabs(x);
    if (x < 1.0) return ((kA + 2.0) * x - (kA + 3.0)) * x * x + 1;
    if (x < 2.0) return (((x - 5) * x + 8) * x - 4) * kA;
    return 0.0;
  }
};

struct Lanczos {
  static constexpr double kSupport = 3.0;
  static double sinc(double x) {
    if (x == 0.0) return 1.0;
    x *= std::numbers::pi;
    return std::sin(x) / x;
  }
  static double at(double x) { return x >= -3.0 && x < 3.0 ? sinc(x) * sinc(x / 3) : 0.0; }
};

std::int32_t fixed(double weight) {
  const double scaled = weight * (1 << kWeightBits);
  return static_cast<std::int32_t>(weight < 0 ? -0.5 + scaled : 0.5 + scaled);
}

int output_at(const AxisSpec& axis, int index) {
  return axis.out_first + (axis.mirrored ? axis.out_count - 1 - index : index);
}

// Pillow's own rounding: towards zero after adding a half.
int rounded(double position) {
  // NOLINTNEXTLINE(bugprone-incorrect-roundings): it must round as Pillow does
  return static_cast<int>(position + 0.5);
}

/// `weights` has room for every input in reach. Gives the first input; `length` their number.
template <class Shape>
int weigh(const AxisSpec& axis, double scale, double reach, double shrink, int output, double* weights,
          int& length) {
  const double center = static_cast<double>(axis.box_start) + (output + 0.5) * scale;
  const int first = std::clamp(rounded(center - reach), 0, axis.in_size - 1);
  length = std::max(1, std::min(axis.in_size, rounded(center + reach)) - first);
  double sum = 0.0;
  for (int i = 0; i < length; ++i) {
    weights[i] = Shape::at((i + first - center + 0.5) * shrink);
    sum += weights[i];
  }
  if (sum != 0.0) {
    for (int i = 0; i < length; ++i) weights[i] /= sum;
  }
  return first;
}

}  // namespace

void Taps::build(Filter filter, const AxisSpec& axis) {
  const auto outputs = static_cast<std::size_t>(axis.out_count);
  first_.resize(outputs);
  length_.resize(outputs);
  if (filter == Filter::kNearest) {
    build_nearest(axis);
  } else {
    build_weighted(filter, axis);
  }
  summarize();
}

// Pillow steps through the picture by repeated addition, whose rounding decides at exact halves.
void Taps::build_nearest(const AxisSpec& axis) {
  stride_ = 1;
  weights_.assign(first_.size(), 1 << kWeightBits);
  const double step = static_cast<double>(axis.box_end - axis.box_start) / axis.out_size;
  double position = static_cast<double>(axis.box_start) + step * 0.5;
  for (int output = 0; output < axis.out_first; ++output) position += step;
  for (int wanted = 0; wanted < axis.out_count; ++wanted) {
    const auto index = static_cast<std::size_t>(axis.mirrored ? axis.out_count - 1 - wanted : wanted);
    first_[index] = std::clamp(static_cast<int>(position), 0, axis.in_size - 1);
    length_[index] = 1;
    position += step;
  }
}

void Taps::build_weighted(Filter filter, const AxisSpec& axis) {
  const double scale = static_cast<double>(axis.box_end - axis.box_start) / axis.out_size;
  const double stretch = axis.antialias ? std::max(scale, 1.0) : 1.0;
  const double shrink = 1.0 / stretch;
  const auto weigh_by = [&]<class Shape>(Shape) {
    const double reach = Shape::kSupport * stretch;
    stride_ = static_cast<std::size_t>(std::ceil(reach)) * 2 + 1;
    exact_.resize(stride_);
    weights_.assign(stride_ * first_.size(), 0);
    for (int index = 0; index < axis.out_count; ++index) {
      const auto at = static_cast<std::size_t>(index);
      first_[at] =
          weigh<Shape>(axis, scale, reach, shrink, output_at(axis, index), exact_.data(), length_[at]);
      std::int32_t* weights = weights_.data() + at * stride_;
      for (int i = 0; i < length_[at]; ++i) weights[i] = fixed(exact_[static_cast<std::size_t>(i)]);
    }
  };
  switch (filter) {
    case Filter::kNearest:
      break;
    case Filter::kBox:
      return weigh_by(Box{});
    case Filter::kBilinear:
      return weigh_by(Bilinear{});
    case Filter::kHamming:
      return weigh_by(Hamming{});
    case Filter::kBicubic:
      return weigh_by(Bicubic{});
    case Filter::kLanczos:
      return weigh_by(Lanczos{});
  }
}

void Taps::summarize() {
  for (std::size_t i = first_.size(); i-- > 0;) trim(i, i + 1 < first_.size() ? first_[i + 1] : first_[i]);
  longest_ = 0;
  begin_ = first_[0];
  end_ = first_[0];
  is_copy_ = true;
  for (std::size_t i = 0; i < first_.size(); ++i) {
    longest_ = std::max(longest_, length_[i]);
    begin_ = std::min(begin_, first_[i]);
    end_ = std::max(end_, first_[i] + length_[i]);
    const bool lone = length_[i] == 1 && weights_[i * stride_] == 1 << kWeightBits;
    is_copy_ = is_copy_ && lone && first_[i] == first_[0] + static_cast<int>(i);
  }
}

// Weights that round to nothing at either end only cost reads. The first inputs must stay in order of the
// outputs, though: whoever streams drops what lies before the first of the output that is due.
void Taps::trim(std::size_t output, int latest_first) {
  std::int32_t* weights = weights_.data() + output * stride_;
  int& length = length_[output];
  while (length > 1 && weights[length - 1] == 0) --length;
  int skip = 0;
  while (skip + 1 < length && weights[skip] == 0 && first_[output] + skip < latest_first) ++skip;
  if (skip == 0) return;
  std::copy(weights + skip, weights + length, weights);
  std::fill(weights + length - skip, weights + length, 0);
  first_[output] += skip;
  length -= skip;
}

}  // namespace headrace::image
