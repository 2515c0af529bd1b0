// SPDX-License-Identifier: Apache-2.0
//
// JPEG to rows of grey, RGB or CMYK bytes, by libjpeg-turbo: slow integer DCT, fancy upsampling. Only the
// rows and columns asked for are transformed, and decoding stops after the last of them; every pixel is the
// one a full decode gives. One object a worker, reused from picture to picture; used by picture.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "codec/options.h"
#include "pixels/geometry.h"
#include "pixels/rows.h"
#include "pixels/verdict.h"

namespace headrace::image {

class JpegDecoder {
 public:
  JpegDecoder();
  ~JpegDecoder();
  JpegDecoder(const JpegDecoder&) = delete;
  JpegDecoder& operator=(const JpegDecoder&) = delete;

  /// Reads the header; `data` stays borrowed until decode() returns or the next open(). Refuses files cut
  /// short before anything is decoded (unless they are to be salvaged), and what is neither grey, YCbCr, RGB,
  /// CMYK nor YCCK of 8 bits.
  Verdict open(const std::uint8_t* data, std::size_t size, const DecodeOptions& options, Header& header);

  /// decode() gives the picture at eighths / 8 of its size in either direction, rounded up, from fewer
  /// coefficients (IJG's scaled inverse DCT): not the pixels that a full decode and a resize would give. 1, 2
  /// or 4. [after open]
  Size shrink(int eighths);

  /// Pushes the rows of `region` (inside the stored picture) in the header's pixels. Refuses damage that
  /// libjpeg finds up to the last row, or with verify_whole in all of the file; a refusal may come after rows
  /// were pushed. To salvage, goes on: with what libjpeg makes of the damage and, where it gives up, grey.
  /// Once for each open().
  Verdict decode(const Region& region, RowSink& sink);
  /// [salvage, after decode] Whether that was needed.
  bool damaged() const;

  struct State;  // known to jpeg_decoder.cpp alone

 private:
  std::unique_ptr<State> state_;
};

}  // namespace headrace::image
