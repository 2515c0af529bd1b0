// SPDX-License-Identifier: Apache-2.0
//
// See convert.h.
#include "color/convert.h"

#include <algorithm>
#include <array>
#include <bit>

#include "color/levels.h"

namespace headrace::image {
namespace {

template <class T, class Convert>
void by_table(const std::uint8_t* in, std::size_t count, bool scale, T* out, Convert convert) {
  std::array<T, 256> table;
  for (std::size_t i = 0; i < table.size(); ++i)
    table[i] = convert(static_cast<float>(i) * (scale ? kLevel : 1.0F));
  std::transform(in, in + count, out, [&](std::uint8_t x) { return table[x]; });
}

}  // namespace

std::uint16_t float16_of(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16U & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
  constexpr std::uint32_t kInfinity = 0x7F800000U;
  constexpr std::uint32_t kTooLarge = 0x477FF000U;  // 65520, half way to what would come after 65504
  constexpr std::uint32_t kNormal = 0x38800000U;    // 2^-14
  std::uint32_t half = 0;
  if (magnitude > kInfinity) {
    half = 0x7E00U;
  } else if (magnitude >= kTooLarge) {
    half = 0x7C00U;
  } else if (magnitude >= kNormal) {
    const std::uint32_t rebased = magnitude - (112U << 23U);
    half = (rebased + 0xFFFU + (rebased >> 13U & 1U)) >> 13U;
  } else {
    // Adding 0.5 puts the unit of a subnormal, 2^-24, at the last place of a float, and so rounds to it.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5F;
    half = std::bit_cast<std::uint32_t>(shifted) - std::bit_cast<std::uint32_t>(0.5F);
  }
  return static_cast<std::uint16_t>(sign | half);
}

std::uint16_t bfloat16_of(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7FFFFFFFU) > 0x7F800000U) return static_cast<std::uint16_t>(bits >> 16U | 0x40U);
  return static_cast<std::uint16_t>((bits + 0x7FFFU + (bits >> 16U & 1U)) >> 16U);
}

void bytes_to_float32(const std::uint8_t* in, std::size_t count, bool scale, float* out) {
  const float factor = scale ? kLevel : 1.0F;
  std::transform(in, in + count, out, [factor](std::uint8_t x) { return static_cast<float>(x) * factor; });
}

void bytes_to_float16(const std::uint8_t* in, std::size_t count, bool scale, std::uint16_t* out) {
  by_table(in, count, scale, out, float16_of);
}

void bytes_to_bfloat16(const std::uint8_t* in, std::size_t count, bool scale, std::uint16_t* out) {
  by_table(in, count, scale, out, bfloat16_of);
}

void float32_to_bytes(const float* in, std::size_t count, bool scale, std::uint8_t* out) {
  if (scale) {
    std::transform(in, in + count, out, level_of);
  } else {
    std::transform(in, in + count, out, [](float x) {
      if (!(x > 0.0F)) return std::uint8_t{0};
      return x < 255.0F ? static_cast<std::uint8_t>(x) : std::uint8_t{255};
    });
  }
}

void float32_to_float16(const float* in, std::size_t count, std::uint16_t* out) {
  std::transform(in, in + count, out, float16_of);
}

void float32_to_bfloat16(const float* in, std::size_t count, std::uint16_t* out) {
  std::transform(in, in + count, out, bfloat16_of);
}

}  // namespace headrace::image
