// SPDX-License-Identifier: Apache-2.0
//
// See canvas.h.
#include "ops/canvas.h"

namespace headrace::image {

PictureShape shape_of(const headrace_value& value) {
  const bool chw = value.layout == HEADRACE_LAYOUT_CHW;
  PictureShape shape;
  shape.size = {static_cast<int>(value.shape[chw ? 2 : 1]), static_cast<int>(value.shape[chw ? 1 : 0])};
  shape.channels = static_cast<int>(value.shape[chw ? 0 : 2]);
  shape.layout = chw ? PixelLayout::kChw : PixelLayout::kHwc;
  shape.type = value.dtype == HEADRACE_UINT8 ? PixelType::kUint8 : PixelType::kFloat32;
  return shape;
}

void* Canvas::memory() {
  if (memory_ == nullptr) memory_ = call_->allocate_like<std::uint8_t>(0, call_->input(0));
  return memory_;
}

}  // namespace headrace::image
