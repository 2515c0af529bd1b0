// SPDX-License-Identifier: Apache-2.0
//
// See narrow.h. This file is compiled several times over, once for each instruction set.
#include "pixels/narrow.h"

#include <array>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pixels/narrow.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace headrace::image::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, 16>;
using Words = hn::RebindToUnsigned<Floats>;
using Halves = hn::Rebind<std::uint16_t, Floats>;
using Half = hn::VFromD<Halves>;
constexpr std::size_t kLanes = hn::MaxLanes(Floats());

// All by integers rather than by the processor's own instruction, which not every one has and which one of
// Highway's stand-ins truncates.
struct Float16 {
  static HWY_INLINE Half round(hn::VFromD<Words> bits) {
    const Words words;
    const hn::RebindToSigned<Floats> ints;
    const Floats floats;
    const auto sign = hn::And(bits, hn::Set(words, 0x80000000U));
    const auto magnitude = hn::Xor(bits, sign);
    // Normal: the exponent's bias goes from 127 to 15, and the 13 bits that fall off are rounded by a carry.
    const auto odd = hn::And(hn::ShiftRight<13>(magnitude), hn::Set(words, 1));
    const auto rebiased = hn::Add(magnitude, hn::Set(words, ((15U - 127U) << 23) + 0xFFFU));
    const auto normal = hn::ShiftRight<13>(hn::Add(rebiased, odd));
    // Below 2^-14: added to 0.5, whose last place is 2^-24, a float is rounded to a multiple of that.
    const auto half = hn::Set(floats, 0.5F);
    const auto small =
        hn::Sub(hn::BitCast(words, hn::Add(hn::BitCast(floats, magnitude), half)), hn::BitCast(words, half));
    // From 65520 on infinity; a NaN gets the quiet bit.
    const auto nan = hn::Set(words, 0x7E00U);
    const auto infinity = hn::Set(words, 0x7C00U);
    const auto as_int = hn::BitCast(ints, magnitude);
    const auto is_nan = hn::RebindMask(words, hn::Gt(as_int, hn::Set(ints, 0x7F800000)));
    const auto is_large = hn::RebindMask(words, hn::Gt(as_int, hn::Set(ints, 0x477FEFFF)));
    const auto is_small = hn::RebindMask(words, hn::Lt(as_int, hn::Set(ints, 113 << 23)));
    auto result = hn::IfThenElse(is_small, small, normal);
    result = hn::IfThenElse(is_large, infinity, result);
    result = hn::IfThenElse(is_nan, nan, result);
    return narrowed(hn::Or(result, hn::ShiftRight<16>(sign)));
  }

  static HWY_INLINE Half narrowed(hn::VFromD<Words> words) {
    const hn::RebindToSigned<Floats> ints;
    return hn::DemoteTo(Halves(), hn::BitCast(ints, words));  // 0 .. 65535: saturates nothing
  }
};

struct Bfloat16 {
  static HWY_INLINE Half round(hn::VFromD<Words> bits) {
    const Words words;
    const hn::RebindToSigned<Floats> ints;
    const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(words, 1));
    const auto rounded = hn::ShiftRight<16>(hn::Add(hn::Add(bits, hn::Set(words, 0x7FFFU)), odd));
    const auto magnitude = hn::And(bits, hn::Set(words, 0x7FFFFFFFU));
    const auto is_nan =
        hn::RebindMask(words, hn::Gt(hn::BitCast(ints, magnitude), hn::Set(ints, 0x7F800000)));
    const auto quiet = hn::Or(hn::ShiftRight<16>(bits), hn::Set(words, 0x40U));
    return Float16::narrowed(hn::IfThenElse(is_nan, quiet, rounded));
  }
};

template <class To>
HWY_INLINE void narrow(const float* in, std::size_t count, std::uint16_t* out) {
  const Floats floats;
  const Words words;
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    hn::StoreU(To::round(hn::BitCast(words, hn::LoadU(floats, in + i))), Halves(), out + i);
  if (i == count) return;
  std::array<float, kLanes> rest{};
  std::array<std::uint16_t, kLanes> narrow_rest;
  for (std::size_t k = i; k < count; ++k) rest[k - i] = in[k];
  hn::StoreU(To::round(hn::BitCast(words, hn::LoadU(floats, rest.data()))), Halves(), narrow_rest.data());
  for (std::size_t k = i; k < count; ++k) out[k] = narrow_rest[k - i];
}

void run_float16(const float* in, std::size_t count, std::uint16_t* out) { narrow<Float16>(in, count, out); }
void run_bfloat16(const float* in, std::size_t count, std::uint16_t* out) {
  narrow<Bfloat16>(in, count, out);
}

}  // namespace headrace::image::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headrace::image {

HWY_EXPORT(run_float16);
HWY_EXPORT(run_bfloat16);

void to_float16(const float* in, std::size_t count, std::uint16_t* out) {
  HWY_DYNAMIC_DISPATCH(run_float16)(in, count, out);
}

void to_bfloat16(const float* in, std::size_t count, std::uint16_t* out) {
  HWY_DYNAMIC_DISPATCH(run_bfloat16)(in, count, out);
}

}  // namespace headrace::image
#endif
