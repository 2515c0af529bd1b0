// SPDX-License-Identifier: Apache-2.0
//
// See jpeg_markers.h.
#include "codec/jpeg_markers.h"

#include <cstring>

#include "codec/jpeg_marker_walk.h"

namespace headrace::image {
namespace {

bool is_frame(std::uint8_t marker) {
  return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
}

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

Verdict without_picture(const MarkerWalk& walk) {
  return Verdict::refuse(Verdict::Kind::kDamaged,
                         walk.has_scan_ahead()
                             ? "the JPEG is damaged: an end marker stands among its headers, before its scan"
                             : "the JPEG ends before any scan: it has no picture");
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
      return without_picture(walk);
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
