// SPDX-License-Identifier: Apache-2.0
//
// What the JPEG and the PNG decoder have in common: how much they may be asked to decode. Read by both and by
// picture.h.
#pragma once

#include <cstdint>

namespace headrace::image {

struct DecodeLimits {
  /// Pictures that claim more are refused by their header. The default is twice Pillow's warning limit: where
  /// Pillow refuses.
  std::int64_t max_pixels = 178'956'970;
};

}  // namespace headrace::image
