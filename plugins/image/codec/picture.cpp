// SPDX-License-Identifier: Apache-2.0
//
// See picture.h.
#include "codec/picture.h"

namespace headrace::image {

Verdict PictureDecoder::open(const std::uint8_t* data, std::size_t size, const DecodeLimits& limits) {
  const Sniffed sniffed = sniff(data, size);
  format_ = sniffed.format;
  switch (format_) {
    case Format::kJpeg:
      return jpeg_.open(data, size, limits, size_);
    case Format::kPng:
      return png_.open(data, size, limits, size_);
    case Format::kOther:
      return Verdict::refuse(Verdict::Kind::kUnsupported, "this is %s, not JPEG or PNG", sniffed.name);
    case Format::kUnknown:
      break;
  }
  return Verdict::refuse(Verdict::Kind::kDamaged, "no picture: the data is %s", sniffed.name);
}

Verdict PictureDecoder::decode(const Region& region, RowSink& sink) {
  return format_ == Format::kJpeg ? jpeg_.decode(region, sink) : png_.decode(region, sink);
}

}  // namespace headrace::image
