// SPDX-License-Identifier: Apache-2.0
//
// From one type of element to another as torchvision.transforms.v2.functional.to_dtype does on a tensor. Pure
// functions, called by image.to_dtype, on any thread. Floats to 16 bits: pixels/narrow.h.
#pragma once

#include <cstddef>
#include <cstdint>

namespace headrace::image {

/// `scale`: 255 levels are 0 to 1. Without it numbers stay what they are; what no byte can be is cut off.
void bytes_to_float32(const std::uint8_t* in, std::size_t count, bool scale, float* out);
void bytes_to_float16(const std::uint8_t* in, std::size_t count, bool scale, std::uint16_t* out);
void bytes_to_bfloat16(const std::uint8_t* in, std::size_t count, bool scale, std::uint16_t* out);
void float32_to_bytes(const float* in, std::size_t count, bool scale, std::uint8_t* out);

}  // namespace headrace::image
