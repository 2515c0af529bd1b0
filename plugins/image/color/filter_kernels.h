// SPDX-License-Identifier: Apache-2.0
//
// The inner loops of filter.h, compiled once for each instruction set and chosen at run time (Highway). Rows
// of floats may be read, and those that are written too, kFilterSlack elements past their end. Each product
// and each sum is rounded by itself, so that every processor gives the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

namespace headrace::image {

inline constexpr std::size_t kFilterSlack = 64;

/// out = in, as floats. `in` has nothing to be read past its end.
void widen(const std::uint8_t* in, std::size_t count, float* out);

/// out[i] = weights[0] * taps[0][i] + the sum over d of weights[d] * (taps[2d - 1][i] + taps[2d][i]), d = 1
/// .. radius. Bytes are rounded.
void weigh(const float* const* taps, const float* weights, int radius, std::size_t count, float* out);
void weigh(const float* const* taps, const float* weights, int radius, std::size_t count, std::uint8_t* out);

/// sums = row + middle + lower, then row = middle. `middle` and `lower` have nothing to be read past their
/// end.
void sum_rows(float* row, const std::uint8_t* middle, const std::uint8_t* lower, std::size_t count,
              float* sums);
void sum_rows(float* row, const float* middle, const float* lower, std::size_t count, float* sums);

/// A row of the sharpened picture: x + (1 - factor) * (smooth - x) within [0, white], where x is row[i] and
/// smooth = (sums[i - step] + sums[i] + sums[i + step] + 4 x) / 13, for bytes rounded.
void sharpen(const float* row, const float* sums, std::size_t step, std::size_t count, float factor,
             std::uint8_t* out);
void sharpen(const float* row, const float* sums, std::size_t step, std::size_t count, float factor,
             float* out);

}  // namespace headrace::image
