// SPDX-License-Identifier: Apache-2.0
//
// What the decoders are asked for and what they tell of a file before its pixels: the words that the JPEG
// decoder, the PNG decoder and picture.h share. Plain values.
#pragma once

#include <cstdint>

#include "codec/colour.h"
#include "pixels/geometry.h"
#include "pixels/orientation.h"

namespace headrace::image {

struct DecodeOptions {
  /// Pictures that claim more are refused by their header. The default is twice Pillow's warning limit: where
  /// Pillow refuses.
  std::int64_t max_pixels = 178'956'970;
  ColourRule colour = {};
  /// Whether the picture is turned as its EXIF says.
  bool apply_exif = true;
  /// Whether a damaged file gives what can still be read of it, with grey for the rest, instead of a refusal.
  bool salvage = false;
  /// Whether damage is sought below the last row that is needed, too.
  bool verify_whole = false;
};

struct Header {
  Size stored;
  Pixels pixels = Pixels::kRgb;
  Orientation orientation = Orientation::kUpright;
};

}  // namespace headrace::image
