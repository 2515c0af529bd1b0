// SPDX-License-Identifier: Apache-2.0
//
// See color_kernels.h. This file is compiled several times over, once for each instruction set.
#include "color/color_kernels.h"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "color/color_kernels.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace headrace::image::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, 16>;
using Bytes = hn::Rebind<std::uint8_t, Floats>;
using Vec = hn::VFromD<Floats>;
constexpr std::size_t kLanes = hn::MaxLanes(Floats());

HWY_INLINE Vec set(float value) { return hn::Set(Floats(), value); }

HWY_INLINE Vec to_floats(hn::VFromD<Bytes> bytes) {
  const hn::RebindToSigned<Floats> ints;
  return hn::ConvertTo(Floats(), hn::PromoteTo(ints, bytes));
}

/// Cuts off what is behind the point. `floats` are within 0 .. 255.
HWY_INLINE hn::VFromD<Bytes> to_bytes(Vec floats) {
  const hn::RebindToSigned<Floats> ints;
  return hn::DemoteTo(Bytes(), hn::ConvertTo(ints, floats));
}

HWY_INLINE Vec load(const std::uint8_t* from) { return to_floats(hn::LoadU(Bytes(), from)); }
HWY_INLINE Vec load(const float* from) { return hn::LoadU(Floats(), from); }
HWY_INLINE void store(Vec values, std::uint8_t* to) { hn::StoreU(to_bytes(values), Bytes(), to); }
HWY_INLINE void store(Vec values, float* to) { hn::StoreU(values, Floats(), to); }

struct Rgb {
  Vec r;
  Vec g;
  Vec b;
};

HWY_INLINE Rgb load_interleaved(const std::uint8_t* from) {
  hn::VFromD<Bytes> r;
  hn::VFromD<Bytes> g;
  hn::VFromD<Bytes> b;
  hn::LoadInterleaved3(Bytes(), from, r, g, b);
  return {to_floats(r), to_floats(g), to_floats(b)};
}
HWY_INLINE Rgb load_interleaved(const float* from) {
  Rgb rgb;
  hn::LoadInterleaved3(Floats(), from, rgb.r, rgb.g, rgb.b);
  return rgb;
}
HWY_INLINE void store_interleaved(const Rgb& rgb, std::uint8_t* to) {
  hn::StoreInterleaved3(to_bytes(rgb.r), to_bytes(rgb.g), to_bytes(rgb.b), Bytes(), to);
}
HWY_INLINE void store_interleaved(const Rgb& rgb, float* to) {
  hn::StoreInterleaved3(rgb.r, rgb.g, rgb.b, Floats(), to);
}

HWY_INLINE Vec white(const std::uint8_t*) { return set(255.0F); }
HWY_INLINE Vec white(const float*) { return set(1.0F); }
HWY_INLINE Vec whole_levels(Vec values, const std::uint8_t*) { return hn::Floor(values); }
HWY_INLINE Vec whole_levels(Vec values, const float*) { return values; }

template <class T>
HWY_INLINE Vec within_range(Vec values) {
  return hn::Min(hn::Max(values, hn::Zero(Floats())), white(static_cast<T*>(nullptr)));
}

template <class T>
void run_blend(const T* in, T* out, std::size_t count, float ratio, float addend) {
  const auto blended = [&](Vec x) { return within_range<T>(hn::Add(hn::Mul(x, set(ratio)), set(addend))); };
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) store(blended(load(in + i)), out + i);
  if (i == count) return;
  T rest[kLanes] = {};
  std::memcpy(rest, in + i, (count - i) * sizeof(T));
  store(blended(load(rest)), rest);
  std::memcpy(out + i, rest, (count - i) * sizeof(T));
}

/// Calls body(rgb, i) for the vectors of pixels from `i` on, the last of them filled up with zeros.
template <class T, class Body>
HWY_INLINE void each_rgb(const RgbRun<const T>& in, std::size_t count, Body&& body) {
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    if (in.is_interleaved) {
      body(load_interleaved(in.channel[0] + 3 * i), i);
    } else {
      body(Rgb{load(in.channel[0] + i), load(in.channel[1] + i), load(in.channel[2] + i)}, i);
    }
  }
  if (i == count) return;
  const std::size_t bytes = (count - i) * sizeof(T);
  T rest[3 * kLanes] = {};
  if (in.is_interleaved) {
    std::memcpy(rest, in.channel[0] + 3 * i, 3 * bytes);
    body(load_interleaved(rest), i);
  } else {
    for (std::size_t c = 0; c < 3; ++c) std::memcpy(rest + c * kLanes, in.channel[c] + i, bytes);
    body(Rgb{load(rest), load(rest + kLanes), load(rest + 2 * kLanes)}, i);
  }
}

