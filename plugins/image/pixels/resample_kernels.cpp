// SPDX-License-Identifier: Apache-2.0
//
// See resample_kernels.h. This file is compiled several times over, once for each instruction set.
#include "pixels/resample_kernels.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pixels/resample_kernels.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace headrace::image::HWY_NAMESPACE {
#if HWY_TARGET == HWY_SCALAR

std::int32_t tap_weight(const std::int32_t* words, int half) {
  const auto part = [half](std::int32_t word) {
    return half == 0 ? static_cast<std::int16_t>(word) : word >> 16;
  };
  return part(words[0]) * 256 + part(words[16]);
}

std::uint8_t rounded_byte(std::int32_t sum) {
  return static_cast<std::uint8_t>(std::clamp(sum >> 22, 0, 255));
}

void run_columns(int channels, const ColumnWeights& weights, const std::uint8_t* in, std::uint8_t* out) {
  for (int pixel = 0; pixel < weights.blocks * kPixelBlock; ++pixel) {
    const std::ptrdiff_t block = std::ptrdiff_t{pixel / kPixelBlock} * weights.pairs * 32;
    const std::int32_t* words = weights.packed + block + std::ptrdiff_t{pixel % kPixelBlock} * 4;
    for (int channel = 0; channel < channels; ++channel) {
      const std::uint8_t* from = in + weights.offsets[pixel] + channel;
      std::int32_t sum = 1 << 21;
      for (int tap = 0; tap < weights.pairs * 2; ++tap) {
        sum += from[tap * channels] * tap_weight(words + tap / 2 * 32, tap % 2);
      }
      *out++ = rounded_byte(sum);
    }
  }
}

void run_rows(const std::uint8_t* const* rows, const std::int32_t* weights, int pairs, std::size_t bytes,
              std::uint8_t* out) {
  for (std::size_t x = 0; x < bytes; ++x) {
    std::int32_t high = 0;
    std::int32_t low = 1 << 21;
    for (int pair = 0; pair < pairs; ++pair) {
      const std::int32_t a = rows[pair * 2][x];
      const std::int32_t b = rows[pair * 2 + 1][x];
      high += a * static_cast<std::int16_t>(weights[pair * 2]) + b * (weights[pair * 2] >> 16);
      low += a * (weights[pair * 2 + 1] & 0xffff) + b * (weights[pair * 2 + 1] >> 16);
    }
    out[x] = rounded_byte(high * 256 + low);
  }
}

#else
namespace hn = hwy::HWY_NAMESPACE;

// At most 512 bits: the weight tables are laid out in blocks of four pixels of four 32-bit lanes.
using Words = hn::CappedTag<std::int32_t, 16>;
using Halves = hn::Repartition<std::int16_t, Words>;
using Bytes = hn::Repartition<std::uint8_t, Words>;
using VecWords = hn::VFromD<Words>;
using Quad = hn::FixedTag<std::uint8_t, 16>;

constexpr std::size_t kWordLanes = hn::MaxLanes(Words());
constexpr std::size_t kPixels = kWordLanes / 4;          // output pixels in one vector
constexpr std::size_t kVectors = kPixelBlock / kPixels;  // vectors in a block

// In each 32-bit lane: sum + a.low * b.low + a.high * b.high, of signed 16-bit halves.
HWY_INLINE VecWords add_products(VecWords a, VecWords b, VecWords sum) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_EMU128
  VecWords unused = hn::Zero(Words());
  return hn::ReorderWidenMulAccumulate(Words(), hn::BitCast(Halves(), a), hn::BitCast(Halves(), b), sum,
                                       unused);
#else
  const auto low =
      hn::Mul(hn::ShiftRight<16>(hn::ShiftLeft<16>(a)), hn::ShiftRight<16>(hn::ShiftLeft<16>(b)));
  const auto high = hn::Mul(hn::ShiftRight<16>(a), hn::ShiftRight<16>(b));
  return hn::Add(sum, hn::Add(low, high));
#endif
}

HWY_INLINE VecWords rounded(VecWords high, VecWords low) {
  const auto half = hn::Set(Words(), 1 << 21);
  return hn::ShiftRight<22>(hn::Add(hn::ShiftLeft<8>(high), hn::Add(low, half)));
}

// 16 bytes from each of kPixels places, side by side.
template <class D>
HWY_INLINE hn::VFromD<D> gather(D bytes, const std::uint8_t* in, const std::int32_t* offsets) {
  if constexpr (hn::MaxLanes(D()) == 16) {
    return hn::LoadU(bytes, in + offsets[0]);
  } else {
    const hn::Half<D> half;
    const std::int32_t* upper = offsets + hn::MaxLanes(half) / 16;
    return hn::Combine(bytes, gather(half, in, upper), gather(half, in, offsets));
  }
}

