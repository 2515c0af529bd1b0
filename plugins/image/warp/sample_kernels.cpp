// SPDX-License-Identifier: Apache-2.0
//
// See sample_kernels.h. This file is compiled several times over, once for each instruction set.
#include "warp/sample_kernels.h"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "warp/sample_kernels.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace headrace::image::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, 16>;
using Ints = hn::RebindToSigned<Floats>;
using Vec = hn::VFromD<Floats>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(Floats()));

/// x a + y b + c as torch's matrix product rounds it: x a, then y b fused with that, then c.
struct LinearForm {
  LinearForm(float x_factor, float y_factor, float constant, float y)
      : a(x_factor), b(y_factor), c(constant), q(y) {}

  HWY_INLINE Vec at(Vec x) const {
    const Floats f;
    const Vec product = hn::Mul(x, hn::Set(f, a));
#if HWY_NATIVE_FMA
    const Vec sum = hn::MulAdd(hn::Set(f, q), hn::Set(f, b), product);
#else
    // A product of floats is exact in double precision.
    alignas(64) float lanes[static_cast<std::size_t>(kLanes)];
    hn::Store(product, f, lanes);
    const double exact = static_cast<double>(q) * static_cast<double>(b);
    for (float& lane : lanes) lane = static_cast<float>(exact + static_cast<double>(lane));
    const Vec sum = hn::Load(f, lanes);
#endif
    return hn::Add(sum, hn::Set(f, c));
  }

  float a;
  float b;
  float c;
  float q;
};

/// Positions of a row's pixels in the picture, whose first pixel's centre is (0, 0). kTilted is no member: of
/// a branch on a bool around 512-bit vectors, g++ 12 makes a mask of one lane.
template <bool kTilted>
class RowPositions {
 public:
  RowPositions(const SampleGrid& grid, const SampleBounds& bounds, int row)
      : left_(grid.left),
        x_(grid.x[0], grid.x[1], grid.x[2], grid.top + static_cast<float>(row)),
        y_(grid.y[0], grid.y[1], grid.y[2], x_.q),
        below_(grid.below[0], grid.below[1], 1.0F, x_.q),
        half_width_(0.5F * static_cast<float>(bounds.width)),
        half_height_(0.5F * static_cast<float>(bounds.height)) {}

  HWY_INLINE void at(int pixel, Vec& x, Vec& y) const {
    const Floats f;
    const Vec p = hn::Add(hn::Set(f, left_), hn::Iota(f, static_cast<float>(pixel)));
    Vec grid_x = x_.at(p);
    Vec grid_y = y_.at(p);
    if constexpr (kTilted) {
      const Vec below = below_.at(p);
      grid_x = hn::Sub(hn::Div(grid_x, below), hn::Set(f, 1.0F));
      grid_y = hn::Sub(hn::Div(grid_y, below), hn::Set(f, 1.0F));
    }
    x = in_pixels(grid_x, half_width_);
    y = in_pixels(grid_y, half_height_);
  }

 private:
  static HWY_INLINE Vec in_pixels(Vec grid, float half) {
    const Floats f;
    return hn::Sub(hn::Mul(hn::Add(grid, hn::Set(f, 1.0F)), hn::Set(f, half)), hn::Set(f, 0.5F));
  }

  float left_;
  LinearForm x_;
  LinearForm y_;
  LinearForm below_;
  float half_width_;
  float half_height_;
};

/// low < at < high; what is no number is not.
HWY_INLINE hn::Mask<Floats> between(Vec at, float low, int high) {
  const Floats f;
  return hn::And(hn::Gt(at, hn::Set(f, low)), hn::Lt(at, hn::Set(f, static_cast<float>(high))));
}

HWY_INLINE hn::VFromD<Ints> offset_of(hn::VFromD<Ints> x, hn::VFromD<Ints> y, const SampleBounds& bounds) {
  const Ints i;
  return hn::Add(hn::Mul(y, hn::Set(i, bounds.row_step)), hn::Mul(x, hn::Set(i, bounds.column_step)));
}

