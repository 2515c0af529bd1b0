// SPDX-License-Identifier: Apache-2.0
//
// Parameters that several image ops share, and how they are read: one wording, one check. Used by the ops'
// declarations, on any thread.
#pragma once

#include <headrace/cpp/op.hpp>

#include <string>

#include "pixels/geometry.h"
#include "pixels/normalize.h"
#include "pixels/pixel_writer.h"
#include "pixels/taps.h"

namespace headrace::image {

inline constexpr const char* kFloatTypes[] = {"float32", "float16", "bfloat16"};
inline constexpr const char* kLayouts[] = {"CHW", "HWC"};
inline constexpr const char* kInterpolations[] = {"nearest", "box",     "bilinear",
                                                  "hamming", "bicubic", "lanczos"};

constexpr Param field_param() { return Param::string("field", "The picture to work on.").otherwise("image"); }
constexpr Param out_param() {
  return Param::string("out", "Where the result goes; not given: it takes the place of `field`.").nullable();
}
constexpr Param keep_param() {
  return Param::boolean("keep", "With another `out`: whether `field` stays too.").otherwise("false");
}
constexpr Param layout_param() {
  return Param::choice("layout", "The order of the result's axes.", kLayouts).otherwise("CHW");
}
constexpr Param interpolation_param() {
  return Param::choice("interpolation", "The resampling filter, as Pillow names them.", kInterpolations)
      .otherwise("bilinear");
}
constexpr Param antialias_param() {
  return Param::boolean("antialias",
                        "Whether the filter grows when shrinking, so that no pixel is passed over.")
      .otherwise("true");
}

/// 'name', for messages.
std::string quoted(const std::string& name);

/// `field`, and `out` or what stands for it.
std::string field_of(const Params& params);
std::string out_of(const Params& params);

Filter filter_of(const Params& params);

/// A `size` of one or two numbers, torchvision's (height, width), max_size, or one number and both.
ResizeRule resize_rule(const Params& params);
/// The same where one number means a square.
Size square_or_size(const Params& params);

/// torchvision's `scale` and `ratio`.
RandomCropRule random_crop_rule(const Params& params);

PixelLayout layout_of(const Params& params);
/// `dtype`, one of kFloatTypes.
PixelType float_type_of(const Params& params);

headrace_dtype dtype_of(PixelType type);
/// A picture's spec, without a name.
Spec picture_of(PixelType type, PixelLayout layout, Spec::Dim height, Spec::Dim width, Spec::Dim channels);
/// Memory for output 0 of an op whose output was declared by picture_of(). Size and channels as they are.
void* allocate_picture(Call& call, PixelLayout layout, Size size, int channels);

/// Declares that the op turns `field` into `out`: reads one, writes the other as `spec` says (its name is
/// filled in), and lets go of `field` unless it is to be kept. Gives the ports, or -1 in both when something
/// was reported.
struct Ports {
  std::int32_t input = -1;
  std::int32_t output = -1;
};
Ports replace_field(Declaration& declaration, Spec spec);

/// The spec of `field` if it is a picture: a tensor of three axes laid out HWC or CHW. Otherwise null,
/// reported or to be reported by read().
const headrace_field_spec* picture_spec(Declaration& declaration);

}  // namespace headrace::image
