// SPDX-License-Identifier: Apache-2.0
//
// One marker segment of a JPEG after the other (ITU-T T.81, annex B), without decoding. Read by
// jpeg_markers.cpp, which looks for the file's end, and jpeg_metadata.cpp, which looks for its EXIF.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace headrace::image {

inline constexpr std::uint8_t kStartOfImage = 0xd8;
inline constexpr std::uint8_t kEndOfImage = 0xd9;
inline constexpr std::uint8_t kStartOfScan = 0xda;

class MarkerWalk {
 public:
  MarkerWalk(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

  /// The next marker, past stray bytes, fill bytes, stuffed zeros and restart markers; 0 at the end of the
  /// data.
  std::uint8_t next() {
    while (at_ + 1 < size_) {
      const void* found = std::memchr(data_ + at_, 0xff, size_ - at_ - 1);
      if (found == nullptr) break;
      at_ = static_cast<std::size_t>(static_cast<const std::uint8_t*>(found) - data_) + 1;
      const std::uint8_t marker = data_[at_];
      if (marker == 0xff) continue;
      ++at_;
      if (marker != 0 && marker != 0x01 && (marker < 0xd0 || marker > 0xd7)) return marker;
    }
    at_ = size_;
    return 0;
  }

  /// The parameters of the segment whose marker next() gave; false if the data ends inside it. Moves behind
  /// it.
  bool segment(const std::uint8_t*& body, std::size_t& length) {
    if (size_ - at_ < 2) return false;
    length = static_cast<std::size_t>(data_[at_]) << 8 | data_[at_ + 1];
    if (length < 2 || length > size_ - at_) return false;
    body = data_ + at_ + 2;
    at_ += length;
    length -= 2;
    return true;
  }

  /// Whether a scan begins anywhere in the rest.
  bool has_scan_ahead() const {
    MarkerWalk ahead = *this;
    for (std::uint8_t marker = ahead.next(); marker != 0; marker = ahead.next()) {
      if (marker == kStartOfScan) return true;
    }
    return false;
  }

  std::size_t position() const { return at_; }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t at_ = 0;
};

}  // namespace headrace::image
