// SPDX-License-Identifier: Apache-2.0
//
// Looks at a PNG's chunks (W3C PNG, section 5) without decoding: does the file go on to its end, and can what
// it holds fill the picture that its header promises? Pure, called by the PNG decoder before it decodes
// anything.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pixels/verdict.h"

namespace headrace::image {

/// Refuses a PNG whose chunks do not lead, unbroken, from IHDR over IDAT to IEND. `data_bytes` gets the
/// compressed size of the picture: all IDAT chunks together.
Verdict check_png_end(const std::uint8_t* data, std::size_t size, std::size_t& data_bytes);

}  // namespace headrace::image
