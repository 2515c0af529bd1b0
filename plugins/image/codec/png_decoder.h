// SPDX-License-Identifier: Apache-2.0
//
// PNG to rows of RGB bytes, by libpng: every colour type and depth, interlaced or not. Grey is repeated,
// palettes are looked up, transparency is dropped, gamma is left alone; of 16 bits the upper 8 count. That is
// Pillow's convert("RGB"), but for 16-bit grey, which Pillow clips at 255. One object a worker; used by
// picture.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "codec/limits.h"
#include "pixels/geometry.h"
#include "pixels/rows.h"
#include "pixels/verdict.h"

namespace headrace::image {

class PngDecoder {
 public:
  PngDecoder();
  ~PngDecoder();
  PngDecoder(const PngDecoder&) = delete;
  PngDecoder& operator=(const PngDecoder&) = delete;

  /// Reads the header; `data` stays borrowed until decode() returns or the next open(). Refuses files cut
  /// short before anything is decoded, and headers that promise more than the compressed bytes could hold.
  Verdict open(const std::uint8_t* data, std::size_t size, const DecodeLimits& limits, Size& picture);

  /// Pushes the rows of `region` (inside the picture) as RGB, one at a time. Rows above are decompressed too,
  /// rows below are not; an interlaced picture is decoded whole first. A refusal may come after rows were
  /// pushed. Once for each open().
  Verdict decode(const Region& region, RowSink& sink);

  struct State;  // known to png_decoder.cpp alone

 private:
  std::unique_ptr<State> state_;
};

}  // namespace headrace::image