template <bool kTilted>
void nearest_of(const SampleGrid& grid, const SampleBounds& bounds, int row, int first, int count,
                NearestPixels& pixels) {
  const Floats f;
  const Ints i;
  const RowPositions<kTilted> positions(grid, bounds, row);
  for (int at = 0; at < count; at += kLanes) {
    Vec x;
    Vec y;
    positions.at(first + at, x, y);
    const auto near = hn::And(between(x, -1.0F, bounds.width), between(y, -1.0F, bounds.height));
    const Vec outside = hn::Set(f, -1.0F);
    const auto column = hn::NearestInt(hn::IfThenElse(near, x, outside));
    const auto line = hn::NearestInt(hn::IfThenElse(near, y, outside));
    const auto none = hn::Set(i, -1);
    const auto there = hn::And(hn::And(hn::Gt(column, none), hn::Lt(column, hn::Set(i, bounds.width))),
                               hn::And(hn::Gt(line, none), hn::Lt(line, hn::Set(i, bounds.height))));
    hn::Store(hn::IfThenElse(there, offset_of(column, line, bounds), none), i, pixels.offset + at);
  }
}

template <bool kTilted>
void quads_of(const SampleGrid& grid, const SampleBounds& bounds, int row, int first, int count,
              PixelQuads& quads) {
  const Floats f;
  const Ints i;
  const RowPositions<kTilted> positions(grid, bounds, row);
  const Vec one = hn::Set(f, 1.0F);
  const Vec last_x = hn::Set(f, static_cast<float>(bounds.width - 1));
  const Vec last_y = hn::Set(f, static_cast<float>(bounds.height - 1));
  for (int at = 0; at < count; at += kLanes) {
    Vec x;
    Vec y;
    positions.at(first + at, x, y);
    const auto near = hn::And(between(x, -1.0F, bounds.width), between(y, -1.0F, bounds.height));
    x = hn::IfThenElse(near, x, hn::Set(f, -1.0F));
    y = hn::IfThenElse(near, y, hn::Set(f, -1.0F));
    const Vec x0 = hn::Floor(x);
    const Vec y0 = hn::Floor(y);
    const Vec east = hn::Sub(x, x0);
    const Vec south = hn::Sub(y, y0);
    const Vec west = hn::Sub(one, east);
    const Vec north = hn::Sub(one, south);
    const auto left = hn::Ge(x0, hn::Zero(f));
    const auto top = hn::Ge(y0, hn::Zero(f));
    const auto right = hn::And(near, hn::Lt(x0, last_x));
    const auto bottom = hn::And(near, hn::Lt(y0, last_y));
    const Vec weights[4] = {hn::IfThenElseZero(hn::And(left, top), hn::Mul(west, north)),
                            hn::IfThenElseZero(hn::And(right, top), hn::Mul(east, north)),
                            hn::IfThenElseZero(hn::And(left, bottom), hn::Mul(west, south)),
                            hn::IfThenElseZero(hn::And(right, bottom), hn::Mul(east, south))};
    for (int k = 0; k < 4; ++k) hn::Store(weights[k], f, quads.weight[k] + at);
    hn::Store(hn::Add(hn::Add(hn::Add(weights[0], weights[1]), weights[2]), weights[3]), f, quads.seen + at);
    const auto zero = hn::Zero(i);
    const auto column = hn::Max(hn::ConvertTo(i, x0), zero);
    const auto line = hn::Max(hn::ConvertTo(i, y0), zero);
    hn::Store(offset_of(column, line, bounds), i, quads.offset + at);
    const auto both_x = hn::RebindMask(i, hn::And(left, right));
    const auto both_y = hn::RebindMask(i, hn::And(top, bottom));
    hn::Store(hn::IfThenElseZero(both_x, hn::Set(i, bounds.column_step)), i, quads.right + at);
    hn::Store(hn::IfThenElseZero(both_y, hn::Set(i, bounds.row_step)), i, quads.down + at);
  }
}

void run_nearest(const SampleGrid& grid, const SampleBounds& bounds, int row, int first, int count,
                 NearestPixels& pixels) {
  grid.tilted ? nearest_of<true>(grid, bounds, row, first, count, pixels)
              : nearest_of<false>(grid, bounds, row, first, count, pixels);
}

