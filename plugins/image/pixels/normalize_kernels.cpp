// SPDX-License-Identifier: Apache-2.0
//
// See normalize_kernels.h. This file is compiled several times over, once for each instruction set.
#include "pixels/normalize_kernels.h"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pixels/normalize_kernels.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace headrace::image::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, 16>;
using Bytes = hn::Rebind<std::uint8_t, Floats>;
using Vec = hn::VFromD<Floats>;
constexpr std::size_t kLanes = hn::MaxLanes(Floats());

HWY_INLINE Vec to_floats(hn::VFromD<Bytes> bytes) {
  const hn::RebindToSigned<Floats> ints;
  return hn::ConvertTo(Floats(), hn::PromoteTo(ints, bytes));
}

template <bool kByCorrection>
HWY_INLINE Vec quotient(Vec a, Vec b, Vec inverse) {
#if HWY_NATIVE_FMA
  if constexpr (kByCorrection) {
    const Vec guess = hn::Mul(a, inverse);
    return hn::MulAdd(hn::NegMulAdd(guess, b, a), inverse, guess);
  }
#endif
  (void)inverse;
  return hn::Div(a, b);
}

template <bool kByCorrection>
HWY_INLINE Vec normalized(hn::VFromD<Bytes> bytes, Vec mean, Vec std, Vec inverse) {
  const Floats floats;
  const Vec scaled =
      quotient<kByCorrection>(to_floats(bytes), hn::Set(floats, 255.0F), hn::Set(floats, 1.0F / 255.0F));
  return quotient<kByCorrection>(hn::Sub(scaled, mean), std, inverse);
}

template <bool kByCorrection, int kChannels>
HWY_INLINE void planes_at(const Normalization::Constants& c, const std::uint8_t* pixels, float* const* planes,
                          std::size_t x) {
  const Floats floats;
  const Bytes bytes;
  hn::VFromD<Bytes> channel[4];
  if constexpr (kChannels == 1) channel[0] = hn::LoadU(bytes, pixels);
  if constexpr (kChannels == 2) hn::LoadInterleaved2(bytes, pixels, channel[0], channel[1]);
  if constexpr (kChannels == 3) hn::LoadInterleaved3(bytes, pixels, channel[0], channel[1], channel[2]);
  if constexpr (kChannels == 4)
    hn::LoadInterleaved4(bytes, pixels, channel[0], channel[1], channel[2], channel[3]);
  for (int i = 0; i < kChannels; ++i) {
    const Vec out = normalized<kByCorrection>(channel[i], hn::Set(floats, c.mean[i]),
                                              hn::Set(floats, c.std[i]), hn::Set(floats, c.inverse[i]));
    hn::StoreU(out, floats, planes[i] + x);
  }
}

template <bool kByCorrection, int kChannels>
void planes_row(const Normalization::Constants& c, const std::uint8_t* row, std::size_t width,
                float* const* planes) {
  if (width < kLanes) {
    float narrow[4][kLanes];
    float* const wide[4] = {narrow[0], narrow[1], narrow[2], narrow[3]};
    planes_at<kByCorrection, kChannels>(c, row, wide, 0);
    for (int i = 0; i < kChannels; ++i) std::memcpy(planes[i], narrow[i], width * sizeof(float));
    return;
  }
  std::size_t x = 0;
  for (; x + kLanes <= width; x += kLanes)
    planes_at<kByCorrection, kChannels>(c, row + x * kChannels, planes, x);
  // The last vector overlaps the one before it, so as not to write past the row.
  x = width - kLanes;
  if (width % kLanes != 0) planes_at<kByCorrection, kChannels>(c, row + x * kChannels, planes, x);
}

template <bool kByCorrection>
void planes_of(const Normalization::Constants& c, int channels, const std::uint8_t* row, int columns,
               float* const* planes) {
  const auto width = static_cast<std::size_t>(columns);
  switch (channels) {
    case 1:
      return planes_row<kByCorrection, 1>(c, row, width, planes);
    case 2:
      return planes_row<kByCorrection, 2>(c, row, width, planes);
    case 3:
      return planes_row<kByCorrection, 3>(c, row, width, planes);
    default:
      return planes_row<kByCorrection, 4>(c, row, width, planes);
  }
}

void run_planes(const Normalization::Constants& c, int channels, const std::uint8_t* row, int width,
                float* const* planes) {
  c.by_correction ? planes_of<true>(c, channels, row, width, planes)
                  : planes_of<false>(c, channels, row, width, planes);
}

template <bool kByCorrection>
void interleaved_of(const Normalization::Constants& c, std::size_t channels, const std::uint8_t* row,
                    std::size_t count, float* out) {
  const Floats floats;
  // The constants of `channels` vectors in a row; after that many, the pattern starts anew.
  float mean[kMaxChannels * kLanes];
  float std[kMaxChannels * kLanes];
  float inverse[kMaxChannels * kLanes];
  for (std::size_t i = 0; i < channels * kLanes; ++i) {
    mean[i] = c.mean[i % channels];
    std[i] = c.std[i % channels];
    inverse[i] = c.inverse[i % channels];
  }
  std::size_t phase = 0;
  for (std::size_t i = 0; i < count; i += kLanes) {
    const Vec result =
        normalized<kByCorrection>(hn::LoadU(Bytes(), row + i), hn::LoadU(floats, mean + phase),
                                  hn::LoadU(floats, std + phase), hn::LoadU(floats, inverse + phase));
    if (i + kLanes <= count) {
      hn::StoreU(result, floats, out + i);
    } else {
      float narrow[kLanes];
      hn::StoreU(result, floats, narrow);
      std::memcpy(out + i, narrow, (count - i) * sizeof(float));
    }
    phase = phase + kLanes == channels * kLanes ? 0 : phase + kLanes;
  }
}

void run_interleaved(const Normalization::Constants& c, int channels, const std::uint8_t* row, int width,
                     float* out) {
  const auto step = static_cast<std::size_t>(channels);
  const std::size_t count = static_cast<std::size_t>(width) * step;
  c.by_correction ? interleaved_of<true>(c, step, row, count, out)
                  : interleaved_of<false>(c, step, row, count, out);
}

}  // namespace headrace::image::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headrace::image {

HWY_EXPORT(run_planes);
HWY_EXPORT(run_interleaved);

void normalize_to_planes(const Normalization::Constants& constants, int channels, const std::uint8_t* row,
                         int width, float* const* planes) {
  HWY_DYNAMIC_DISPATCH(run_planes)(constants, channels, row, width, planes);
}

void normalize_to_interleaved(const Normalization::Constants& constants, int channels,
                              const std::uint8_t* row, int width, float* out) {
  HWY_DYNAMIC_DISPATCH(run_interleaved)(constants, channels, row, width, out);
}

}  // namespace headrace::image
#endif
