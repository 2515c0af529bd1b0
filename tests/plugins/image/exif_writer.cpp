// SPDX-License-Identifier: Apache-2.0
//
// See exif_writer.h.
#include "exif_writer.h"

#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace headrace::image::testing {
namespace {

using namespace std::string_view_literals;

Bytes inserted(const Bytes& into, std::size_t at, const Bytes& what) {
  Bytes out = into;
  out.insert(out.begin() + static_cast<std::ptrdiff_t>(at), what.begin(), what.end());
  return out;
}

void append_number(Bytes& to, std::uint32_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) to.push_back(static_cast<std::uint8_t>(number >> shift));
}

// Byte by byte: of insert(), g++ 12 says that it writes beyond the end.
void append(Bytes& to, std::string_view text) {
  for (const char c : text) to.push_back(static_cast<std::uint8_t>(c));
}

void append(Bytes& to, const Bytes& bytes) {
  for (const std::uint8_t byte : bytes) to.push_back(byte);
}

Bytes tiff(int orientation) {
  Bytes bytes;
  append(bytes, "MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0"sv);
  bytes.push_back(static_cast<std::uint8_t>(orientation));
  append(bytes, "\0\0\0\0\0\0"sv);
  return bytes;
}

bool is_png(const Bytes& file) { return file[0] == 0x89; }

}  // namespace

Bytes with_segments(const Bytes& jpeg, const Bytes& segments) { return inserted(jpeg, 2, segments); }

Bytes with_chunks(const Bytes& png, const Bytes& before, const Bytes& behind) {
  constexpr std::string_view kData = "IDAT"sv;
  constexpr std::size_t kLastChunk = 12;
  const auto data = std::search(png.begin(), png.end(), kData.begin(), kData.end()) - png.begin() - 4;
  return inserted(inserted(png, png.size() - kLastChunk, behind), static_cast<std::size_t>(data), before);
}

Bytes with_orientation(const Bytes& file, int orientation) {
  const Bytes body = tiff(orientation);
  Bytes added;
  if (is_png(file)) {
    append_number(added, static_cast<std::uint32_t>(body.size()));
    append(added, "eXIf"sv);
    append(added, body);
    append_number(
        added, static_cast<std::uint32_t>(crc32(0, added.data() + 4, static_cast<uInt>(added.size() - 4))));
    return with_chunks(file, added, {});
  }
  append(added, "\xff\xe1\0"sv);
  added.push_back(static_cast<std::uint8_t>(body.size() + 8));
  append(added, "Exif\0\0"sv);
  append(added, body);
  return with_segments(file, added);
}

}  // namespace headrace::image::testing
