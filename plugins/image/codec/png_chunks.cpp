// SPDX-License-Identifier: Apache-2.0
//
// See png_chunks.h.
#include "codec/png_chunks.h"

namespace headrace::image {
namespace {

constexpr std::size_t kChunkOverhead = 12;  // length, type and checksum

std::uint32_t big_endian(const std::uint8_t* bytes) {
  return static_cast<std::uint32_t>(bytes[0]) << 24 | static_cast<std::uint32_t>(bytes[1]) << 16 |
         static_cast<std::uint32_t>(bytes[2]) << 8 | bytes[3];
}

}  // namespace

bool ChunkWalk::next(Chunk& chunk) {
  if (size_ < at_ || size_ - at_ < kChunkOverhead) return false;
  const std::size_t length = big_endian(data_ + at_);
  if (length > size_ - at_ - kChunkOverhead) return false;
  chunk = {data_ + at_ + 8, length};
  at_ += kChunkOverhead + length;
  return true;
}

Verdict check_png_end(const std::uint8_t* data, std::size_t size, std::size_t& data_bytes) {
  data_bytes = 0;
  ChunkWalk walk(data, size);
  Chunk chunk;
  bool first = true;
  while (walk.next(chunk)) {
    if (first && !chunk.is("IHDR")) {
      return Verdict::refuse(Verdict::Kind::kDamaged, "damaged PNG: it does not begin with its header");
    }
    first = false;
    if (chunk.is("IDAT")) data_bytes += chunk.length;
    if (chunk.is("IEND")) {
      if (data_bytes > 0) return {};
      return Verdict::refuse(Verdict::Kind::kDamaged, "damaged PNG: it has no picture data");
    }
  }
  return Verdict::refuse(Verdict::Kind::kDamaged, "the PNG is cut short: its chunks do not lead to IEND");
}

}  // namespace headrace::image
