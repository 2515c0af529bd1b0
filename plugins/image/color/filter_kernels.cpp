// SPDX-License-Identifier: Apache-2.0
//
// See filter_kernels.h. This file is compiled several times over, once for each instruction set.
#include "color/filter_kernels.h"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "color/filter_kernels.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace headrace::image::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, 16>;
using Bytes = hn::Rebind<std::uint8_t, Floats>;
using Vec = hn::VFromD<Floats>;
constexpr std::size_t kLanes = hn::MaxLanes(Floats());
constexpr std::size_t kBlock = 4;  // vectors whose sums are under way at one time
static_assert(kBlock * kLanes <= kFilterSlack);

HWY_INLINE Vec set(float value) { return hn::Set(Floats(), value); }

HWY_INLINE Vec load(const std::uint8_t* from) {
  const hn::RebindToSigned<Floats> ints;
  return hn::ConvertTo(Floats(), hn::PromoteTo(ints, hn::LoadU(Bytes(), from)));
}
HWY_INLINE Vec load(const float* from) { return hn::LoadU(Floats(), from); }

/// Cuts off what is behind the point. `values` are within 0 .. 255.
HWY_INLINE void store(Vec values, std::uint8_t* to) {
  const hn::RebindToSigned<Floats> ints;
  hn::StoreU(hn::DemoteTo(Bytes(), hn::ConvertTo(ints, values)), Bytes(), to);
}
HWY_INLINE void store(Vec values, float* to) { hn::StoreU(values, Floats(), to); }

HWY_INLINE Vec rounded(Vec values, const std::uint8_t*) { return hn::Round(values); }
HWY_INLINE Vec rounded(Vec values, const float*) { return values; }
HWY_INLINE Vec white(const std::uint8_t*) { return set(255.0F); }
HWY_INLINE Vec white(const float*) { return set(1.0F); }

/// `count` elements, at most a vector's, which ends where they end.
template <class T>
HWY_INLINE void store_rest(Vec values, std::size_t count, T* to) {
  T rest[kLanes];
  store(values, rest);
  std::memcpy(to, rest, count * sizeof(T));
}
template <class T>
HWY_INLINE Vec load_rest(const T* from, std::size_t count) {
  T rest[kLanes] = {};
  std::memcpy(rest, from, count * sizeof(T));
  return load(rest);
}

template <class T>
void run_weigh(const float* const* taps, const float* weights, int radius, std::size_t count, T* out) {
  const auto sides = static_cast<std::size_t>(radius);
  for (std::size_t i = 0; i < count; i += kBlock * kLanes) {
    Vec sums[kBlock];
    const Vec middle = set(weights[0]);
    for (std::size_t k = 0; k < kBlock; ++k) sums[k] = hn::Mul(middle, load(taps[0] + i + k * kLanes));
    for (std::size_t d = 1; d <= sides; ++d) {
      const Vec weight = set(weights[d]);
      const float* before = taps[2 * d - 1] + i;
      const float* after = taps[2 * d] + i;
      for (std::size_t k = 0; k < kBlock; ++k) {
        const Vec pair = hn::Add(load(before + k * kLanes), load(after + k * kLanes));
        sums[k] = hn::Add(sums[k], hn::Mul(weight, pair));
      }
    }
    for (std::size_t k = 0; k < kBlock && i + k * kLanes < count; ++k) {
      const std::size_t at = i + k * kLanes;
      const Vec value = rounded(sums[k], out);
      at + kLanes <= count ? store(value, out + at) : store_rest(value, count - at, out + at);
    }
  }
}

void run_widen(const std::uint8_t* in, std::size_t count, float* out) {
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) store(load(in + i), out + i);
  if (i < count) store(load_rest(in + i, count - i), out + i);
}

template <class T>
void run_sum_rows(float* row, const T* middle, const T* lower, std::size_t count, float* sums) {
  for (std::size_t i = 0; i < count; i += kLanes) {
    const bool is_whole = i + kLanes <= count;
    const Vec x = is_whole ? load(middle + i) : load_rest(middle + i, count - i);
    const Vec below = is_whole ? load(lower + i) : load_rest(lower + i, count - i);
    store(hn::Add(hn::Add(load(row + i), x), below), sums + i);
    store(x, row + i);
  }
}

