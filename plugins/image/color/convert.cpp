// SPDX-License-Identifier: Apache-2.0
//
// See convert.h.
#include "color/convert.h"

#include <algorithm>
#include <array>

#include "color/levels.h"
#include "pixels/narrow.h"

namespace headrace::image {
namespace {

using Narrow = void (*)(const float*, std::size_t, std::uint16_t*);

void by_table(const std::uint8_t* in, std::size_t count, bool scale, Narrow narrow, std::uint16_t* out) {
  std::array<float, 256> levels;
  std::array<std::uint16_t, 256> table;
  for (std::size_t i = 0; i < levels.size(); ++i) levels[i] = static_cast<float>(i) * (scale ? kLevel : 1.0F);
  narrow(levels.data(), levels.size(), table.data());
  std::transform(in, in + count, out, [&](std::uint8_t x) { return table[x]; });
}

}  // namespace

void bytes_to_float32(const std::uint8_t* in, std::size_t count, bool scale, float* out) {
  const float factor = scale ? kLevel : 1.0F;
  std::transform(in, in + count, out, [factor](std::uint8_t x) { return static_cast<float>(x) * factor; });
}

void bytes_to_float16(const std::uint8_t* in, std::size_t count, bool scale, std::uint16_t* out) {
  by_table(in, count, scale, to_float16, out);
}

void bytes_to_bfloat16(const std::uint8_t* in, std::size_t count, bool scale, std::uint16_t* out) {
  by_table(in, count, scale, to_bfloat16, out);
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

}  // namespace headrace::image
