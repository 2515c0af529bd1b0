// SPDX-License-Identifier: Apache-2.0
//
// Looks at a JPEG's marker segments (ITU-T T.81, annex B) without decoding: does the file go on to its end?
// libjpeg would fill the missing rest with grey. Pure, called by the JPEG decoder before it decodes anything.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pixels/verdict.h"

namespace headrace::image {

/// Refuses a JPEG that has no scan, or no end-of-image marker after its last scan began. Bytes after that
/// marker are allowed; end markers inside segments (thumbnails) do not count. A file with one scan is
/// searched from its end and costs next to nothing; others are walked through once.
Verdict check_jpeg_end(const std::uint8_t* data, std::size_t size);

}  // namespace headrace::image
