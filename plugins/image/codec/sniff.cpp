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
    {0, "II\xbc\x01"sv, Format::kOther, "JPEG XR"},
    {0, "\0\0\0\x0cJXL \r\n\x87\n"sv, Format::kOther, "JPEG XL"},
    {0, "\xff\x0a"sv, Format::kOther, "JPEG XL"},
    {0, "\0\0\0\x0cjP  \r\n\x87\n"sv, Format::kOther, "JPEG 2000"},
    {0, "\xff\x4f\xff\x51"sv, Format::kOther, "JPEG 2000"},
    {0, "8BPS"sv, Format::kOther, "Photoshop"},
    {0, "qoif"sv, Format::kOther, "QOI"},
    {0, "DDS "sv, Format::kOther, "DDS"},
    {0, "v/1\x01"sv, Format::kOther, "OpenEXR"},
    {0, "\0\0\x01\0"sv, Format::kOther, "ICO"},
    {0, "\0\0\x02\0"sv, Format::kOther, "a cursor"},
    {0, "icns"sv, Format::kOther, "ICNS"},
    {0, "\x8aMNG\r\n\x1a\n"sv, Format::kOther, "MNG"},
    {0, "\x8bJNG\r\n\x1a\n"sv, Format::kOther, "JNG"},
    {0, "\x0a\x05\x01\x08"sv, Format::kOther, "PCX"},
    {0, "P1\n"sv, Format::kOther, "PBM"},
    {0, "P2\n"sv, Format::kOther, "PGM"},
    {0, "P3\n"sv, Format::kOther, "PPM"},
    {0, "P4\n"sv, Format::kOther, "PBM"},
    {0, "P5\n"sv, Format::kOther, "PGM"},
    {0, "P6\n"sv, Format::kOther, "PPM"},
    {0, "P7\n"sv, Format::kOther, "PAM"},
    {0, "%PDF-"sv, Format::kOther, "PDF"},
    {0, "%!PS"sv, Format::kOther, "PostScript"},
    {8, "AVI "sv, Format::kOther, "AVI"},
    {0, "\x1a\x45\xdf\xa3"sv, Format::kOther, "Matroska or WebM"},
    {0, "\x93NUMPY"sv, Format::kOther, "a NumPy array"},
    {0, "PK\x03\x04"sv, Format::kOther, "ZIP"},
    {0, "\x1f\x8b"sv, Format::kOther, "gzip"},
    {257, "ustar"sv, Format::kOther, "tar"},
    {0, "version https://git-lfs"sv, Format::kOther, "a Git LFS pointer"},
};

bool is_text(std::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 || byte == '\t' || byte == '\n' || byte == '\r';
  });
}

// Letters of `start` must be small.
bool starts_with(std::string_view bytes, std::string_view start) {
  return bytes.size() >= start.size() &&
         std::equal(start.begin(), start.end(), bytes.begin(),
                    [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? b - 'A' + 'a' : b); });
}

// ISO 14496-12, section 4.3: the brands that an "ftyp" box names, the major one first.
const char* container(std::string_view head) {
  const auto names = [&](std::string_view brand) { return head.find(brand) != std::string_view::npos; };
  if (names("avif"sv) || names("avis"sv)) return "AVIF";
  if (names("hei"sv) || names("hev"sv)) return "HEIC";
  if (names("mif1"sv) || names("msf1"sv)) return "HEIF";
  return "an MP4-like container";
}

const char* markup(std::string_view text) {
  if (text.substr(0, 3) == "\xef\xbb\xbf"sv) text.remove_prefix(3);
  const std::size_t first = text.find_first_not_of(" \t\r\n"sv);
  if (first != std::string_view::npos) text.remove_prefix(first);
  if (starts_with(text, "<!doctype html"sv) || starts_with(text, "<html"sv)) return "HTML";
  const bool xml = starts_with(text, "<?xml"sv) || starts_with(text, "<!--"sv);
  if (starts_with(text, "<svg"sv) || (xml && text.find("<svg"sv) != std::string_view::npos)) return "SVG";
  return xml ? "XML" : nullptr;
}

}  // namespace

Sniffed sniff(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return {Format::kUnknown, "an empty file"};
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const Signature& s : kSignatures) {
    if (size >= s.offset && bytes.substr(s.offset, s.bytes.size()) == s.bytes) return {s.format, s.name};
  }
  const std::string_view head = bytes.substr(0, 256);
  if (size > 8 && head.substr(4, 4) == "ftyp"sv) return {Format::kOther, container(head.substr(8, 56))};
  if (const char* name = markup(bytes.substr(0, 1024))) return {Format::kOther, name};
  if (head.find_first_not_of('\0') == std::string_view::npos) return {Format::kUnknown, "zeros"};
  if (is_text(head)) return {Format::kUnknown, "text"};
  // Two letters alone may begin a text.
  if (head.substr(0, 2) == "BM"sv) return {Format::kOther, "BMP"};
  return {Format::kUnknown, "no picture format"};
}

}  // namespace headrace::image
