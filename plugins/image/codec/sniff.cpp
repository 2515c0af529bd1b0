// SPDX-License-Identifier: Apache-2.0
//
// The signatures, as the formats' own specifications give them. See sniff.h.
#include "codec/sniff.h"

#include <algorithm>
#include <string_view>

namespace headrace::image {
namespace {

using namespace std::string_view_literals;

struct Signature {
  std::size_t offset;
  std::string_view bytes;
  Format format;
  const char* name;
};

constexpr Signature kSignatures[] = {
    {0, "\xff\xd8\xff"sv, Format::kJpeg, "JPEG"},
    {0, "\x89PNG\r\n\x1a\n"sv, Format::kPng, "PNG"},
    {8, "WEBP"sv, Format::kOther, "WebP"},
    {0, "GIF87a"sv, Format::kOther, "GIF"},
    {0, "GIF89a"sv, Format::kOther, "GIF"},
    {0, "II*\0"sv, Format::kOther, "TIFF"},
    {0, "MM\0*"sv, Format::kOther, "TIFF"},
    {0, "II+\0"sv, Format::kOther, "TIFF"},
    {0, "MM\0+"sv, Format::kOther, "TIFF"},
    {4, "ftypavif"sv, Format::kOther, "AVIF"},
    {4, "ftypavis"sv, Format::kOther, "AVIF"},
    {4, "ftyphei"sv, Format::kOther, "HEIC"},
    {4, "ftyphev"sv, Format::kOther, "HEIC"},
    {4, "ftypmif1"sv, Format::kOther, "HEIF"},
    {4, "ftypmsf1"sv, Format::kOther, "HEIF"},
    {4, "ftyp"sv, Format::kOther, "an MP4-like container"},
    {0, "\0\0\0\x0cJXL \r\n\x87\n"sv, Format::kOther, "JPEG XL"},
    {0, "\xff\x0a"sv, Format::kOther, "JPEG XL"},
    {0, "\0\0\0\x0cjP  \r\n\x87\n"sv, Format::kOther, "JPEG 2000"},
    {0, "\xff\x4f\xff\x51"sv, Format::kOther, "JPEG 2000"},
    {0, "8BPS"sv, Format::kOther, "Photoshop"},
    {0, "qoif"sv, Format::kOther, "QOI"},
    {0, "DDS "sv, Format::kOther, "DDS"},
    {0, "v/1\x01"sv, Format::kOther, "OpenEXR"},
    {0, "\0\0\x01\0"sv, Format::kOther, "ICO"},
    {0, "BM"sv, Format::kOther, "BMP"},
    {0, "%PDF-"sv, Format::kOther, "PDF"},
    {0, "PK\x03\x04"sv, Format::kOther, "ZIP"},
    {0, "\x1f\x8b"sv, Format::kOther, "gzip"},
    {0, "<?xml"sv, Format::kOther, "XML or SVG"},
    {0, "<svg"sv, Format::kOther, "SVG"},
    {0, "<!DOCTYPE"sv, Format::kOther, "HTML"},
    {0, "<html"sv, Format::kOther, "HTML"},
    {0, "P4\n"sv, Format::kOther, "PBM"},
    {0, "P5\n"sv, Format::kOther, "PGM"},
    {0, "P6\n"sv, Format::kOther, "PPM"},
};

bool is_text(std::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 || byte == '\t' || byte == '\n' || byte == '\r';
  });
}

}  // namespace

Sniffed sniff(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return {Format::kUnknown, "an empty file"};
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const Signature& s : kSignatures) {
    if (size >= s.offset && bytes.substr(s.offset, s.bytes.size()) == s.bytes) return {s.format, s.name};
  }
  const std::string_view head = bytes.substr(0, 256);
  if (head.find_first_not_of('\0') == std::string_view::npos) return {Format::kUnknown, "zeros"};
  if (is_text(head)) return {Format::kUnknown, "text"};
  return {Format::kUnknown, "no picture format"};
}

}  // namespace headrace::image
