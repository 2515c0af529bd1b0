// SPDX-License-Identifier: Apache-2.0
//
// The orientation that a file's EXIF or XMP gives, read as Pillow 13's getexif() does: which entries count,
// where a broken one ends the search, what stands in for what. Pure; broken metadata is no metadata. Called
// by jpeg_metadata.h and png_metadata.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "pixels/orientation.h"

namespace headrace::image {

/// What stands before EXIF's TIFF structure in a JPEG's segment.
inline constexpr std::string_view kExifMark("Exif\0\0", 6);

struct Metadata {
  std::string_view exif;  // the TIFF structure, before which one mark more is forgiven
  std::string_view xmp;
};

/// EXIF's orientation; if that has no such tag, XMP's. Upright when neither gives one of the eight.
Orientation orientation_of(const Metadata& metadata);

}  // namespace headrace::image