// Byte numbers that turn 16 interleaved bytes into four 32-bit lanes, one a channel, of taps `tap` and `tap`
// + 1.
template <int kChannels, int kTap>
struct TapShuffle {
  alignas(16) std::uint8_t index[16] = {};
  constexpr TapShuffle() {
    for (int channel = 0; channel < 4; ++channel) {
      for (int half = 0; half < 2; ++half) {
        const int from = (kTap + half) * kChannels + channel;
        index[channel * 4 + half * 2] = channel < kChannels ? static_cast<std::uint8_t>(from) : 0x80;
        index[channel * 4 + half * 2 + 1] = 0x80;
      }
    }
  }
};

// Byte numbers that close the gaps of four-lane pixels with fewer channels.
template <int kChannels>
struct CloseGaps {
  alignas(16) std::uint8_t index[16] = {};
  constexpr CloseGaps() {
    for (int i = 0; i < 16; ++i) {
      const int pixel = i / kChannels;
      index[i] = pixel < 4 ? static_cast<std::uint8_t>(pixel * 4 + i % kChannels) : 0x80;
    }
  }
};

template <int kChannels>
HWY_INLINE void store_block(const VecWords* results, std::uint8_t* out) {
  static constexpr CloseGaps<kChannels> kClose;
  const Quad quad;
  alignas(16) std::uint8_t wide[16];
  const hn::Rebind<std::uint8_t, Words> narrow;
  for (std::size_t v = 0; v < kVectors; ++v) {
    hn::StoreU(hn::DemoteTo(narrow, results[v]), narrow, wide + v * kWordLanes);
  }
  const auto pixels = hn::Load(quad, wide);
  if constexpr (kChannels == 4) {
    hn::StoreU(pixels, quad, out);
  } else {
    hn::StoreU(hn::TableLookupBytesOr0(pixels, hn::Load(quad, kClose.index)), quad, out);
  }
}

template <int kChannels, int kPairs>  // kPairs 0: any number
void columns(const ColumnWeights& weights, const std::uint8_t* HWY_RESTRICT in,
             std::uint8_t* HWY_RESTRICT out) {
  static constexpr TapShuffle<kChannels, 0> kFirst;
  static constexpr TapShuffle<kChannels, 2> kSecond;
  const Words words;
  const Bytes bytes;
  const auto first = hn::LoadDup128(bytes, kFirst.index);
  const auto second = hn::LoadDup128(bytes, kSecond.index);
  const auto pairs = static_cast<std::size_t>(kPairs > 0 ? kPairs : weights.pairs);
  const std::int32_t* packed = weights.packed;
  const std::int32_t* offsets = weights.offsets;
  for (int block = 0; block < weights.blocks; ++block) {
    VecWords results[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v) {
      const std::int32_t* table = packed + v * kWordLanes;
      auto high = hn::Zero(words);
      auto low = hn::Zero(words);
      for (std::size_t pair = 0; pair < pairs; pair += 2) {
        const auto pixels = gather(bytes, in + pair * 2 * kChannels, offsets + v * kPixels);
        const auto taps01 = hn::BitCast(words, hn::TableLookupBytesOr0(pixels, first));
        high = add_products(taps01, hn::LoadU(words, table + pair * 32), high);
        low = add_products(taps01, hn::LoadU(words, table + pair * 32 + 16), low);
        if (pair + 1 < pairs) {
          const auto taps23 = hn::BitCast(words, hn::TableLookupBytesOr0(pixels, second));
          high = add_products(taps23, hn::LoadU(words, table + pair * 32 + 32), high);
          low = add_products(taps23, hn::LoadU(words, table + pair * 32 + 48), low);
        }
      }
      results[v] = rounded(high, low);
    }
    store_block<kChannels>(results, out);
    packed += pairs * 32;
    offsets += kPixelBlock;
    out += std::size_t{kPixelBlock} * kChannels;
  }
}

template <int kChannels>
void columns_of(const ColumnWeights& weights, const std::uint8_t* in, std::uint8_t* out) {
  switch (weights.pairs) {
    case 1:
      return columns<kChannels, 1>(weights, in, out);
    case 2:
      return columns<kChannels, 2>(weights, in, out);
    case 3:
      return columns<kChannels, 3>(weights, in, out);
    case 4:
      return columns<kChannels, 4>(weights, in, out);
    default:
      return columns<kChannels, 0>(weights, in, out);
  }
}

