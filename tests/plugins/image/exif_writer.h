// SPDX-License-Identifier: Apache-2.0
//
// Puts metadata into JPEGs and PNGs for the image tests.
#pragma once

#include <cstdint>
#include <vector>

namespace headrace::image::testing {

using Bytes = std::vector<std::uint8_t>;

/// `file`, a JPEG or PNG, with an EXIF that says so: an APP1 segment or an eXIf chunk.
Bytes with_orientation(const Bytes& file, int orientation);

/// `jpeg` with segments behind its start.
Bytes with_segments(const Bytes& jpeg, const Bytes& segments);
/// `png` with chunks before its data and behind it.
Bytes with_chunks(const Bytes& png, const Bytes& before, const Bytes& behind);

}  // namespace headrace::image::testing
