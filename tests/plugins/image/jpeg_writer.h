// SPDX-License-Identifier: Apache-2.0
//
// Makes JPEGs of every kind for the tests by libjpeg's compressor, and decodes them whole by a plain libjpeg
// loop: the reference that decoding by region is held against. Used by the image tests only.
#pragma once

#include <cstdint>
#include <vector>

namespace headrace::image::testing {

struct JpegRecipe {
  int width = 0;
  int height = 0;
  int components = 3;  // 1, 3 or 4 (CMYK)
  int h_sampling = 1;  // of the first component against the others; of a grey picture its only one's, which
                       // changes nothing
  int v_sampling = 1;
  bool progressive = false;
  bool separate_scans = false;  // one scan a component, not progressive
  bool arithmetic = false;      // instead of Huffman coding
  int restart_rows = 0;
  int quality = 90;
};

/// A picture of edges, ramps and noise, the same for the same recipe.
std::vector<std::uint8_t> make_jpeg(const JpegRecipe& recipe);

struct Decoded {
  int width = 0;
  int height = 0;
  int channels = 0;
  std::vector<std::uint8_t> pixels;
};

/// To grey, RGB or CMYK, as many channels as the JPEG has.
Decoded decode_plainly(const std::vector<std::uint8_t>& jpeg);

}  // namespace headrace::image::testing
