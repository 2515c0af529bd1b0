// SPDX-License-Identifier: Apache-2.0
//
// The parameters that the geometric ops share beyond those of parameters.h: what lies around a picture, how a
// warp samples it, and the boxes that follow it. Used by the ops' declarations and constructors, on any
// thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ops/parameters.h"
#include "warp/boxes.h"
#include "warp/place.h"
#include "warp/sample.h"

namespace headrace::image {

inline constexpr const char* kPaddingModes[] = {"constant", "edge", "reflect", "symmetric"};
inline constexpr const char* kSamplings[] = {"nearest", "bilinear"};
inline constexpr const char* kBoxFormats[] = {"xyxy", "xywh", "cxcywh"};

constexpr Param padding_param() {
  return Param::integer("padding",
                        "Pixels around the picture: one number for all sides; two: left and right, top and "
                        "bottom; four: left, top, right, bottom.")
      .range(0, kMaxSide)
      .one_or_list(1, 4)
      .unit_of("pixels");
}
constexpr Param padding_mode_param() {
  return Param::choice("padding_mode",
                       "What the padding shows: the fill, the pixel at the edge, or the picture mirrored, "
                       "without (reflect) or with (symmetric) its outermost pixels.",
                       kPaddingModes)
      .otherwise("constant");
}
constexpr Param fill_param() {
  return Param::number("fill",
                       "What stands where the picture has no pixel, in the picture's own units; several "
                       "numbers: one for each channel.")
      .nullable()
      .one_or_list(1, kMaxChannels)
      .otherwise("0");
}
constexpr Param sampling_param(const char* by_default) {
  return Param::choice("interpolation", "Whether a pixel is the nearest one or a mean of the four around it.",
                       kSamplings)
      .otherwise(by_default);
}
constexpr Param center_param() {
  return Param::number("center", "What stays in its place: x, y; not given: the picture's middle.")
      .nullable()
      .list(2, 2)
      .unit_of("pixels");
}
constexpr Param boxes_param() {
  return Param::string(
             "boxes",
             "A field of boxes, float32[N, 4] in pixels, that follow the picture and are cut off at "
             "its sides.")
      .nullable();
}
constexpr Param box_format_param() {
  return Param::choice("box_format",
                       "What a box's numbers are: two corners; a corner, width and height; the centre, width "
                       "and height.",
                       kBoxFormats)
      .otherwise("xyxy");
}

/// `padding` of 1, 2 or 4 numbers; none when it is not given.
Padding padding_of(const Params& params);
Surround surround_of(const Params& params);
Sampling sampling_of(const Params& params);
BoxFormat box_format_of(const Params& params);
/// One number d means -d .. d.
std::vector<double> symmetric_range(const Params& params, const char* name);

/// `fill` for each of the channels; empty when it is null.
std::vector<float> fill_of(const Params& params, std::int64_t channels);
/// The same as pixel_bytes(); empty when all are 0.
std::vector<std::uint8_t> fill_bytes(const Params& params, const headrace_field_spec& picture);

/// A number for each channel, or one for all, as the bytes of a pixel of that dtype, channel after channel.
std::vector<std::uint8_t> pixel_bytes(const std::vector<double>& values, const headrace_field_spec& picture);

/// The channels of a picture's spec; -1: not known beforehand.
std::int64_t channels_of(const headrace_field_spec& picture);
/// The picture as the warps see it.
template <class T>
PictureView<T> view_of(T* data, const headrace_value& value) {
  const bool chw = value.layout == HEADRACE_LAYOUT_CHW;
  return {data,
          {static_cast<int>(value.shape[chw ? 2 : 1]), static_cast<int>(value.shape[chw ? 1 : 0])},
          static_cast<int>(value.shape[chw ? 0 : 2]),
          chw ? PixelLayout::kChw : PixelLayout::kHwc};
}
/// The picture as planes of bytes.
Planes planes_of(const headrace_value& value);
/// Memory for output 0: a picture like that one, of that size.
void* allocate_picture(Call& call, const headrace_value& like, Size size);

/// Below: each reports what is wrong at its parameter and gives INVALID_ARGUMENT then.

/// A list of numbers must not be 3 long.
headrace_status check_padding_count(Declaration& declaration);
/// `fill` has a number for each channel, which the picture's dtype can hold.
headrace_status check_fill(Declaration& declaration, const headrace_field_spec& picture);
/// A pair must not be the wrong way round.
headrace_status check_order(Declaration& declaration, const char* name);
/// The field of a picture of 1 to 4 channels, uint8 or float32, known beforehand; null when it is not that.
const headrace_field_spec* warpable_spec(Declaration& declaration);

/// That picture with another size; an axis of -1 is known only sample by sample.
Spec resized_spec(const headrace_field_spec& picture, Spec::Dim height, Spec::Dim width);

}  // namespace headrace::image
