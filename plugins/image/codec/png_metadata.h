// SPDX-License-Identifier: Apache-2.0
//
// The orientation that a PNG's chunks give: eXIf, and what was used before there was eXIf, the text chunks
// "Raw profile type exif" (ImageMagick's hexadecimal) and "XML:com.adobe.xmp". Pure; called by the PNG
// decoder with the header.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pixels/orientation.h"

namespace headrace::image {

/// Looks at the whole file, since these chunks may follow the picture's data. Of text, no more than a
/// megabyte is unpacked, and only of those two kinds.
Orientation png_orientation(const std::uint8_t* data, std::size_t size);

}  // namespace headrace::image
