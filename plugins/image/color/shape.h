// SPDX-License-Identifier: Apache-2.0
//
// What a picture in memory looks like to the pixel functions of this folder: dense rows, top to bottom, its
// channels interleaved (HWC) or a plane each (CHW), bytes from 0 to 255 or floats of which 0 is black and 1
// is white. Plain values, any thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pixels/geometry.h"
#include "pixels/narrow.h"
#include "pixels/pixel_writer.h"

namespace headrace::image {

struct PictureShape {
  Size size;
  int channels = 0;  // 1 .. kMaxChannels
  PixelLayout layout = PixelLayout::kHwc;
  PixelType type = PixelType::kUint8;  // or kFloat32

  std::size_t pixels() const {
    return static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
  }
  std::size_t elements() const { return pixels() * static_cast<std::size_t>(channels); }
  std::size_t bytes() const { return elements() * pixel_type_bytes(type); }

  /// A channel's values begin at channel_start() and lie step() apart. A picture of one channel is both
  /// interleaved and planar.
  bool is_interleaved() const { return layout == PixelLayout::kHwc; }
  std::size_t step() const { return is_interleaved() ? static_cast<std::size_t>(channels) : 1; }
  std::size_t channel_start(int channel) const {
    return static_cast<std::size_t>(channel) * (is_interleaved() ? 1 : pixels());
  }
};

/// Calls body(in, out) with pointers to the picture's own type of element.
template <class Body>
void with_elements(const PictureShape& shape, const void* in, void* out, Body&& body) {
  if (shape.type == PixelType::kUint8) {
    body(static_cast<const std::uint8_t*>(in), static_cast<std::uint8_t*>(out));
  } else {
    body(static_cast<const float*>(in), static_cast<float*>(out));
  }
}

}  // namespace headrace::image
