// SPDX-License-Identifier: Apache-2.0
//
// A picture in memory as the warps see it: dense, HWC or CHW, of bytes or floats. A plain value that borrows
// the memory; any thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pixels/geometry.h"
#include "pixels/pixel_writer.h"

namespace headrace::image {

/// `T` is std::uint8_t or float, const where it is only read.
template <class T>
struct PictureView {
  T* data = nullptr;
  Size size;
  int channels = 0;
  PixelLayout layout = PixelLayout::kHwc;

  std::size_t pixels() const {
    return static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
  }
  std::size_t elements() const { return pixels() * static_cast<std::size_t>(channels); }
  /// Elements from a value to the one right of it, below it, and in the next channel.
  std::size_t column_step() const {
    return layout == PixelLayout::kHwc ? static_cast<std::size_t>(channels) : 1;
  }
  std::size_t row_step() const { return static_cast<std::size_t>(size.width) * column_step(); }
  std::size_t channel_step() const { return layout == PixelLayout::kHwc ? 1 : pixels(); }
};

}  // namespace headrace::image
