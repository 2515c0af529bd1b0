// SPDX-License-Identifier: Apache-2.0
//
// See png_metadata.h. Text chunks: W3C PNG, section 11.3.4.
#include "codec/png_metadata.h"

#include <optional>
#include <string>

#include <zlib.h>

#include "codec/exif.h"
#include "codec/png_chunks.h"

namespace headrace::image {
namespace {

using namespace std::string_view_literals;

// Pillow's limit for a text chunk; a larger one is no metadata.
constexpr std::size_t kMostText = std::size_t{1} << 20;
constexpr std::string_view kRawExif = "Raw profile type exif"sv;
constexpr std::string_view kXmp = "XML:com.adobe.xmp"sv;

std::optional<std::string> unpacked(std::string_view packed) {
  std::string text(kMostText + 1, '\0');
  auto length = static_cast<uLongf>(text.size());
  const int status =
      uncompress(reinterpret_cast<Bytef*>(text.data()), &length,
                 reinterpret_cast<const Bytef*>(packed.data()), static_cast<uLong>(packed.size()));
  if (status != Z_OK || length > kMostText) return std::nullopt;
  text.resize(length);
  return text;
}

// What stands behind the next zero byte; `text` becomes what stands before.
std::optional<std::string_view> split(std::string_view& text) {
  const std::size_t end = text.find('\0');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view rest = text.substr(end + 1);
  text = text.substr(0, end);
  return rest;
}

// The text of a tEXt, zTXt or iTXt chunk, of which `rest` follows the keyword.
std::optional<std::string> text_of(std::string_view type, std::string_view rest) {
  if (type == "tEXt"sv) return std::string(rest);
  if (type == "zTXt"sv) {
    if (rest.empty() || rest[0] != 0) return std::nullopt;
    return unpacked(rest.substr(1));
  }
  if (rest.size() < 2) return std::nullopt;
  const bool packed = rest[0] != 0;
  if (packed && rest[1] != 0) return std::nullopt;
  std::string_view language = rest.substr(2);
  std::optional<std::string_view> translated = split(language);
  if (!translated) return std::nullopt;
  const std::optional<std::string_view> text = split(*translated);
  if (!text) return std::nullopt;
  return packed ? unpacked(*text) : std::string(*text);
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The bytes behind a raw profile's three lines of heading: nothing, its name, its length.
std::string profile_bytes(std::string_view text) {
  for (int line = 0; line < 3; ++line) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  std::string bytes;
  int high = -1;
  for (const char c : text) {
    if (c == '\n') continue;
    const int digit = hex_digit(c);
    if (digit < 0) return {};
    if (high >= 0) bytes += static_cast<char>(high << 4 | digit);
    high = high >= 0 ? -1 : digit;
  }
  return high < 0 ? bytes : std::string();
}

std::string_view without_mark(std::string_view exif) {
  return exif.substr(exif.substr(0, kExifMark.size()) == kExifMark ? kExifMark.size() : 0);
}

}  // namespace

Orientation png_orientation(const std::uint8_t* data, std::size_t size) {
  ChunkWalk walk(data, size);
  Metadata metadata;
  std::string profile;
  std::string xmp;
  Chunk chunk;
  while (walk.next(chunk) && !chunk.is("IEND")) {
    const std::string_view body(reinterpret_cast<const char*>(chunk.data), chunk.length);
    if (chunk.is("eXIf")) metadata.exif = body;
    if (!chunk.is("tEXt") && !chunk.is("zTXt") && !chunk.is("iTXt")) continue;
    std::string_view keyword = body;
    const std::optional<std::string_view> rest = split(keyword);
    if (!rest || (keyword != kRawExif && keyword != kXmp)) continue;
    const std::optional<std::string> text = text_of(chunk.type(), *rest);
    if (!text) continue;
    if (keyword == kRawExif) {
      profile = profile_bytes(*text);
    } else {
      xmp = *text;
    }
  }
  if (metadata.exif.empty()) metadata.exif = without_mark(profile);
  metadata.xmp = xmp;
  return orientation_of(metadata);
}

}  // namespace headrace::image
