// SPDX-License-Identifier: Apache-2.0
//
// The inner loops of adjust.h, compiled once for each instruction set and chosen at run time (Highway). Each
// product and each sum is rounded by itself, so that every processor gives the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

namespace headrace::image {

/// The three channels of a run of pixels: planes, or interleaved, when `channel` points at the first three
/// elements of the run.
template <class T>
struct RgbRun {
  T* channel[3];
  bool is_interleaved;
};

/// out = in * ratio + addend within [0, white], bytes cut to whole levels. `in` may be `out`.
void blend(const std::uint8_t* in, std::uint8_t* out, std::size_t count, float ratio, float addend);
void blend(const float* in, float* out, std::size_t count, float ratio, float addend);

/// out = 0.2989 r + 0.587 g + 0.114 b, bytes cut to whole levels.
void gray_of(const RgbRun<const std::uint8_t>& in, std::size_t count, std::uint8_t* out);
void gray_of(const RgbRun<const float>& in, std::size_t count, float* out);

/// out = in * ratio + gray * (1 - ratio) within [0, white], bytes cut to whole levels. `in` may be `out`.
void saturate(const RgbRun<const std::uint8_t>& in, const RgbRun<std::uint8_t>& out, std::size_t count,
              float ratio);
void saturate(const RgbRun<const float>& in, const RgbRun<float>& out, std::size_t count, float ratio);

/// Turns the hue by `turn`, -0.5 to 0.5 of the circle, in HSV. `in` may be `out`.
void turn_hue(const RgbRun<const std::uint8_t>& in, const RgbRun<std::uint8_t>& out, std::size_t count,
              float turn);
void turn_hue(const RgbRun<const float>& in, const RgbRun<float>& out, std::size_t count, float turn);

}  // namespace headrace::image
