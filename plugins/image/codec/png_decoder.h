// SPDX-License-Identifier: Apache-2.0
//
// PNG to rows of grey or RGB bytes, with alpha where it counts, by libpng: every colour type and depth,
// interlaced or not. Palettes are looked up, gamma is left alone; of 16 bits the upper 8 count, except in
// grey, which is clipped at 255 as Pillow's convert() does, unless it is to stay unchanged. One object a
// worker; used by picture.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "codec/options.h"
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
  /// short before anything is decoded (unless they are to be salvaged), and headers that promise more than
  /// the compressed bytes could hold.
  Verdict open(const std::uint8_t* data, std::size_t size, const DecodeOptions& options, Header& header);

  /// Pushes the rows of `region` (inside the stored picture) in the header's pixels, one at a time. Rows
  /// above are decompressed too, rows below only with verify_whole; an interlaced picture is decoded whole
  /// first. A refusal may come after rows were pushed. To salvage, goes on, with grey for what is lost. Once
  /// for each open().
  Verdict decode(const Region& region, RowSink& sink);
  /// [salvage, after decode] Whether that was needed.
  bool damaged() const;

  struct State;  // known to png_decoder.cpp alone

 private:
  std::unique_ptr<State> state_;
};

}  // namespace headrace::image
