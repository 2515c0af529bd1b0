// SPDX-License-Identifier: Apache-2.0
//
// The two inner loops of resampling, compiled once for each instruction set and chosen at run time (Highway).
// Called by the resampler alone. A 22-bit weight w is split into w >> 8 and w & 255, which fit the 16-bit
// multipliers that every instruction set has; (high sum << 8) + low sum is the exact sum, so that each result
// equals Pillow's.
#pragma once

#include <cstddef>
#include <cstdint>

namespace headrace::image {

/// Output pixels are worked on four at a time; the tables are filled up to a multiple of that.
inline constexpr int kPixelBlock = 4;
/// Bytes that a kernel may write past the end of a row.
inline constexpr std::size_t kWriteSlack = 64;

/// Two weights, high or low parts, in the lanes of one 32-bit word.
constexpr std::int32_t pair_high(std::int32_t w0, std::int32_t w1) {
  return static_cast<std::int32_t>((static_cast<std::uint32_t>(w0 >> 8) & 0xffffu) |
                                   (static_cast<std::uint32_t>(w1 >> 8) << 16));
}
constexpr std::int32_t pair_low(std::int32_t w0, std::int32_t w1) {
  return static_cast<std::int32_t>((static_cast<std::uint32_t>(w0) & 0xffu) |
                                   ((static_cast<std::uint32_t>(w1) & 0xffu) << 16));
}

/// offsets: one an output pixel, of its first input pixel, in bytes. packed: for each block of four pixels,
/// for each pair of taps, 16 words of pair_high (each pixel's word four times) and 16 of pair_low. pairs:
/// taps of every pixel, halved.
struct ColumnWeights {
  const std::int32_t* offsets;
  const std::int32_t* packed;
  int pairs;
  int blocks;
};

/// One row across. `in` is readable 16 bytes past the last tap's pixel, `out` writable kWriteSlack past its
/// end.
void resample_columns(int channels, const ColumnWeights& weights, const std::uint8_t* in, std::uint8_t* out);

/// One output row out of 2 * pairs input rows (the last may be there twice with weight 0). weights: pair_high
/// and pair_low of each pair, alternating. Reads and writes up to `bytes` rounded up to 64.
void resample_rows(const std::uint8_t* const* rows, const std::int32_t* weights, int pairs, std::size_t bytes,
                   std::uint8_t* out);

}  // namespace headrace::image
