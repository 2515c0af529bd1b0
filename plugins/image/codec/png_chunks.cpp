// SPDX-License-Identifier: Apache-2.0
//
// See png_chunks.h.
#include "codec/png_chunks.h"

#include <cstring>

namespace headrace::image {
namespace {

constexpr std::size_t kSignatureBytes = 8;
constexpr std::size_t kChunkOverhead = 12;  // length, type and checksum

std::uint32_t big_endian(const std::uint8_t* bytes) {
  return static_cast<std::uint32_t>(bytes[0]) << 24 | static_cast<std::uint32_t>(bytes[1]) << 16 |
         static_cast<std::uint32_t>(bytes[2]) << 8 | bytes[3];
}

}  // namespace

Verdict check_png_end(const std::uint8_t* data, std::size_t size, std::size_t& data_bytes) {
  data_bytes = 0;
  std::size_t at = kSignatureBytes;
  while (size >= at && size - at >= kChunkOverhead) {
    const std::size_t length = big_endian(data + at);
    const std::uint8_t* type = data + at + 4;
    if (length > size - at - kChunkOverhead) break;
    if (at == kSignatureBytes && std::memcmp(type, "IHDR", 4) != 0) {
      return Verdict::refuse(Verdict::Kind::kDamaged, "damaged PNG: it does not begin with its header");
    }
    if (std::memcmp(type, "IDAT", 4) == 0) data_bytes += length;
    if (std::memcmp(type, "IEND", 4) == 0) {
      if (data_bytes > 0) return {};
      return Verdict::refuse(Verdict::Kind::kDamaged, "damaged PNG: it has no picture data");
    }
    at += kChunkOverhead + length;
  }
  return Verdict::refuse(Verdict::Kind::kDamaged, "the PNG is cut short: its chunks do not lead to IEND");
}

}  // namespace headrace::image
