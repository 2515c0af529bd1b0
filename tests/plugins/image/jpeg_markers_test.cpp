// SPDX-License-Identifier: Apache-2.0
//
// The verdict on a JPEG's marker segments names what is wrong with it: ITU-T T.81, annex B, by hand.
#include "codec/jpeg_markers.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace headrace::image {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kStart = "\xff\xd8"sv;
constexpr std::string_view kEnd = "\xff\xd9"sv;
constexpr std::string_view kComment = "\xff\xfe\x00\x04hi"sv;
/// Baseline, 8 bits, 1 by 1, one component.
constexpr std::string_view kFrame = "\xff\xc0\x00\x0b\x08\x00\x01\x00\x01\x01\x01\x11\x00"sv;
constexpr std::string_view kScan = "\xff\xda\x00\x08\x01\x01\x00\x00\x3f\x00\x7f"sv;

Verdict judge(std::initializer_list<std::string_view> parts) {
  std::string jpeg;
  for (const std::string_view part : parts) jpeg += part;
  return check_jpeg_end(reinterpret_cast<const std::uint8_t*>(jpeg.data()), jpeg.size());
}

std::string reason(std::initializer_list<std::string_view> parts) {
  const Verdict verdict = judge(parts);
  EXPECT_FALSE(verdict.ok());
  EXPECT_EQ(verdict.kind(), Verdict::Kind::kDamaged);
  return std::string(verdict.text());
}

TEST(JpegMarkers, AWholeFileIsSound) {
  EXPECT_TRUE(judge({kStart, kComment, kFrame, kScan, kEnd}).ok());
  EXPECT_TRUE(judge({kStart, kFrame, kScan, kEnd, "bytes behind it"sv}).ok());
}

TEST(JpegMarkers, AnEndMarkerInASegmentIsItsContent) {
  EXPECT_TRUE(judge({kStart, "\xff\xe1\x00\x06\xff\xd8\xff\xd9"sv, kFrame, kScan, kEnd}).ok());
}

TEST(JpegMarkers, WithoutAScanThereIsNoPicture) {
  EXPECT_EQ(reason({kStart, kEnd}), "the JPEG ends before any scan: it has no picture");
  EXPECT_EQ(reason({kStart, kComment, kFrame, kEnd}), "the JPEG ends before any scan: it has no picture");
}

TEST(JpegMarkers, AnEndMarkerAmongTheHeadersIsDamageAndNoLackOfAScan) {
  const std::string_view damage =
      "the JPEG is damaged: an end marker stands among its headers, before its scan";
  EXPECT_EQ(reason({kStart, kEnd, kFrame, kScan, kEnd}), damage);
  EXPECT_EQ(reason({kStart, kComment, "gar\xff\xd9 bage"sv, kFrame, kScan, kEnd}), damage);
}

TEST(JpegMarkers, AScanWithoutAnEndIsCutShort) {
  EXPECT_EQ(reason({kStart, kFrame, kScan}), "the JPEG is cut short: it has no end marker after its scan");
}

}  // namespace
}  // namespace headrace::image