template <class T>
void run_sharpen(const float* row, const float* sums, std::size_t step, std::size_t count, float factor,
                 T* out) {
  for (std::size_t i = step; i < count - step; i += kLanes) {
    const Vec x = load(row + i);
    const Vec square = hn::Add(hn::Add(load(sums + i - step), load(sums + i)),
                               hn::Add(load(sums + i + step), hn::Mul(set(4.0F), x)));
    const Vec smooth = rounded(hn::Mul(square, set(1.0F / 13.0F)), out);
    const Vec sharp = hn::Add(x, hn::Mul(set(1.0F - factor), hn::Sub(smooth, x)));
    const Vec value = hn::Min(hn::Max(sharp, hn::Zero(Floats())), white(out));
    const std::size_t left = count - step - i;
    left >= kLanes ? store(value, out + i) : store_rest(value, left, out + i);
  }
}

// HWY_EXPORT wants functions, not templates.
void weigh_floats(const float* const* taps, const float* weights, int radius, std::size_t count, float* out) {
  run_weigh(taps, weights, radius, count, out);
}
void weigh_bytes(const float* const* taps, const float* weights, int radius, std::size_t count,
                 std::uint8_t* out) {
  run_weigh(taps, weights, radius, count, out);
}
void sum_byte_rows(float* row, const std::uint8_t* middle, const std::uint8_t* lower, std::size_t count,
                   float* sums) {
  run_sum_rows(row, middle, lower, count, sums);
}
void sum_float_rows(float* row, const float* middle, const float* lower, std::size_t count, float* sums) {
  run_sum_rows(row, middle, lower, count, sums);
}
void sharpen_bytes(const float* row, const float* sums, std::size_t step, std::size_t count, float factor,
                   std::uint8_t* out) {
  run_sharpen(row, sums, step, count, factor, out);
}
void sharpen_floats(const float* row, const float* sums, std::size_t step, std::size_t count, float factor,
                    float* out) {
  run_sharpen(row, sums, step, count, factor, out);
}

}  // namespace headrace::image::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headrace::image {

HWY_EXPORT(run_widen);
HWY_EXPORT(weigh_floats);
HWY_EXPORT(weigh_bytes);
HWY_EXPORT(sum_byte_rows);
HWY_EXPORT(sum_float_rows);
HWY_EXPORT(sharpen_bytes);
HWY_EXPORT(sharpen_floats);

void widen(const std::uint8_t* in, std::size_t count, float* out) {
  HWY_DYNAMIC_DISPATCH(run_widen)(in, count, out);
}
void weigh(const float* const* taps, const float* weights, int radius, std::size_t count, float* out) {
  HWY_DYNAMIC_DISPATCH(weigh_floats)(taps, weights, radius, count, out);
}
void weigh(const float* const* taps, const float* weights, int radius, std::size_t count, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(weigh_bytes)(taps, weights, radius, count, out);
}
void sum_rows(float* row, const std::uint8_t* middle, const std::uint8_t* lower, std::size_t count,
              float* sums) {
  HWY_DYNAMIC_DISPATCH(sum_byte_rows)(row, middle, lower, count, sums);
}
void sum_rows(float* row, const float* middle, const float* lower, std::size_t count, float* sums) {
  HWY_DYNAMIC_DISPATCH(sum_float_rows)(row, middle, lower, count, sums);
}
void sharpen(const float* row, const float* sums, std::size_t step, std::size_t count, float factor,
             std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(sharpen_bytes)(row, sums, step, count, factor, out);
}
void sharpen(const float* row, const float* sums, std::size_t step, std::size_t count, float factor,
             float* out) {
  HWY_DYNAMIC_DISPATCH(sharpen_floats)(row, sums, step, count, factor, out);
}

}  // namespace headrace::image
#endif
