// SPDX-License-Identifier: Apache-2.0
//
// See matrix.h.
#include "warp/matrix.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace headrace::image {
namespace {

double radians(double degrees) { return degrees * (std::numbers::pi / 180.0); }

/// Rotation, shear along y, shear along x, as one matrix [a b; c d] of determinant 1.
struct Turn {
  explicit Turn(const AffineRule& rule) {
    const double angle = radians(rule.angle);
    const double shear_y = radians(rule.shear.y);
    const double tangent = std::tan(radians(rule.shear.x));
    a = std::cos(angle - shear_y) / std::cos(shear_y);
    b = -(a * tangent + std::sin(angle));
    c = std::sin(angle - shear_y) / std::cos(shear_y);
    d = std::cos(angle) - c * tangent;
  }
  double a;
  double b;
  double c;
  double d;
};

}  // namespace

AffineMatrix inverse_affine(const AffineRule& rule) {
  const Turn turn(rule);
  const double x = rule.center.x + rule.translate.x;
  const double y = rule.center.y + rule.translate.y;
  AffineMatrix m{turn.d / rule.scale, -turn.b / rule.scale, 0, -turn.c / rule.scale, turn.a / rule.scale, 0};
  m[2] = rule.center.x - m[0] * x - m[1] * y;
  m[5] = rule.center.y - m[3] * x - m[4] * y;
  return m;
}

AffineMatrix forward_affine(const AffineRule& rule) {
  const Turn turn(rule);
  AffineMatrix m{turn.a * rule.scale, turn.b * rule.scale, 0, turn.c * rule.scale, turn.d * rule.scale, 0};
  m[2] = rule.center.x + rule.translate.x - m[0] * rule.center.x - m[1] * rule.center.y;
  m[5] = rule.center.y + rule.translate.y - m[3] * rule.center.x - m[4] * rule.center.y;
  return m;
}

Point from_middle(Point center, Size of) { return {center.x - of.width * 0.5, center.y - of.height * 0.5}; }

Size expanded(const AffineMatrix& inverse, Size of) {
  const float half_width = 0.5F * static_cast<float>(of.width);
  const float half_height = 0.5F * static_cast<float>(of.height);
  // torchvision's tolerance, in its single precision, is what decides about a corner next to a whole number.
  constexpr float kTolerance = 1e-4F;
  constexpr float kPerTolerance = 1e4F;
  const auto side = [&](std::size_t row, float half) {
    const auto m = [&](std::size_t i) { return static_cast<float>(inverse[row * 3 + i]); };
    float least = INFINITY;
    float most = -INFINITY;
    for (const float x : {-half_width, half_width}) {
      for (const float y : {-half_height, half_height}) {
        const float at = x * m(0) + y * m(1) + m(2);
        least = std::min(least, at);
        most = std::max(most, at);
      }
    }
    const auto cut = [](float value) { return std::trunc(value * kPerTolerance) * kTolerance; };
    return static_cast<int>(std::ceil(cut(most + half)) - std::floor(cut(least + half)));
  };
  return {side(0, half_width), side(1, half_height)};
}

bool perspective_coefficients(const std::array<Point, 4>& start, const std::array<Point, 4>& end,
                              PerspectiveCoefficients& coefficients) {
  double rows[8][9] = {};
  for (std::size_t i = 0; i < 4; ++i) {
    const Point from = end[i];
    const Point to = start[i];
    const double x_row[9] = {from.x, from.y, 1, 0, 0, 0, -to.x * from.x, -to.x * from.y, to.x};
    const double y_row[9] = {0, 0, 0, from.x, from.y, 1, -to.y * from.x, -to.y * from.y, to.y};
    std::copy(std::begin(x_row), std::end(x_row), rows[2 * i]);
    std::copy(std::begin(y_row), std::end(y_row), rows[2 * i + 1]);
  }
  for (std::size_t column = 0; column < 8; ++column) {
    std::size_t pivot = column;
    for (std::size_t row = column + 1; row < 8; ++row) {
      if (std::fabs(rows[row][column]) > std::fabs(rows[pivot][column])) pivot = row;
    }
    // Entries are products of pixel positions: what is left of them here is rounding.
    if (std::fabs(rows[pivot][column]) < 1e-9) return false;
    std::swap(rows[pivot], rows[column]);
    for (std::size_t row = 0; row < 8; ++row) {
      if (row == column) continue;
      const double factor = rows[row][column] / rows[column][column];
      for (std::size_t i = column; i < 9; ++i) rows[row][i] -= factor * rows[column][i];
    }
  }
  for (std::size_t i = 0; i < 8; ++i) coefficients[i] = rows[i][8] / rows[i][i];
  return true;
}

}  // namespace headrace::image
