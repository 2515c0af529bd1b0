// SPDX-License-Identifier: Apache-2.0
//
// See space.h.
#include "augment/space.h"

#include <cmath>

namespace headrace::image {
namespace {

/// torch.linspace: from both ends, so that neither is missed, each sum rounded once.
float linspace(float from, float to, int at, int count) {
  const float step = (to - from) / static_cast<float>(count - 1);
  if (at < count / 2) return std::fma(step, static_cast<float>(at), from);
  return std::fma(-step, static_cast<float>(count - 1 - at), to);
}

float furthest(const Space& space, int side) {
  return space.translate_sides > 0 ? static_cast<float>(space.translate_sides * side)
                                   : space.translate_pixels;
}

float strongest(const Space& space, Primitive primitive, Size size) {
  switch (primitive) {
    case Primitive::kShearX:
    case Primitive::kShearY:
      return space.shear;
    case Primitive::kTranslateX:
      return furthest(space, size.width);
    case Primitive::kTranslateY:
      return furthest(space, size.height);
    case Primitive::kRotate:
      return space.rotate;
    default:
      return space.blend;
  }
}

}  // namespace

bool has_magnitude(Primitive primitive) {
  return primitive >= Primitive::kShearX && primitive <= Primitive::kSolarize;
}

bool has_sign(Primitive primitive) {
  return primitive >= Primitive::kShearX && primitive <= Primitive::kSharpness;
}

double magnitude_at(const Space& space, Primitive primitive, int bin, int bins, Size size) {
  if (!has_magnitude(primitive)) return 0;
  if (primitive == Primitive::kSolarize) return static_cast<double>(linspace(1, 0, bin, bins));
  if (primitive == Primitive::kPosterize) {
    const auto bins_a_bit = static_cast<float>(static_cast<double>(bins - 1) / space.posterize_span);
    const float bits = static_cast<float>(space.posterize_from) - static_cast<float>(bin) / bins_a_bit;
    return static_cast<double>(std::nearbyint(bits));
  }
  return static_cast<double>(linspace(0, strongest(space, primitive, size), bin, bins));
}

}  // namespace headrace::image
