// SPDX-License-Identifier: Apache-2.0
//
// The inner loops of sampling, compiled once for each instruction set and chosen at run time (Highway): where
// a stretch of a result's row lies in the picture, and the mean of the four pixels there. Called by
// sample.cpp alone. Every instruction set gives the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

namespace headrace::image {

/// Pixels of a row that are worked on at once; a multiple of every vector's length.
inline constexpr int kStretch = 128;

/// From a pixel (x, y) of the result to torch's grid, where a picture reaches from -1 to 1: with p = x + left
/// and q = y + top, the sums x[0] p + x[1] q + x[2] and the same of y. Where `tilted`, both are divided by
/// below[0] p + below[1] q + 1, and 1 is taken off.
struct SampleGrid {
  float left = 0;
  float top = 0;
  float x[3] = {};
  float y[3] = {};
  float below[2] = {};
  bool tilted = false;
};

/// The picture that is sampled. Steps are in elements; it has less than 2^31 of them.
struct SampleBounds {
  int width = 0;
  int height = 0;
  std::int32_t column_step = 0;
  std::int32_t row_step = 0;
};

/// The pixel nearest to each position: its element of channel 0, or -1 outside the picture.
struct NearestPixels {
  alignas(64) std::int32_t offset[kStretch];
};

/// The four pixels around each position and their weights. One that does not exist weighs nothing, and
/// another one is read in its place.
struct PixelQuads {
  alignas(64) std::int32_t offset[kStretch];  // of the upper left one, in elements
  alignas(64) std::int32_t right[kStretch];   // from there to the one right of it
  alignas(64) std::int32_t down[kStretch];    // and below it
  alignas(64) float weight[4][kStretch];      // upper left, upper right, lower left, lower right
  alignas(64) float seen[kStretch];           // their sum
};

/// Of the pixels `first` .. first + count - 1 of row `row`; count at most kStretch.
void locate_nearest(const SampleGrid& grid, const SampleBounds& bounds, int row, int first, int count,
                    NearestPixels& pixels);
void locate_quads(const SampleGrid& grid, const SampleBounds& bounds, int row, int first, int count,
                  PixelQuads& quads);

/// The weighted means of `count` interleaved pixels of 2 to 4 channels. `in` has `elements` elements. `fill`
/// as in sample.h.
void mix_pixels(const std::uint8_t* in, std::size_t elements, int channels, const PixelQuads& quads,
                int count, const float* fill, std::uint8_t* out);
void mix_pixels(const float* in, std::size_t elements, int channels, const PixelQuads& quads, int count,
                const float* fill, float* out);
/// The same of one channel by itself.
void mix_channel(const std::uint8_t* in, const PixelQuads& quads, int count, const float* fill,
                 std::uint8_t* out);
void mix_channel(const float* in, const PixelQuads& quads, int count, const float* fill, float* out);

}  // namespace headrace::image
