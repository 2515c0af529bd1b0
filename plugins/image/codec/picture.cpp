// SPDX-License-Identifier: Apache-2.0
//
// See picture.h.
#include "codec/picture.h"

namespace headrace::image {
namespace {

class Nowhere final : public RowSink {
 public:
  void push(const std::uint8_t*, std::ptrdiff_t, int) override {}
};

}  // namespace

Verdict PictureDecoder::open(const std::uint8_t* data, std::size_t size, const DecodeOptions& options) {
  const Sniffed sniffed = sniff(data, size);
  format_ = sniffed.format;
  options_ = options;
  switch (format_) {
    case Format::kJpeg:
      return jpeg_.open(data, size, options, header_);
    case Format::kPng:
      return png_.open(data, size, options, header_);
    case Format::kOther:
      return Verdict::refuse(Verdict::Kind::kUnsupported, "this is %s, not JPEG or PNG", sniffed.name);
    case Format::kUnknown:
      break;
  }
  return Verdict::refuse(Verdict::Kind::kDamaged, "no picture: the data is %s", sniffed.name);
}

bool PictureDecoder::shrink(int eighths) {
  if (format_ != Format::kJpeg) return false;
  const Size whole = size();
  header_.stored = jpeg_.shrink(eighths);
  const Reversed reversed = reversed_axes(header_.orientation);
  origin_x_ = reversed.x ? size().width - whole.width * eighths / 8.0 : 0;
  origin_y_ = reversed.y ? size().height - whole.height * eighths / 8.0 : 0;
  return true;
}

Verdict PictureDecoder::decode(const Region& region, RowSink& sink) {
  if (region.empty()) {
    Nowhere nowhere;
    return options_.verify_whole ? decode_stored({0, 0, 1, 1}, nowhere) : Verdict();
  }
  const Region stored = stored_part(region, header_.stored, header_.orientation);
  RowSink* first = &sink;
  if (header_.orientation != Orientation::kUpright) {
    turned_.begin(header_.orientation, stored.size(), channels(), sink);
    first = &turned_;
  }
  if (coloured_.begin(options_.colour, header_.pixels, stored.width, *first)) first = &coloured_;
  Verdict verdict = decode_stored(stored, *first);
  if (header_.orientation != Orientation::kUpright) {
    if (verdict.ok()) turned_.finish();
    turned_.release();
  }
  return verdict;
}

Verdict PictureDecoder::decode_stored(const Region& region, RowSink& sink) {
  return format_ == Format::kJpeg ? jpeg_.decode(region, sink) : png_.decode(region, sink);
}

}  // namespace headrace::image
