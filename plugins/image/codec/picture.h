// SPDX-License-Identifier: Apache-2.0
//
// The file of a picture, whatever its format, to rows of RGB bytes: the one door to the decoders. One object
// a worker, used by the ops of the image plugin.
#pragma once

#include "codec/jpeg_decoder.h"
#include "codec/limits.h"
#include "codec/png_decoder.h"
#include "codec/sniff.h"
#include "pixels/geometry.h"
#include "pixels/rows.h"
#include "pixels/verdict.h"

namespace headrace::image {

class PictureDecoder {
 public:
  /// Recognises the format by content and reads the header. `data` stays borrowed until decode() returns.
  Verdict open(const std::uint8_t* data, std::size_t size, const DecodeLimits& limits);
  /// [after open]
  Size size() const { return size_; }
  /// Pushes the rows of `region`, which lies inside the picture, as RGB: exactly the pixels a decode of the
  /// whole gives. A refusal may come after rows were pushed. Once for each open().
  Verdict decode(const Region& region, RowSink& sink);

 private:
  JpegDecoder jpeg_;
  PngDecoder png_;
  Format format_ = Format::kUnknown;
  Size size_;
};

}  // namespace headrace::image
