// SPDX-License-Identifier: Apache-2.0
//
// Looks at a PNG's chunks (W3C PNG, section 5) without decoding: does the file go on to its end, and can what
// it holds fill the picture that its header promises? Pure, called by the PNG decoder before it decodes
// anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "pixels/verdict.h"

namespace headrace::image {

struct Chunk {
  const std::uint8_t* data = nullptr;
  std::size_t length = 0;

  std::string_view type() const { return {reinterpret_cast<const char*>(data) - 4, 4}; }
  bool is(std::string_view name) const { return type() == name; }
};

/// From chunk to chunk, over what the data holds whole.
class ChunkWalk {
 public:
  ChunkWalk(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  /// False at the end of the data or before a chunk that it does not hold whole.
  bool next(Chunk& chunk);

 private:
  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t at_ = 8;  // behind the signature
};

/// Refuses a PNG whose chunks do not lead, unbroken, from IHDR over IDAT to IEND. `data_bytes` gets the
/// compressed size of the picture: all IDAT chunks together, as far as they are whole.
Verdict check_png_end(const std::uint8_t* data, std::size_t size, std::size_t& data_bytes);

}  // namespace headrace::image
