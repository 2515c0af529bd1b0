// SPDX-License-Identifier: Apache-2.0
//
// Bytes to normalised floats: (x / 255 - mean) / std in single precision, each of the three operations
// rounded, which is what torchvision's ToTensor and Normalize compute, bit for bit and alike on every
// processor. The fused decoder and the normalize op call these same functions, a row at a time, on any
// thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pixels/verdict.h"

namespace headrace::image {

inline constexpr int kMaxChannels = 4;

class Normalization {
 public:
  /// One mean and std for each channel, or one for all. Refuses other counts, and a std that is 0 or not
  /// finite.
  Verdict configure(int channels, const double* mean, int mean_count, const double* std, int std_count);

  int channels() const { return channels_; }
  /// One row of `width` interleaved pixels to `width` floats in each of channels() planes. Reads kRowSlack
  /// bytes more.
  void to_planes(const std::uint8_t* row, int width, float* const* planes) const;
  /// One row of `width` interleaved pixels to width * channels() floats. Reads kRowSlack bytes more.
  void to_interleaved(const std::uint8_t* row, int width, float* out) const;
  /// What either gives for one byte.
  float value(int channel, std::uint8_t byte) const;
  /// (x - mean) / std of `count` floats, in_step floats apart in memory; the results lie out_step apart.
  void apply(int channel, const float* in, std::size_t in_step, std::size_t count, float* out,
             std::size_t out_step) const;

  /// What the kernels read.
  struct Constants {
    float mean[kMaxChannels] = {};
    float std[kMaxChannels] = {};
    float inverse[kMaxChannels] = {};  // of std, rounded
    bool by_correction = false;        // see configure()
  };

 private:
  int channels_ = 0;
  Constants constants_;
};

}  // namespace headrace::image
