// SPDX-License-Identifier: Apache-2.0
//
// See color_ops.h.
#include "ops/color_ops.h"

namespace headrace::image {

Objections Solarize::check(const Params& params, const PictureSpec& picture) {
  if (picture.type == PixelType::kUint8 || params.number("threshold") <= 1) return {};
  return {{"threshold", "floats go from 0 to 1, so that nothing would be inverted"}};
}

}  // namespace headrace::image