void run_quads(const SampleGrid& grid, const SampleBounds& bounds, int row, int first, int count,
               PixelQuads& quads) {
  grid.tilted ? quads_of<true>(grid, bounds, row, first, count, quads)
              : quads_of<false>(grid, bounds, row, first, count, quads);
}

HWY_INLINE Vec to_floats(const float* from) { return hn::Load(Floats(), from); }
HWY_INLINE Vec to_floats(const std::uint8_t* from) {
  return hn::ConvertTo(Floats(), hn::PromoteTo(Ints(), hn::Load(hn::Rebind<std::uint8_t, Floats>(), from)));
}

HWY_INLINE void from_floats(Vec value, float* out) { hn::Store(value, Floats(), out); }
HWY_INLINE void from_floats(Vec value, std::uint8_t* out) {
  const Floats f;
  const auto clamped = hn::Min(hn::Max(value, hn::Zero(f)), hn::Set(f, 255.0F));
  const hn::Rebind<std::uint8_t, Floats> bytes;
  hn::Store(hn::DemoteTo(bytes, hn::NearestInt(clamped)), bytes, out);
}

template <class T>
void run_channel(const T* HWY_RESTRICT in, const PixelQuads& quads, int count, const float* fill,
                 T* HWY_RESTRICT out) {
  const Floats f;
  alignas(64) T corners[4][static_cast<std::size_t>(kLanes)] = {};
  alignas(64) T results[static_cast<std::size_t>(kLanes)];
  for (int at = 0; at < count; at += kLanes) {
    const int lanes = std::min(kLanes, count - at);
    for (int lane = 0; lane < lanes; ++lane) {
      const T* above = in + quads.offset[at + lane];
      const T* below = above + quads.down[at + lane];
      const std::int32_t right = quads.right[at + lane];
      corners[0][lane] = above[0];
      corners[1][lane] = above[right];
      corners[2][lane] = below[0];
      corners[3][lane] = below[right];
    }
    Vec value = hn::Mul(to_floats(corners[0]), hn::Load(f, quads.weight[0] + at));
    for (int k = 1; k < 4; ++k)
      value = hn::Add(value, hn::Mul(to_floats(corners[k]), hn::Load(f, quads.weight[k] + at)));
    if (fill != nullptr) {
      const Vec outside = hn::Set(f, *fill);
      value = hn::Add(hn::Mul(hn::Sub(value, outside), hn::Load(f, quads.seen + at)), outside);
    }
    from_floats(value, results);
    std::memcpy(out + at, results, static_cast<std::size_t>(lanes) * sizeof(T));
  }
}

// The lanes of one vector, or of four, are a pixel's channels.
using Four = hn::CappedTag<float, 4>;
constexpr std::size_t kFourLanes = hn::MaxLanes(Four());

HWY_INLINE hn::VFromD<Four> load_four(const float* from) { return hn::LoadU(Four(), from); }
HWY_INLINE hn::VFromD<Four> load_four(const std::uint8_t* from) {
  const hn::RebindToSigned<Four> ints;
  return hn::ConvertTo(Four(), hn::PromoteTo(ints, hn::LoadU(hn::Rebind<std::uint8_t, Four>(), from)));
}

HWY_INLINE void store_four(hn::VFromD<Four> value, float* out) { hn::StoreU(value, Four(), out); }
HWY_INLINE void store_four(hn::VFromD<Four> value, std::uint8_t* out) {
  const Four four;
  const auto clamped = hn::Min(hn::Max(value, hn::Zero(four)), hn::Set(four, 255.0F));
  const hn::Rebind<std::uint8_t, Four> bytes;
  hn::StoreU(hn::DemoteTo(bytes, hn::NearestInt(clamped)), bytes, out);
}