template <class T>
HWY_INLINE void store_rgb(const Rgb& rgb, const RgbRun<T>& out, std::size_t i, std::size_t count) {
  if (i + kLanes <= count) {
    if (out.is_interleaved) {
      store_interleaved(rgb, out.channel[0] + 3 * i);
    } else {
      store(rgb.r, out.channel[0] + i);
      store(rgb.g, out.channel[1] + i);
      store(rgb.b, out.channel[2] + i);
    }
    return;
  }
  const std::size_t bytes = (count - i) * sizeof(T);
  T rest[3 * kLanes];
  if (out.is_interleaved) {
    store_interleaved(rgb, rest);
    std::memcpy(out.channel[0] + 3 * i, rest, 3 * bytes);
  } else {
    store(rgb.r, rest);
    store(rgb.g, rest + kLanes);
    store(rgb.b, rest + 2 * kLanes);
    for (std::size_t c = 0; c < 3; ++c) std::memcpy(out.channel[c] + i, rest + c * kLanes, bytes);
  }
}

HWY_INLINE Vec luma(const Rgb& rgb) {
  return hn::Add(hn::Add(hn::Mul(rgb.r, set(0.2989F)), hn::Mul(rgb.g, set(0.587F))),
                 hn::Mul(rgb.b, set(0.114F)));
}

template <class T>
void run_gray(const RgbRun<const T>& in, std::size_t count, T* out) {
  each_rgb(in, count, [&](const Rgb& rgb, std::size_t i) {
    if (i + kLanes <= count) return store(luma(rgb), out + i);
    T rest[kLanes];
    store(luma(rgb), rest);
    std::memcpy(out + i, rest, (count - i) * sizeof(T));
  });
}

template <class T>
void run_saturate(const RgbRun<const T>& in, const RgbRun<T>& out, std::size_t count, float ratio) {
  each_rgb(in, count, [&](const Rgb& rgb, std::size_t i) {
    const Vec gray = hn::Mul(whole_levels(luma(rgb), static_cast<T*>(nullptr)), set(1.0F - ratio));
    const auto blended = [&](Vec x) { return within_range<T>(hn::Add(hn::Mul(x, set(ratio)), gray)); };
    store_rgb<T>({blended(rgb.r), blended(rgb.g), blended(rgb.b)}, out, i, count);
  });
}

/// The part of a whole number of turns that is left, in [0, 1): `x` is within -1 and 2.
HWY_INLINE Vec within_turn(Vec x) {
  const Vec one = set(1.0F);
  x = hn::IfThenElse(hn::Lt(x, hn::Zero(Floats())), hn::Add(x, one), x);
  return hn::IfThenElse(hn::Ge(x, one), hn::Sub(x, one), x);
}

HWY_INLINE Rgb turned(const Rgb& rgb, float turn) {
  const Vec one = set(1.0F);
  const Vec zero = hn::Zero(Floats());
  const Vec value = hn::Max(rgb.r, hn::Max(rgb.g, rgb.b));
  const Vec range = hn::Sub(value, hn::Min(rgb.r, hn::Min(rgb.g, rgb.b)));
  const auto is_gray = hn::Eq(range, zero);
  const Vec saturation = hn::Div(range, hn::IfThenElse(is_gray, one, value));
  const Vec divisor = hn::IfThenElse(is_gray, one, range);
  const Vec r = hn::Div(hn::Sub(value, rgb.r), divisor);
  const Vec g = hn::Div(hn::Sub(value, rgb.g), divisor);
  const Vec b = hn::Div(hn::Sub(value, rgb.b), divisor);
  const Vec sixths = hn::IfThenElse(hn::Eq(value, rgb.r), hn::Sub(b, g),
                                    hn::IfThenElse(hn::Eq(value, rgb.g), hn::Sub(hn::Add(r, set(2.0F)), b),
                                                   hn::Sub(hn::Add(g, set(4.0F)), r)));
  const Vec hue = within_turn(hn::Add(hn::Mul(sixths, set(1.0F / 6.0F)), one));
  const Vec scaled = hn::Mul(within_turn(hn::Add(hue, set(turn))), set(6.0F));
  const Vec sextant = hn::Floor(scaled);
  const Vec part = hn::Mul(saturation, hn::Sub(scaled, sextant));
  const Vec unsaturated = hn::Sub(one, saturation);
  const auto level = [&](Vec x) { return hn::Min(hn::Max(hn::Mul(x, value), zero), one); };
  const Vec p = level(unsaturated);
  const Vec q = level(hn::Sub(one, part));
  const Vec t = level(hn::Add(part, unsaturated));
  const auto below = [&](float n, Vec yes, Vec no) {
    return hn::IfThenElse(hn::Lt(sextant, set(n)), yes, no);
  };
  return {below(1, value, below(2, q, below(4, p, below(5, t, value)))),
          below(1, t, below(3, value, below(4, q, p))), below(2, p, below(3, t, below(5, value, q)))};
}

