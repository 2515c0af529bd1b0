// SPDX-License-Identifier: Apache-2.0
//
// What the augmentation policies choose among: fifteen changes of a picture, each of a strength. As
// torchvision.transforms.v2's AutoAugment and its kin do them on tensors. Pure functions, called by the
// policy ops, on any thread.
#pragma once

#include "color/filter.h"
#include "color/shape.h"
#include "warp/sample.h"

namespace headrace::image {

enum class Primitive : std::uint8_t {
  kIdentity,
  kShearX,
  kShearY,
  kTranslateX,
  kTranslateY,
  kRotate,
  kBrightness,
  kColor,
  kContrast,
  kSharpness,
  kPosterize,
  kSolarize,
  kAutoContrast,
  kEqualize,
  kInvert,
};

/// One primitive and how strong it is: shear as a tangent; translation in pixels, of which whole ones count;
/// rotation in degrees, counter-clockwise; brightness, color, contrast and sharpness as what is added to a
/// factor of 1; posterize in bits; solarize as a part of white. The others have none.
struct Change {
  Primitive primitive = Primitive::kIdentity;
  double magnitude = 0;
  bool operator==(const Change&) const = default;
};

/// True for the primitives that move pixels: `in` and `out` must then lie apart.
bool moves_pixels(Primitive primitive);

/// How primitives that move pixels read them, and what is seen beyond the edges.
struct Warping {
  Sampling sampling = Sampling::kNearest;
  Fill fill = nullptr;
};

/// Does one change. 1 or 3 channels, at least one pixel.
void apply_change(const Change& change, const Warping& warping, const PictureShape& shape, const void* in,
                  void* out, RowFilter& filter);

}  // namespace headrace::image
