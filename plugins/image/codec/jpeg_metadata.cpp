// SPDX-License-Identifier: Apache-2.0
//
// See jpeg_metadata.h.
#include "codec/jpeg_metadata.h"

#include <string>

#include "codec/exif.h"
#include "codec/jpeg_marker_walk.h"

namespace headrace::image {
namespace {

using namespace std::string_view_literals;

constexpr std::uint8_t kApp1 = 0xe1;
constexpr std::string_view kXmp = "http://ns.adobe.com/xap/1.0/\0"sv;

}  // namespace

Orientation jpeg_orientation(const std::uint8_t* data, std::size_t size) {
  MarkerWalk walk(data, size);
  Metadata metadata;
  std::string joined;  // stays empty unless there are several EXIF segments
  for (std::uint8_t marker = walk.next(); marker != 0 && marker != kEndOfImage && marker != kStartOfScan;
       marker = walk.next()) {
    if (marker == kStartOfImage) continue;
    const std::uint8_t* body = nullptr;
    std::size_t length = 0;
    if (!walk.segment(body, length)) break;
    if (marker != kApp1) continue;
    const std::string_view segment(reinterpret_cast<const char*>(body), length);
    if (segment.substr(0, kXmp.size()) == kXmp) metadata.xmp = segment.substr(kXmp.size());
    if (segment.substr(0, kExifMark.size()) != kExifMark) continue;
    const std::string_view exif = segment.substr(kExifMark.size());
    if (metadata.exif.empty()) {
      metadata.exif = exif;
    } else {
      if (joined.empty()) joined = metadata.exif;
      metadata.exif = joined += exif;
    }
  }
  return orientation_of(metadata);
}

}  // namespace headrace::image
