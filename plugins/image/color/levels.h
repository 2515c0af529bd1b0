// SPDX-License-Identifier: Apache-2.0
//
// What looks at each value by itself, or at a channel's histogram: invert, posterize, solarize, autocontrast,
// equalize, by torchvision.transforms.v2.functional on a tensor. `in` may be `out`. Pure functions, called by
// the image ops, on any thread; none takes memory from the heap.
#pragma once

#include <array>

#include "color/shape.h"

namespace headrace::image {

/// A level's new level.
using ByteTable = std::array<std::uint8_t, 256>;

void map_bytes(const ByteTable& table, std::size_t count, const std::uint8_t* in, std::uint8_t* out);

/// torchvision's to_dtype: a level times this is its float,
inline constexpr float kLevel = 1.0F / 255.0F;
/// and this is the level of a float; what lies outside of [0, 1] becomes 0 or 255.
constexpr std::uint8_t level_of(float value) {
  const float scaled = value * 255.999F;
  if (!(scaled > 0.0F)) return 0;
  return scaled < 255.0F ? static_cast<std::uint8_t>(scaled) : std::uint8_t{255};
}

/// White minus x.
void invert(const PictureShape& shape, const void* in, void* out);

/// Keeps the upper `bits` (0 to 8) of a byte; floats are cut to 2^bits levels.
void posterize(const PictureShape& shape, const void* in, void* out, int bits);

/// Inverts what is at least `threshold`, which is in levels for bytes and in 0 to 1 for floats.
void solarize(const PictureShape& shape, const void* in, void* out, double threshold);

/// Stretches each channel to all of black to white; one of a single value stays as it is.
void autocontrast(const PictureShape& shape, const void* in, void* out);

/// Evens out each channel's histogram, as Pillow's ImageOps.equalize counts it. Floats go through 256 levels.
void equalize(const PictureShape& shape, const void* in, void* out);

}  // namespace headrace::image
