// SPDX-License-Identifier: Apache-2.0
//
// The orientation that a JPEG's APP1 segments give, EXIF or XMP. Pure; called by the JPEG decoder with the
// header.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pixels/orientation.h"

namespace headrace::image {

/// Looks at what lies before the first scan. Several EXIF segments are one, cut up; of several XMP segments
/// the last counts.
Orientation jpeg_orientation(const std::uint8_t* data, std::size_t size);

}  // namespace headrace::image
