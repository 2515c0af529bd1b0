// SPDX-License-Identifier: Apache-2.0
//
// See normalize.h.
#include "pixels/normalize.h"

#include <cmath>

#include "pixels/normalize_kernels.h"

namespace headrace::image {
namespace {

constexpr float kMaxByte = 255.0F;

// A quotient from a rounded reciprocal and one correction by its exact remainder (P. Markstein, IBM J. Res.
// Dev. 34(1), 1990).
float corrected_quotient(float a, float b, float inverse) {
  const float guess = a * inverse;
  return std::fma(std::fma(-guess, b, a), inverse, guess);
}

}  // namespace

Verdict Normalization::configure(int channels, const double* mean, int mean_count, const double* std,
                                 int std_count) {
  if ((mean_count != 1 && mean_count != channels) || (std_count != 1 && std_count != channels)) {
    return Verdict::refuse(Verdict::Kind::kInvalid, "%d means and %d stds for %d channels", mean_count,
                           std_count, channels);
  }
  channels_ = channels;
  constants_ = {};
  for (int channel = 0; channel < channels; ++channel) {
    constants_.mean[channel] = static_cast<float>(mean[mean_count == 1 ? 0 : channel]);
    constants_.std[channel] = static_cast<float>(std[std_count == 1 ? 0 : channel]);
    if (constants_.std[channel] == 0 || !std::isfinite(constants_.std[channel]) ||
        !std::isfinite(constants_.mean[channel])) {
      return Verdict::refuse(Verdict::Kind::kInvalid, "mean %g and std %g cannot normalise",
                             static_cast<double>(constants_.mean[channel]),
                             static_cast<double>(constants_.std[channel]));
    }
    constants_.inverse[channel] = 1.0F / constants_.std[channel];
  }
  // Division is the slow part. There are only 256 inputs, so whether the quick way gives the same bits can be
  // settled here.
  constants_.by_correction = true;
  for (int channel = 0; channel < channels; ++channel) {
    for (int byte = 0; byte < 256; ++byte) {
      const float scaled = corrected_quotient(static_cast<float>(byte), kMaxByte, 1.0F / kMaxByte);
      const float quick = corrected_quotient(scaled - constants_.mean[channel], constants_.std[channel],
                                             constants_.inverse[channel]);
      if (quick != value(channel, static_cast<std::uint8_t>(byte))) constants_.by_correction = false;
    }
  }
  return {};
}

float Normalization::value(int channel, std::uint8_t byte) const {
  return (static_cast<float>(byte) / kMaxByte - constants_.mean[channel]) / constants_.std[channel];
}

void Normalization::to_planes(const std::uint8_t* row, int width, float* const* planes) const {
  normalize_to_planes(constants_, channels_, row, width, planes);
}

void Normalization::to_interleaved(const std::uint8_t* row, int width, float* out) const {
  normalize_to_interleaved(constants_, channels_, row, width, out);
}

void Normalization::apply(int channel, const float* in, std::size_t in_step, std::size_t count, float* out,
                          std::size_t out_step) const {
  const float mean = constants_.mean[channel];
  const float std = constants_.std[channel];
  if (in_step == 1 && out_step == 1) {
    for (std::size_t i = 0; i < count; ++i) out[i] = (in[i] - mean) / std;
  } else {
    for (std::size_t i = 0; i < count; ++i) out[i * out_step] = (in[i * in_step] - mean) / std;
  }
}

}  // namespace headrace::image
