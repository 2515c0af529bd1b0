// SPDX-License-Identifier: Apache-2.0
//
// Where a warp takes each pixel of its result from: torchvision's matrices (transforms/v2/functional/
// _geometry.py), in double precision as there. Pure functions, called by the warping ops once a picture, on
// any thread.
#pragma once

#include <array>

#include "pixels/geometry.h"

namespace headrace::image {

struct Point {
  double x = 0;
  double y = 0;
  bool operator==(const Point&) const = default;
};

/// x' = m[0] x + m[1] y + m[2], y' = m[3] x + m[4] y + m[5].
using AffineMatrix = std::array<double, 6>;

/// torchvision's affine(): the picture is sheared, rotated clockwise, scaled, and then moved.
struct AffineRule {
  double angle = 0;  // degrees
  Point translate;   // pixels
  double scale = 1;  // above 0
  Point shear;       // degrees along x and y; neither may be an odd multiple of 90
  Point center;      // what stays in its place when nothing is moved; see the functions
  bool operator==(const AffineRule&) const = default;
};

/// _get_inverse_affine_matrix: from a position in the result to one in the picture. Positions, and
/// rule.center, are measured from the picture's middle.
AffineMatrix inverse_affine(const AffineRule& rule);
/// The other way, for boxes: from the picture to the result. Positions, and rule.center, are measured from
/// the upper left corner.
AffineMatrix forward_affine(const AffineRule& rule);

/// A centre in pixels from the upper left corner as inverse_affine() wants it.
Point from_middle(Point center, Size of);

/// _compute_affine_output_size: what holds all of a picture turned by that inverse_affine() matrix.
Size expanded(const AffineMatrix& inverse, Size of);

/// x' = (c[0] x + c[1] y + c[2]) / (c[6] x + c[7] y + 1), y' = (c[3] x + c[4] y + c[5]) / (same). Positions
/// are measured from the upper left corner.
using PerspectiveCoefficients = std::array<double, 8>;

/// _get_perspective_coeffs: from a position in the result to one in the picture, such that end[i] of the
/// result shows start[i] of the picture. False when the points allow none (three on a line).
bool perspective_coefficients(const std::array<Point, 4>& start, const std::array<Point, 4>& end,
                              PerspectiveCoefficients& coefficients);

}  // namespace headrace::image
