// SPDX-License-Identifier: Apache-2.0
//
// The inner loops of Normalization, compiled once for each instruction set and chosen at run time (Highway).
#pragma once

#include "pixels/normalize.h"

namespace headrace::image {

void normalize_to_planes(const Normalization::Constants& constants, int channels, const std::uint8_t* row,
                         int width, float* const* planes);
void normalize_to_interleaved(const Normalization::Constants& constants, int channels,
                              const std::uint8_t* row, int width, float* out);

}  // namespace headrace::image
