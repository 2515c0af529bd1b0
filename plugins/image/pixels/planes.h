// SPDX-License-Identifier: Apache-2.0
//
// Interleaved bytes to planes, a row at a time. Called by the pixel writer on any thread.
#pragma once

#include <cstdint>

namespace headrace::image {

/// One row of `width` pixels of 1 to 4 interleaved bytes to `width` bytes in each of `channels` planes. Reads
/// kRowSlack bytes more.
void split_to_planes(const std::uint8_t* row, int width, int channels, std::uint8_t* const* planes);

}  // namespace headrace::image
