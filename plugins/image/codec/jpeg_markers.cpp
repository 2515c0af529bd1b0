// SPDX-License-Identifier: Apache-2.0
//
// See jpeg_markers.h.
#include "codec/jpeg_markers.h"

#include <cstring>

namespace headrace::image {
namespace {

constexpr std::uint8_t kStartOfImage = 0xd8;
constexpr std::uint8_t kEndOfImage = 0xd9;
constexpr std::uint8_t kStartOfScan = 0xda;

bool is_restart(std::uint8_t marker) { return marker >= 0xd0 && marker <= 0xd7; }

bool is_frame(std::uint8_t marker) {
  return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
}

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
      if (marker != 0 && marker != 0x01 && !is_restart(marker)) return marker;
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

  std::size_t position() const { return at_; }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t at_ = 0;
};

bool ends_after(const std::uint8_t* data, std::size_t size, std::size_t scan) {
  for (std::size_t end = size; end >= scan + 2;) {
    const void* found = memrchr(data + scan + 1, kEndOfImage, end - scan - 1);
    if (found == nullptr) return false;
    end = static_cast<std::size_t>(static_cast<const std::uint8_t*>(found) - data);
    if (data[end - 1] == 0xff) return true;
  }
  return false;
}

Verdict cut_short() {
  return Verdict::refuse(Verdict::Kind::kDamaged,
                         "the JPEG is cut short: it has no end marker after its scan");
}

}  // namespace

Verdict check_jpeg_end(const std::uint8_t* data, std::size_t size) {
  MarkerWalk walk(data, size);
  std::uint8_t components = 0;
  bool progressive = false;
  bool scan_seen = false;
  for (std::uint8_t marker = walk.next(); marker != 0; marker = walk.next()) {
    if (marker == kStartOfImage) continue;
    if (marker == kEndOfImage) {
      if (scan_seen) return {};
      return Verdict::refuse(Verdict::Kind::kDamaged, "the JPEG ends before any scan: it has no picture");
    }
    const std::uint8_t* body = nullptr;
    std::size_t length = 0;
    if (!walk.segment(body, length)) return cut_short();
    if (is_frame(marker) && length >= 6) {
      components = body[5];
      progressive = marker != 0xc0 && marker != 0xc1 && marker != 0xc9;
    }
    if (marker == kStartOfScan) {
      scan_seen = true;
      const bool only_scan = !progressive && length >= 1 && body[0] == components;
      if (only_scan) return ends_after(data, size, walk.position()) ? Verdict() : cut_short();
    }
  }
  return cut_short();
}

}  // namespace headrace::image
