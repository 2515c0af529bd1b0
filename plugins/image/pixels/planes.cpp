// SPDX-License-Identifier: Apache-2.0
//
// See planes.h. This file is compiled several times over, once for each instruction set.
#include "pixels/planes.h"

#include <array>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pixels/planes.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace headrace::image::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Pixels in a register, 16 at most: the row may be read only kRowSlack bytes past its end.
using Bytes = hn::CappedTag<std::uint8_t, 16>;
constexpr std::size_t kLanes = hn::MaxLanes(Bytes());

template <int kChannels>
HWY_INLINE void split_at(const std::uint8_t* pixels, std::uint8_t* const* planes, std::size_t x) {
  const Bytes bytes;
  hn::VFromD<Bytes> channel[4];
  if constexpr (kChannels == 1) channel[0] = hn::LoadU(bytes, pixels);
  if constexpr (kChannels == 2) hn::LoadInterleaved2(bytes, pixels, channel[0], channel[1]);
  if constexpr (kChannels == 3) hn::LoadInterleaved3(bytes, pixels, channel[0], channel[1], channel[2]);
  if constexpr (kChannels == 4)
    hn::LoadInterleaved4(bytes, pixels, channel[0], channel[1], channel[2], channel[3]);
  for (int c = 0; c < kChannels; ++c) hn::StoreU(channel[c], bytes, planes[c] + x);
}

template <int kChannels>
void split(const std::uint8_t* row, std::size_t width, std::uint8_t* const* planes) {
  std::size_t x = 0;
  for (; x + kLanes <= width; x += kLanes) split_at<kChannels>(row + x * kChannels, planes, x);
  if (x == width) return;
  std::array<std::array<std::uint8_t, kLanes>, kChannels> rest;
  std::array<std::uint8_t*, kChannels> rest_planes;
  for (std::size_t c = 0; c < kChannels; ++c) rest_planes[c] = rest[c].data();
  split_at<kChannels>(row + x * kChannels, rest_planes.data(), 0);
  for (std::size_t c = 0; c < kChannels; ++c) std::memcpy(planes[c] + x, rest_planes[c], width - x);
}

void run_split(const std::uint8_t* row, int columns, int channels, std::uint8_t* const* planes) {
  const auto width = static_cast<std::size_t>(columns);
  switch (channels) {
    case 1:
      return split<1>(row, width, planes);
    case 2:
      return split<2>(row, width, planes);
    case 3:
      return split<3>(row, width, planes);
    default:
      return split<4>(row, width, planes);
  }
}

}  // namespace headrace::image::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headrace::image {

HWY_EXPORT(run_split);

void split_to_planes(const std::uint8_t* row, int width, int channels, std::uint8_t* const* planes) {
  HWY_DYNAMIC_DISPATCH(run_split)(row, width, channels, planes);
}

}  // namespace headrace::image
#endif
