// SPDX-License-Identifier: Apache-2.0
//
// How the rows of a batch are mixed, each with the one before it and the first with the last, as
// torchvision's MixUp and CutMix do (transforms/v2/_augment.py). Pure functions, used by mix_ops.h on any
// thread; all work in the batch's own memory and allocate nothing.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

namespace headrace::batch {

/// A stretch of `bytes` at the same place of each of `rows` rows, row_bytes apart.
struct RowStretch {
  std::byte* first = nullptr;
  std::size_t rows = 0;
  std::size_t row_bytes = 0;
  std::size_t bytes = 0;
};

/// Each row's stretch becomes the row's before it.
void roll(const RowStretch& stretch);
/// Each row's stretch of floats becomes lambda of its own and 1 - lambda of the row's before it, in single
/// precision: (1 - lambda) b rounded, plus lambda a rounded, rounded.
void blend(const RowStretch& stretch, double lambda);

/// Columns x0 .. x1 - 1, rows y0 .. y1 - 1 of a picture.
struct CutBox {
  int x0 = 0;
  int y0 = 0;
  int x1 = 0;
  int y1 = 0;
  bool operator==(const CutBox&) const = default;
};

/// The box around (x, y) whose area is 1 - lambda of the picture's, cut off at its sides.
CutBox cut_box(int width, int height, double lambda, int x, int y);
/// The part of the picture that the box leaves.
double part_left(int width, int height, const CutBox& box);

/// The logarithm of a number of the gamma distribution of that shape, above 0 (G. Marsaglia and W. Tsang, "A
/// simple method for generating gamma variables", 2000). `draws.uniform()` gives numbers in [0, 1).
template <class Draws>
double draw_log_gamma(double shape, Draws& draws) {
  const auto above_zero = [&draws] { return 1 - static_cast<double>(draws.uniform()); };
  // A shape below 1 is drawn as one higher, and brought down.
  const double lowered = shape < 1 ? std::log(above_zero()) / shape : 0;
  const double d = (shape < 1 ? shape + 1 : shape) - 1.0 / 3.0;
  const double c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double radius = std::sqrt(-2 * std::log(above_zero()));
    const double normal = radius * std::cos(2 * std::numbers::pi * above_zero());
    const double root = 1 + c * normal;
    if (root <= 0) continue;
    const double v = root * root * root;
    if (std::log(above_zero()) < 0.5 * normal * normal + d - d * v + d * std::log(v))
      return std::log(d * v) + lowered;
  }
}

/// A number of the distribution Beta(alpha, alpha), alpha above 0.
template <class Draws>
double draw_beta(double alpha, Draws& draws) {
  // Long before this least one every number is 0 or 1; below it the logarithms would overflow.
  const double shape = std::max(alpha, 1e-300);
  const double a = draw_log_gamma(shape, draws);
  const double b = draw_log_gamma(shape, draws);
  // By logarithms: for a small alpha both would round to 0.
  return 1 / (1 + std::exp(b - a));
}

}  // namespace headrace::batch