void run_columns(int channels, const ColumnWeights& weights, const std::uint8_t* in, std::uint8_t* out) {
  switch (channels) {
    case 1:
      return columns_of<1>(weights, in, out);
    case 2:
      return columns_of<2>(weights, in, out);
    case 3:
      return columns_of<3>(weights, in, out);
    default:
      return columns_of<4>(weights, in, out);
  }
}

// 16-bit sums, of which each 128-bit block holds bytes 0-7 and 8-15 of its 16, to those 16 bytes, clamped.
HWY_INLINE hn::VFromD<Bytes> close_halves(hn::VFromD<Halves> lower, hn::VFromD<Halves> upper) {
  alignas(16) static constexpr std::uint8_t kOrder[16] = {0, 2, 4, 6, 8, 10, 12, 14,
                                                          1, 3, 5, 7, 9, 11, 13, 15};
  const Halves halves;
  const auto zero = hn::Zero(halves);
  const auto most = hn::Set(halves, 255);
  const auto low = hn::Min(hn::Max(lower, zero), most);
  const auto high = hn::ShiftLeft<8>(hn::Min(hn::Max(upper, zero), most));
  return hn::TableLookupBytes(hn::BitCast(Bytes(), hn::Or(low, high)), hn::LoadDup128(Bytes(), kOrder));
}

template <int kPairs>  // 0: any number
void rows_of(const std::uint8_t* const* rows, const std::int32_t* weights, int count, std::size_t bytes,
             std::uint8_t* HWY_RESTRICT out) {
  const Words words;
  const Halves halves;
  const Bytes u8;
  const auto pairs = static_cast<std::size_t>(kPairs > 0 ? kPairs : count);
  // Interleaving works within 128-bit blocks, and so does ReorderDemote2To: the order comes out right again.
  for (std::size_t x = 0; x < bytes; x += hn::MaxLanes(u8)) {
    VecWords high[4] = {hn::Zero(words), hn::Zero(words), hn::Zero(words), hn::Zero(words)};
    VecWords low[4] = {high[0], high[0], high[0], high[0]};
    for (std::size_t pair = 0; pair < pairs; ++pair) {
      const auto a = hn::LoadU(u8, rows[pair * 2] + x);
      const auto b = hn::LoadU(u8, rows[pair * 2 + 1] + x);
      const auto zero = hn::Zero(u8);
      const auto first = hn::InterleaveLower(u8, a, b);
      const auto second = hn::InterleaveUpper(u8, a, b);
      const VecWords samples[4] = {hn::BitCast(words, hn::InterleaveLower(u8, first, zero)),
                                   hn::BitCast(words, hn::InterleaveUpper(u8, first, zero)),
                                   hn::BitCast(words, hn::InterleaveLower(u8, second, zero)),
                                   hn::BitCast(words, hn::InterleaveUpper(u8, second, zero))};
      const auto weight_high = hn::Set(words, weights[pair * 2]);
      const auto weight_low = hn::Set(words, weights[pair * 2 + 1]);
      for (int i = 0; i < 4; ++i) {
        high[i] = add_products(samples[i], weight_high, high[i]);
        low[i] = add_products(samples[i], weight_low, low[i]);
      }
    }
    const auto lower = hn::ReorderDemote2To(halves, rounded(high[0], low[0]), rounded(high[1], low[1]));
    const auto upper = hn::ReorderDemote2To(halves, rounded(high[2], low[2]), rounded(high[3], low[3]));
    hn::StoreU(close_halves(lower, upper), u8, out + x);
  }
}

void run_rows(const std::uint8_t* const* rows, const std::int32_t* weights, int pairs, std::size_t bytes,
              std::uint8_t* out) {
  switch (pairs) {
    case 1:
      return rows_of<1>(rows, weights, pairs, bytes, out);
    case 2:
      return rows_of<2>(rows, weights, pairs, bytes, out);
    case 3:
      return rows_of<3>(rows, weights, pairs, bytes, out);
    default:
      return rows_of<0>(rows, weights, pairs, bytes, out);
  }
}

#endif
}  // namespace headrace::image::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headrace::image {

HWY_EXPORT(run_columns);
HWY_EXPORT(run_rows);

void resample_columns(int channels, const ColumnWeights& weights, const std::uint8_t* in, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(run_columns)(channels, weights, in, out);
}

void resample_rows(const std::uint8_t* const* rows, const std::int32_t* weights, int pairs, std::size_t bytes,
                   std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(run_rows)(rows, weights, pairs, bytes, out);
}

}  // namespace headrace::image
#endif
