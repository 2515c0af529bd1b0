// SPDX-License-Identifier: Apache-2.0
//
// Decodes a whole file at once, for the tests of what comes out.
#pragma once

#include <string>
#include <vector>

#include "codec/picture.h"
#include "collected_rows.h"

namespace headrace::image::testing {

struct Outcome {
  Verdict verdict;
  Size size;
  int channels = 0;
  std::vector<std::uint8_t> pixels;
};

inline Outcome decode(PictureDecoder& decoder, const std::vector<std::uint8_t>& file,
                      const DecodeOptions& options = {}) {
  Outcome outcome;
  outcome.verdict = decoder.open(file.data(), file.size(), options);
  if (!outcome.verdict.ok()) return outcome;
  outcome.size = decoder.size();
  outcome.channels = decoder.channels();
  CollectedRows rows(outcome.size.width * outcome.channels);
  outcome.verdict = decoder.decode(whole(outcome.size), rows);
  outcome.pixels = rows.bytes();
  return outcome;
}

/// The pixels of `region` in a picture decoded whole.
inline std::vector<std::uint8_t> part_of(const Outcome& picture, const Region& region) {
  std::vector<std::uint8_t> part;
  for (int y = region.y; y < region.y + region.height; ++y) {
    const auto begin = picture.pixels.begin() +
                       (static_cast<std::ptrdiff_t>(y) * picture.size.width + region.x) * picture.channels;
    part.insert(part.end(), begin, begin + static_cast<std::ptrdiff_t>(region.width) * picture.channels);
  }
  return part;
}

}  // namespace headrace::image::testing
