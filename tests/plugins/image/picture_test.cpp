// SPDX-License-Identifier: Apache-2.0
//
// Whole files: Pillow's pixels or a refusal, whatever the file's kind and however damaged it is.
#include "codec/picture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "collected_rows.h"
#include "jpeg_writer.h"
#include "references.h"

namespace headrace::image {
namespace {

using testing::CollectedRows;
using testing::crc;
using testing::make_jpeg;
using testing::read_file;
using testing::reference_rows;

struct Outcome {
  Verdict verdict;
  Size size;
  std::vector<std::uint8_t> rgb;
};

Outcome decode(PictureDecoder& decoder, const std::vector<std::uint8_t>& file,
               const DecodeLimits& limits = {}) {
  Outcome outcome;
  outcome.verdict = decoder.open(file.data(), file.size(), limits);
  if (!outcome.verdict.ok()) return outcome;
  outcome.size = decoder.size();
  CollectedRows rows(outcome.size.width * 3);
  outcome.verdict = decoder.decode(whole(outcome.size), rows);
  outcome.rgb = rows.bytes();
  return outcome;
}

void expect_pillows_pixels(PictureDecoder& decoder, const std::string& folder,
                           const std::vector<std::string>& row) {
  const Outcome outcome = decode(decoder, read_file(folder + row[0]));
  ASSERT_TRUE(outcome.verdict.ok()) << row[0] << ": " << outcome.verdict.text();
  EXPECT_EQ(outcome.size, (Size{std::stoi(row[1]), std::stoi(row[2])})) << row[0];
  EXPECT_EQ(crc(outcome.rgb), static_cast<std::uint32_t>(std::stoul(row[3]))) << row[0];
}

TEST(Picture, IsPillowsOrRefusedForEachTrial) {
  PictureDecoder decoder;
  for (const auto& row : reference_rows("trials.txt")) {
    if (row[0] == "png_decompression_dos.png") continue;  // the next test's
    if (row[1] == "refused") {
      EXPECT_FALSE(decode(decoder, read_file("trials/" + row[0])).verdict.ok()) << row[0];
    } else {
      expect_pillows_pixels(decoder, "trials/", row);
    }
  }
}

// Pillow refuses this file for the text that it would unpack; that text is never unpacked here.
TEST(Picture, IsTakenFromAPngWithoutUnpackingItsText) {
  PictureDecoder decoder;
  const Outcome outcome = decode(decoder, read_file("trials/png_decompression_dos.png"));
  ASSERT_TRUE(outcome.verdict.ok()) << outcome.verdict.text();
  EXPECT_EQ(outcome.size, (Size{1, 1}));
}

TEST(Picture, OfAPngIsPillowsForEveryTypeDepthAndInterlacing) {
  PictureDecoder decoder;
  const auto rows = reference_rows("png.txt");
  EXPECT_GE(rows.size(), 50U);
  for (const auto& row : rows) expect_pillows_pixels(decoder, "png/", row);
}

TEST(Picture, OfAPngByRegionIsThatPartOfTheWhole) {
  PictureDecoder decoder;
  for (const auto& row : reference_rows("png.txt")) {
    const std::vector<std::uint8_t> file = read_file("png/" + row[0]);
    const Outcome all = decode(decoder, file);
    for (const Region region :
         {Region{0, 0, 1, 1}, Region{5, 3, 7, 6}, Region{18, 12, 1, 1}, Region{0, 12, 19, 1}}) {
      ASSERT_TRUE(decoder.open(file.data(), file.size(), {}).ok());
      CollectedRows rows(region.width * 3);
      ASSERT_TRUE(decoder.decode(region, rows).ok());
      std::vector<std::uint8_t> expected;
      for (int y = region.y; y < region.y + region.height; ++y) {
        const auto begin = all.rgb.begin() + (static_cast<std::ptrdiff_t>(y) * all.size.width + region.x) * 3;
        expected.insert(expected.end(), begin, begin + static_cast<std::ptrdiff_t>(region.width) * 3);
      }
      EXPECT_EQ(rows.bytes(), expected) << row[0];
    }
  }
}

TEST(Picture, OfAnotherFormatIsRefusedByItsName) {
  PictureDecoder decoder;
  const std::pair<const char*, const char*> names[] = {{"webp", "WebP"},     {"gif", "GIF"},
                                                       {"bmp", "BMP"},       {"tiff", "TIFF"},
                                                       {"jp2", "JPEG 2000"}, {"avif", "AVIF"}};
  for (const auto& [extension, name] : names) {
    const Verdict verdict = decode(decoder, read_file(std::string("formats/picture.") + extension)).verdict;
    EXPECT_EQ(verdict.kind(), Verdict::Kind::kUnsupported);
    EXPECT_NE(verdict.text().find(name), std::string_view::npos) << verdict.text();
  }
}

TEST(Picture, IsNotMadeOfTextOrNothing) {
  PictureDecoder decoder;
  const std::string page = "<html><body>404 Not Found</body></html>";
  const std::string words = "not a picture\n";
  EXPECT_EQ(decode(decoder, {}).verdict.text(), "no picture: the data is an empty file");
  EXPECT_EQ(decode(decoder, {words.begin(), words.end()}).verdict.text(), "no picture: the data is text");
  EXPECT_EQ(decode(decoder, {page.begin(), page.end()}).verdict.text(), "this is HTML, not JPEG or PNG");
  EXPECT_EQ(decode(decoder, std::vector<std::uint8_t>(100)).verdict.text(), "no picture: the data is zeros");
}

// Cut at every hundredth: refused before anything is decoded, since half a picture is no picture.
void expect_refused_when_cut(const std::vector<std::uint8_t>& file) {
  PictureDecoder decoder;
  const Outcome all = decode(decoder, file);
  ASSERT_TRUE(all.verdict.ok()) << all.verdict.text();
  for (std::size_t percent = 0; percent < 100; ++percent) {
    const std::vector<std::uint8_t> cut(
        file.begin(), file.begin() + static_cast<std::ptrdiff_t>(file.size() * percent / 100));
    const Verdict verdict = decoder.open(cut.data(), cut.size(), {});
    EXPECT_FALSE(verdict.ok()) << percent << " %";
  }
  for (std::size_t missing = 1; missing <= 20; ++missing) {
    const std::vector<std::uint8_t> cut(file.begin(), file.end() - static_cast<std::ptrdiff_t>(missing));
    EXPECT_FALSE(decoder.open(cut.data(), cut.size(), {}).ok()) << missing << " bytes missing";
  }
}

TEST(Picture, CutShortIsRefusedWhenItIsABaselineJpeg) {
  expect_refused_when_cut(make_jpeg({.width = 200, .height = 150, .h_sampling = 2, .v_sampling = 2}));
}

TEST(Picture, CutShortIsRefusedWhenItIsAProgressiveJpeg) {
  expect_refused_when_cut(
      make_jpeg({.width = 200, .height = 150, .h_sampling = 2, .v_sampling = 2, .progressive = true}));
}

TEST(Picture, CutShortIsRefusedWhenItsScansAreSeparate) {
  expect_refused_when_cut(make_jpeg({.width = 200, .height = 150, .separate_scans = true}));
}

TEST(Picture, CutShortIsRefusedWhenItIsAPng) { expect_refused_when_cut(read_file("trials/hopper.png")); }

// A whole JPEG, end marker and all, as a thumbnail in an APP1 segment.
std::vector<std::uint8_t> with_thumbnail(const std::vector<std::uint8_t>& jpeg) {
  const std::vector<std::uint8_t> thumbnail = make_jpeg({.width = 20, .height = 20});
  const std::size_t length = thumbnail.size() + 2;
  const std::uint8_t head[] = {
      0xff, 0xd8, 0xff, 0xe1, static_cast<std::uint8_t>(length >> 8), static_cast<std::uint8_t>(length)};
  std::vector<std::uint8_t> file;
  file.reserve(jpeg.size() + length + sizeof head);
  for (const std::uint8_t byte : head) file.push_back(byte);
  file.insert(file.end(), thumbnail.begin(), thumbnail.end());
  file.insert(file.end(), jpeg.begin() + 2, jpeg.end());
  return file;
}

TEST(Picture, CutShortIsRefusedThoughItsThumbnailIsWhole) {
  expect_refused_when_cut(with_thumbnail(make_jpeg({.width = 64, .height = 64})));
  expect_refused_when_cut(with_thumbnail(make_jpeg({.width = 64, .height = 64, .progressive = true})));
}

TEST(Picture, MayBeFollowedByOtherBytes) {
  PictureDecoder decoder;
  for (const bool progressive : {false, true}) {
    std::vector<std::uint8_t> file = make_jpeg({.width = 64, .height = 64, .progressive = progressive});
    const Outcome alone = decode(decoder, file);
    for (int i = 0; i < 1000; ++i) file.push_back(static_cast<std::uint8_t>(i * 7));
    const Outcome followed = decode(decoder, file);
    EXPECT_TRUE(followed.verdict.ok()) << followed.verdict.text();
    EXPECT_EQ(alone.rgb, followed.rgb);
  }
}

TEST(Picture, IsRefusedWhereLibjpegOnlyWarnsOfCorruptData) {
  PictureDecoder decoder;
  std::vector<std::uint8_t> file = make_jpeg({.width = 256, .height = 256, .h_sampling = 2, .v_sampling = 2});
  // A restart marker where none belongs, in the middle of the scan: libjpeg would warn and fill with grey.
  const auto middle = file.begin() + static_cast<std::ptrdiff_t>(file.size() / 2);
  *middle = 0xff;
  *(middle + 1) = 0xd3;
  const Verdict verdict = decode(decoder, file).verdict;
  EXPECT_EQ(verdict.kind(), Verdict::Kind::kDamaged);
  EXPECT_NE(verdict.text().find("damaged JPEG: "), std::string_view::npos) << verdict.text();
}

TEST(Picture, IsRefusedByItsHeaderWhenItHasTooManyPixels) {
  PictureDecoder decoder;
  const std::vector<std::uint8_t> jpeg = make_jpeg({.width = 100, .height = 100});
  EXPECT_TRUE(decode(decoder, jpeg, {.max_pixels = 10000}).verdict.ok());
  EXPECT_EQ(decode(decoder, jpeg, {.max_pixels = 9999}).verdict.kind(), Verdict::Kind::kTooLarge);
  EXPECT_EQ(decode(decoder, read_file("trials/hopper.png"), {.max_pixels = 100}).verdict.kind(),
            Verdict::Kind::kTooLarge);
}

TEST(Picture, IsRefusedByItsHeaderWhenItsBytesCannotHoldItsPixels) {
  PictureDecoder decoder;
  std::vector<std::uint8_t> jpeg = make_jpeg({.width = 16, .height = 16, .progressive = true});
  const std::uint8_t frame[] = {0xff, 0xc2};
  const auto at = std::search(jpeg.begin(), jpeg.end(), frame, frame + 2);
  ASSERT_NE(at, jpeg.end());
  const std::uint8_t size[] = {0x27, 0x10, 0x27, 0x10};  // 10,000 x 10,000
  std::copy(size, size + 4, at + 5);
  EXPECT_EQ(decode(decoder, jpeg).verdict.kind(), Verdict::Kind::kDamaged);
}

// What was wrong with one picture must not show in the next: a worker's decoder lives on.
TEST(Picture, IsWholeAfterARefusedOne) {
  PictureDecoder decoder;
  const std::vector<std::uint8_t> good =
      make_jpeg({.width = 90, .height = 70, .h_sampling = 2, .v_sampling = 2});
  const Outcome first = decode(decoder, good);
  std::vector<std::uint8_t> bad = good;
  bad[bad.size() / 2] = 0xff;
  bad[bad.size() / 2 + 1] = 0xd3;
  for (int i = 0; i < 5; ++i) {
    EXPECT_FALSE(decode(decoder, bad).verdict.ok());
    EXPECT_FALSE(decode(decoder, read_file("trials/broken_data_stream.png")).verdict.ok());
    const Outcome again = decode(decoder, good);
    ASSERT_TRUE(again.verdict.ok());
    EXPECT_EQ(again.rgb, first.rgb);
  }
}

// Seeded flips over every kind of file: whatever comes out, it comes out (sanitizers watch), and soon.
TEST(Picture, SurvivesFlippedBits) {
  std::vector<std::vector<std::uint8_t>> files;
  for (const bool progressive : {false, true}) {
    files.push_back(
        make_jpeg({.width = 70, .height = 50, .h_sampling = 2, .v_sampling = 2, .progressive = progressive}));
  }
  files.push_back(make_jpeg({.width = 70, .height = 50, .components = 4}));
  files.push_back(read_file("png/type6_16bit_interlaced.png"));
  files.push_back(read_file("png/type3_8bit_trns.png"));
  files.push_back(read_file("trials/hopper_16bit_qtables.jpg"));
  PictureDecoder decoder;
  std::uint64_t state = 1;
  int refused = 0;
  for (int i = 0; i < 3000; ++i) {
    std::vector<std::uint8_t> file = files[static_cast<std::size_t>(i) % files.size()];
    for (int flip = 0; flip <= i % 4; ++flip) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      file[(state >> 33) % file.size()] ^= static_cast<std::uint8_t>(1U << (state >> 20) % 8);
    }
    const Outcome outcome = decode(decoder, file, {.max_pixels = 1'000'000});
    if (!outcome.verdict.ok()) {
      ++refused;
      EXPECT_FALSE(outcome.verdict.text().empty());
    }
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace headrace::image
