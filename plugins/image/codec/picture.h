// SPDX-License-Identifier: Apache-2.0
//
// The file of a picture, whatever its format, to rows of bytes, turned as its EXIF says and in the colours
// wanted: the one door to the decoders. One object a worker, used by the ops of the image plugin.
#pragma once

#include "codec/colour.h"
#include "codec/jpeg_decoder.h"
#include "codec/options.h"
#include "codec/png_decoder.h"
#include "codec/sniff.h"
#include "pixels/geometry.h"
#include "pixels/orientation.h"
#include "pixels/rows.h"
#include "pixels/verdict.h"

namespace headrace::image {

class PictureDecoder {
 public:
  /// Recognises the format by content and reads the header. `data` stays borrowed until decode() returns.
  Verdict open(const std::uint8_t* data, std::size_t size, const DecodeOptions& options);
  /// [after open] Of the picture as it is looked at.
  Size size() const { return turned(header_.stored, header_.orientation); }
  int channels() const { return channels_of(options_.colour.result(header_.pixels)); }

  /// Has a picture decoded at eighths / 8 (1, 2 or 4) of its size, in less time and with pixels that are only
  /// near those of a resize; size() tells the new size. False, and nothing changes, where its format cannot.
  /// [after open]
  bool shrink(int eighths);
  /// Where the corner (0, 0) of the whole picture lies in the one that shrink() left, in its pixels: not at
  /// its corner where a side that was rounded up runs backwards.
  double origin_x() const { return origin_x_; }
  double origin_y() const { return origin_y_; }

  /// Pushes the rows of `region`, which lies inside the picture: exactly the pixels that a decode of the
  /// whole gives. An empty region pushes nothing; the file is read all the same where all of it is to be
  /// verified. A refusal may come after rows were pushed. Once for each open().
  Verdict decode(const Region& region, RowSink& sink);
  /// [salvage, after decode] Whether some of the pixels are lost.
  bool damaged() const { return format_ == Format::kJpeg ? jpeg_.damaged() : png_.damaged(); }

 private:
  Verdict decode_stored(const Region& region, RowSink& sink);

  JpegDecoder jpeg_;
  PngDecoder png_;
  ColouredRows coloured_;
  TurnedRows turned_;
  DecodeOptions options_;
  Format format_ = Format::kUnknown;
  Header header_;
  double origin_x_ = 0;
  double origin_y_ = 0;
};

}  // namespace headrace::image