template <int kChannels, class T>
void pixels_of(const T* HWY_RESTRICT in, std::size_t elements, const PixelQuads& quads, int count,
               const float* fill, T* HWY_RESTRICT out) {
  const Four four;
  float outside[4] = {};
  if (fill != nullptr) std::copy_n(fill, kChannels, outside);
  T edge[4][4] = {};
  for (int i = 0; i < count; ++i, out += kChannels) {
    const T* above = in + quads.offset[i];
    const T* below = above + quads.down[i];
    const std::int32_t right = quads.right[i];
    const T* corners[4] = {above, above + right, below, below + right};
    // Four elements are loaded, of which a pixel at the end of the picture has fewer.
    if (static_cast<std::size_t>(corners[3] - in) + 4 > elements) {
      for (int k = 0; k < 4; ++k) corners[k] = std::copy_n(corners[k], kChannels, edge[k]) - kChannels;
    }
    T results[4];
    for (std::size_t lane = 0; lane < 4; lane += kFourLanes) {
      auto value = hn::Mul(load_four(corners[0] + lane), hn::Set(four, quads.weight[0][i]));
      for (int k = 1; k < 4; ++k)
        value = hn::Add(value, hn::Mul(load_four(corners[k] + lane), hn::Set(four, quads.weight[k][i])));
      if (fill != nullptr) {
        const auto beyond = hn::LoadU(four, outside + lane);
        value = hn::Add(hn::Mul(hn::Sub(value, beyond), hn::Set(four, quads.seen[i])), beyond);
      }
      store_four(value, results + lane);
    }
    std::memcpy(out, results, kChannels * sizeof(T));
  }
}

template <class T>
void run_pixels(const T* in, std::size_t elements, int channels, const PixelQuads& quads, int count,
                const float* fill, T* out) {
  switch (channels) {
    case 2:
      return pixels_of<2>(in, elements, quads, count, fill, out);
    case 3:
      return pixels_of<3>(in, elements, quads, count, fill, out);
    default:
      return pixels_of<4>(in, elements, quads, count, fill, out);
  }
}

void run_byte_pixels(const std::uint8_t* in, std::size_t elements, int channels, const PixelQuads& quads,
                     int count, const float* fill, std::uint8_t* out) {
  run_pixels(in, elements, channels, quads, count, fill, out);
}
void run_float_pixels(const float* in, std::size_t elements, int channels, const PixelQuads& quads, int count,
                      const float* fill, float* out) {
  run_pixels(in, elements, channels, quads, count, fill, out);
}
void run_byte_channel(const std::uint8_t* in, const PixelQuads& quads, int count, const float* fill,
                      std::uint8_t* out) {
  run_channel(in, quads, count, fill, out);
}
void run_float_channel(const float* in, const PixelQuads& quads, int count, const float* fill, float* out) {
  run_channel(in, quads, count, fill, out);
}

}  // namespace headrace::image::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headrace::image {

HWY_EXPORT(run_nearest);
HWY_EXPORT(run_quads);
HWY_EXPORT(run_byte_pixels);
HWY_EXPORT(run_float_pixels);
HWY_EXPORT(run_byte_channel);
HWY_EXPORT(run_float_channel);

void locate_nearest(const SampleGrid& grid, const SampleBounds& bounds, int row, int first, int count,
                    NearestPixels& pixels) {
  HWY_DYNAMIC_DISPATCH(run_nearest)(grid, bounds, row, first, count, pixels);
}

void locate_quads(const SampleGrid& grid, const SampleBounds& bounds, int row, int first, int count,
                  PixelQuads& quads) {
  HWY_DYNAMIC_DISPATCH(run_quads)(grid, bounds, row, first, count, quads);
}

void mix_pixels(const std::uint8_t* in, std::size_t elements, int channels, const PixelQuads& quads,
                int count, const float* fill, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(run_byte_pixels)(in, elements, channels, quads, count, fill, out);
}

void mix_pixels(const float* in, std::size_t elements, int channels, const PixelQuads& quads, int count,
                const float* fill, float* out) {
  HWY_DYNAMIC_DISPATCH(run_float_pixels)(in, elements, channels, quads, count, fill, out);
}

void mix_channel(const std::uint8_t* in, const PixelQuads& quads, int count, const float* fill,
                 std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(run_byte_channel)(in, quads, count, fill, out);
}

void mix_channel(const float* in, const PixelQuads& quads, int count, const float* fill, float* out) {
  HWY_DYNAMIC_DISPATCH(run_float_channel)(in, quads, count, fill, out);
}

}  // namespace headrace::image
#endif
