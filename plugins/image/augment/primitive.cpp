// SPDX-License-Identifier: Apache-2.0
//
// See primitive.h.
#include "augment/primitive.h"

#include <cmath>
#include <cstring>
#include <numbers>

#include "color/adjust.h"
#include "color/levels.h"

namespace headrace::image {
namespace {

double degrees_of_slope(double slope) { return std::atan(slope) * 180.0 / std::numbers::pi; }

AffineRule rule_of(const Change& change, Size size) {
  AffineRule rule;
  switch (change.primitive) {
    case Primitive::kShearX:
      rule.shear.x = degrees_of_slope(change.magnitude);
      rule.center = from_middle({0, 0}, size);
      break;
    case Primitive::kShearY:
      rule.shear.y = degrees_of_slope(change.magnitude);
      rule.center = from_middle({0, 0}, size);
      break;
    case Primitive::kTranslateX:
      rule.translate.x = std::trunc(change.magnitude);
      break;
    case Primitive::kTranslateY:
      rule.translate.y = std::trunc(change.magnitude);
      break;
    default:
      rule.angle = -change.magnitude;
      break;
  }
  return rule;
}

void warp(const Change& change, const Warping& warping, const PictureShape& shape, const void* in,
          void* out) {
  const AffineMatrix inverse = inverse_affine(rule_of(change, shape.size));
  with_elements(shape, in, out, [&]<class T>(const T* from, T* to) {
    const PictureView<const T> source{from, shape.size, shape.channels, shape.layout};
    const PictureView<T> target{to, shape.size, shape.channels, shape.layout};
    warp_affine(source, inverse, warping.sampling, warping.fill, target);
  });
}

}  // namespace

bool moves_pixels(Primitive primitive) {
  return primitive >= Primitive::kShearX && primitive <= Primitive::kRotate;
}

void apply_change(const Change& change, const Warping& warping, const PictureShape& shape, const void* in,
                  void* out, RowFilter& filter) {
  const double factor = 1.0 + change.magnitude;
  switch (change.primitive) {
    case Primitive::kIdentity:
      if (in != out) std::memcpy(out, in, shape.bytes());
      return;
    case Primitive::kShearX:
    case Primitive::kShearY:
    case Primitive::kTranslateX:
    case Primitive::kTranslateY:
    case Primitive::kRotate:
      return warp(change, warping, shape, in, out);
    case Primitive::kBrightness:
      return adjust_brightness(shape, in, out, factor);
    case Primitive::kColor:
      return adjust_saturation(shape, in, out, factor);
    case Primitive::kContrast:
      return adjust_contrast(shape, in, out, factor);
    case Primitive::kSharpness:
      return filter.adjust_sharpness(shape, in, out, factor);
    case Primitive::kPosterize:
      return posterize(shape, in, out, static_cast<int>(change.magnitude));
    case Primitive::kSolarize:
      return solarize(shape, in, out, change.magnitude * (shape.type == PixelType::kUint8 ? 255.0 : 1.0));
    case Primitive::kAutoContrast:
      return autocontrast(shape, in, out);
    case Primitive::kEqualize:
      return equalize(shape, in, out);
    case Primitive::kInvert:
      return invert(shape, in, out);
  }
}

}  // namespace headrace::image
