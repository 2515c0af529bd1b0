// SPDX-License-Identifier: Apache-2.0
//
// See transform.h.
#include "ops/transform.h"

namespace headrace::image {

std::optional<PictureSpec> declared_picture(Declaration& declaration) {
  const headrace_field_spec* in = picture_spec(declaration);
  if (in == nullptr) return std::nullopt;
  const bool chw = in->layout == HEADRACE_LAYOUT_CHW;
  const std::int64_t channels = in->dims[chw ? 0 : 2].size;
  if (in->dtype != HEADRACE_UINT8 && in->dtype != HEADRACE_FLOAT32) {
    declaration.error("field", quoted(field_of(declaration.params())) + " is " + Spec::dtype_name(in->dtype) +
                                   ": uint8 or float32 is wanted; put this node before image.to_dtype");
    return std::nullopt;
  }
  if (channels < 1 || channels > kMaxChannels) {
    declaration.error(
        "field", quoted(field_of(declaration.params())) + " must have 1 to 4 channels, known beforehand");
    return std::nullopt;
  }
  return PictureSpec{static_cast<int>(channels),
                     in->dtype == HEADRACE_UINT8 ? PixelType::kUint8 : PixelType::kFloat32,
                     in->dims[chw ? 1 : 0].size, in->dims[chw ? 2 : 1].size};
}

Objections want_gray_or_rgb(const PictureSpec& picture) {
  if (picture.channels == 1 || picture.channels == 3) return {};
  return {{"field", "a picture of " + std::to_string(picture.channels) +
                        " channels has no colours: 1 (gray) or 3 (RGB) are wanted"}};
}

Objections want_ascending(const Params& params, const char* name) {
  if (!params.given(name)) return {};
  const std::vector<double> pair = params.numbers(name);
  if (pair.size() != 2 || pair[0] <= pair[1]) return {};
  return {{name, "the first of the two must not be above the second"}};
}

}  // namespace headrace::image
