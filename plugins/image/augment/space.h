// SPDX-License-Identifier: Apache-2.0
//
// How strong a policy's primitives can be: a scale of bins for each, by torchvision's tables (transforms/v2/
// _auto_augment.py), in single precision as there. Pure functions, called by policy.cpp, on any thread.
#pragma once

#include "augment/primitive.h"

namespace headrace::image {

/// The strongest of each scale.
struct Space {
  float shear = 0.3F;
  double translate_sides = 0;  // in sides of the picture ...
  float translate_pixels = 0;  // ... or in pixels
  float rotate = 30;
  float blend = 0.9F;  // brightness, color, contrast, sharpness
  int posterize_from = 8;
  int posterize_span = 4;
};

/// E. D. Cubuk et al., AutoAugment (2019), and RandAugment (2020).
inline constexpr Space kAutoAugmentSpace{.translate_sides = 150.0 / 331.0};
/// S. G. Mueller and F. Hutter, TrivialAugment (2021), the wide space.
inline constexpr Space kTrivialAugmentSpace{
    .shear = 0.99F, .translate_pixels = 32, .rotate = 135, .blend = 0.99F, .posterize_span = 6};
/// D. Hendrycks et al., AugMix (2020).
inline constexpr Space kAugMixSpace{.translate_sides = 1.0 / 3.0, .posterize_from = 4};

/// Does the primitive have a strength at all, and is the other direction as likely?
bool has_magnitude(Primitive primitive);
bool has_sign(Primitive primitive);

/// The strength at `bin` (0 .. bins - 1) of a scale of `bins` >= 2, for a picture of that size.
double magnitude_at(const Space& space, Primitive primitive, int bin, int bins, Size size);

}  // namespace headrace::image
