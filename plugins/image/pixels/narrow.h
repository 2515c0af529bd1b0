// SPDX-License-Identifier: Apache-2.0
//
// Floats to the 16-bit types that accelerators compute with, rounded to nearest, ties to even (IEEE 754-2019,
// 4.3.1), alike on every processor. Called by the pixel writer and by the ops on floats, a row at a time, on
// any thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace headrace::image {

/// What the numbers of a picture are.
enum class PixelType : std::uint8_t { kUint8, kFloat16, kBfloat16, kFloat32 };

constexpr std::size_t pixel_type_bytes(PixelType type) {
  return type == PixelType::kUint8 ? 1 : type == PixelType::kFloat32 ? 4 : 2;
}

/// `count` floats as binary16. Beyond 65504 comes infinity, below 2^-24 zero; a NaN stays one.
void to_float16(const float* in, std::size_t count, std::uint16_t* out);
/// `count` floats as bfloat16: the upper half of a binary32, rounded. A NaN stays one.
void to_bfloat16(const float* in, std::size_t count, std::uint16_t* out);

}  // namespace headrace::image