HWY_INLINE Rgb scaled(const Rgb& rgb, float by) {
  return {hn::Mul(rgb.r, set(by)), hn::Mul(rgb.g, set(by)), hn::Mul(rgb.b, set(by))};
}

/// Levels to [0, 1] and back as torchvision's to_dtype does.
HWY_INLINE Rgb turned(const Rgb& rgb, float turn, const std::uint8_t*) {
  return scaled(turned(scaled(rgb, 1.0F / 255.0F), turn), 255.999F);
}
HWY_INLINE Rgb turned(const Rgb& rgb, float turn, const float*) { return turned(rgb, turn); }

template <class T>
void run_turn(const RgbRun<const T>& in, const RgbRun<T>& out, std::size_t count, float turn) {
  each_rgb(in, count, [&](const Rgb& rgb, std::size_t i) {
    store_rgb<T>(turned(rgb, turn, static_cast<T*>(nullptr)), out, i, count);
  });
}

// HWY_EXPORT wants functions, not templates.
void blend_bytes(const std::uint8_t* in, std::uint8_t* out, std::size_t count, float ratio, float addend) {
  run_blend(in, out, count, ratio, addend);
}
void blend_floats(const float* in, float* out, std::size_t count, float ratio, float addend) {
  run_blend(in, out, count, ratio, addend);
}
void gray_bytes(const RgbRun<const std::uint8_t>& in, std::size_t count, std::uint8_t* out) {
  run_gray(in, count, out);
}
void gray_floats(const RgbRun<const float>& in, std::size_t count, float* out) { run_gray(in, count, out); }
void saturate_bytes(const RgbRun<const std::uint8_t>& in, const RgbRun<std::uint8_t>& out, std::size_t count,
                    float ratio) {
  run_saturate(in, out, count, ratio);
}
void saturate_floats(const RgbRun<const float>& in, const RgbRun<float>& out, std::size_t count,
                     float ratio) {
  run_saturate(in, out, count, ratio);
}
void turn_bytes(const RgbRun<const std::uint8_t>& in, const RgbRun<std::uint8_t>& out, std::size_t count,
                float turn) {
  run_turn(in, out, count, turn);
}
void turn_floats(const RgbRun<const float>& in, const RgbRun<float>& out, std::size_t count, float turn) {
  run_turn(in, out, count, turn);
}

}  // namespace headrace::image::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headrace::image {

HWY_EXPORT(blend_bytes);
HWY_EXPORT(blend_floats);
HWY_EXPORT(gray_bytes);
HWY_EXPORT(gray_floats);
HWY_EXPORT(saturate_bytes);
HWY_EXPORT(saturate_floats);
HWY_EXPORT(turn_bytes);
HWY_EXPORT(turn_floats);

void blend(const std::uint8_t* in, std::uint8_t* out, std::size_t count, float ratio, float addend) {
  HWY_DYNAMIC_DISPATCH(blend_bytes)(in, out, count, ratio, addend);
}
void blend(const float* in, float* out, std::size_t count, float ratio, float addend) {
  HWY_DYNAMIC_DISPATCH(blend_floats)(in, out, count, ratio, addend);
}
void gray_of(const RgbRun<const std::uint8_t>& in, std::size_t count, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(gray_bytes)(in, count, out);
}
void gray_of(const RgbRun<const float>& in, std::size_t count, float* out) {
  HWY_DYNAMIC_DISPATCH(gray_floats)(in, count, out);
}
void saturate(const RgbRun<const std::uint8_t>& in, const RgbRun<std::uint8_t>& out, std::size_t count,
              float ratio) {
  HWY_DYNAMIC_DISPATCH(saturate_bytes)(in, out, count, ratio);
}
void saturate(const RgbRun<const float>& in, const RgbRun<float>& out, std::size_t count, float ratio) {
  HWY_DYNAMIC_DISPATCH(saturate_floats)(in, out, count, ratio);
}
void turn_hue(const RgbRun<const std::uint8_t>& in, const RgbRun<std::uint8_t>& out, std::size_t count,
              float turn) {
  HWY_DYNAMIC_DISPATCH(turn_bytes)(in, out, count, turn);
}
void turn_hue(const RgbRun<const float>& in, const RgbRun<float>& out, std::size_t count, float turn) {
  HWY_DYNAMIC_DISPATCH(turn_floats)(in, out, count, turn);
}

}  // namespace headrace::image
#endif
