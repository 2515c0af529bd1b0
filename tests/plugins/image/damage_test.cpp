// SPDX-License-Identifier: Apache-2.0
//
// Files cut short, falsified or not what they claim: refused in good time, or salvaged and marked.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "decoded.h"
#include "jpeg_writer.h"
#include "references.h"

namespace headrace::image {
namespace {

using testing::CollectedRows;
using testing::decode;
using testing::make_jpeg;
using testing::Outcome;
using testing::part_of;
using testing::read_file;

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

TEST(DamagedPicture, CutShortIsRefusedWhenItIsABaselineJpeg) {
  expect_refused_when_cut(make_jpeg({.width = 200, .height = 150, .h_sampling = 2, .v_sampling = 2}));
}

TEST(DamagedPicture, CutShortIsRefusedWhenItIsAProgressiveJpeg) {
  expect_refused_when_cut(
      make_jpeg({.width = 200, .height = 150, .h_sampling = 2, .v_sampling = 2, .progressive = true}));
}

TEST(DamagedPicture, CutShortIsRefusedWhenItsScansAreSeparate) {
  expect_refused_when_cut(make_jpeg({.width = 200, .height = 150, .separate_scans = true}));
}

TEST(DamagedPicture, CutShortIsRefusedWhenItIsAPng) {
  expect_refused_when_cut(read_file("trials/hopper.png"));
}

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

TEST(DamagedPicture, CutShortIsRefusedThoughItsThumbnailIsWhole) {
  expect_refused_when_cut(with_thumbnail(make_jpeg({.width = 64, .height = 64})));
  expect_refused_when_cut(with_thumbnail(make_jpeg({.width = 64, .height = 64, .progressive = true})));
}

TEST(DamagedPicture, MayBeFollowedByOtherBytes) {
  PictureDecoder decoder;
  for (const bool progressive : {false, true}) {
    std::vector<std::uint8_t> file = make_jpeg({.width = 64, .height = 64, .progressive = progressive});
    const Outcome alone = decode(decoder, file);
    for (int i = 0; i < 1000; ++i) file.push_back(static_cast<std::uint8_t>(i * 7));
    const Outcome followed = decode(decoder, file);
    EXPECT_TRUE(followed.verdict.ok()) << followed.verdict.text();
    EXPECT_EQ(alone.pixels, followed.pixels);
  }
}

TEST(DamagedPicture, IsRefusedWhereLibjpegOnlyWarnsOfCorruptData) {
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

TEST(DamagedPicture, IsRefusedByItsHeaderWhenItHasTooManyPixels) {
  PictureDecoder decoder;
  const std::vector<std::uint8_t> jpeg = make_jpeg({.width = 100, .height = 100});
  EXPECT_TRUE(decode(decoder, jpeg, {.max_pixels = 10000}).verdict.ok());
  EXPECT_EQ(decode(decoder, jpeg, {.max_pixels = 9999}).verdict.kind(), Verdict::Kind::kTooLarge);
  EXPECT_EQ(decode(decoder, read_file("trials/hopper.png"), {.max_pixels = 100}).verdict.kind(),
            Verdict::Kind::kTooLarge);
}

TEST(DamagedPicture, IsRefusedByItsHeaderWhenItsBytesCannotHoldItsPixels) {
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
TEST(DamagedPicture, IsWholeAfterARefusedOne) {
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
    EXPECT_EQ(again.pixels, first.pixels);
  }
}

// libjpeg keeps the tables of one picture for the next.
TEST(DamagedPicture, IsNotDecodedByTheTablesOfTheOneBefore) {
  PictureDecoder decoder;
  const std::vector<std::uint8_t> good = make_jpeg({.width = 64, .height = 64});
  std::vector<std::uint8_t> bad = good;
  const std::uint8_t quantisation[] = {0xff, 0xdb};
  const auto at = std::search(bad.begin(), bad.end(), quantisation, quantisation + 2);
  ASSERT_NE(at, bad.end());
  *(at + 1) = 0xfe;  // a comment
  EXPECT_TRUE(decode(decoder, good).verdict.ok());
  EXPECT_EQ(decode(decoder, bad).verdict.kind(), Verdict::Kind::kDamaged);
}

std::vector<std::uint8_t> first_bytes(const std::vector<std::uint8_t>& file, std::size_t size) {
  return {file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size)};
}

TEST(SalvagedPicture, IsItselfAndUnmarkedWhenNothingIsWrong) {
  PictureDecoder decoder;
  for (const char* name : {"trials/hopper.jpg", "trials/pil_sample_cmyk.jpg", "trials/hopper.png",
                           "png/type0_16bit_interlaced.png"}) {
    const std::vector<std::uint8_t> file = read_file(name);
    const Outcome plain = decode(decoder, file);
    const Outcome salvaged = decode(decoder, file, {.salvage = true});
    ASSERT_TRUE(salvaged.verdict.ok()) << salvaged.verdict.text();
    EXPECT_FALSE(decoder.damaged()) << name;
    EXPECT_EQ(salvaged.pixels, plain.pixels) << name;
  }
}

TEST(SalvagedPicture, HasWhatCameBeforeTheCutOfAJpeg) {
  PictureDecoder decoder;
  const std::vector<std::uint8_t> file =
      make_jpeg({.width = 200, .height = 150, .h_sampling = 2, .v_sampling = 2});
  const Outcome all = decode(decoder, file);
  const Outcome half = decode(decoder, first_bytes(file, file.size() / 2), {.salvage = true});
  ASSERT_TRUE(half.verdict.ok()) << half.verdict.text();
  EXPECT_TRUE(decoder.damaged());
  EXPECT_EQ(half.size, all.size);
  EXPECT_EQ(part_of(half, {0, 0, 200, 50}), part_of(all, {0, 0, 200, 50}));
  EXPECT_NE(part_of(half, {0, 100, 200, 50}), part_of(all, {0, 100, 200, 50}));
}

TEST(SalvagedPicture, HasWhatCameBeforeTheCutOfAPngAndGreyBelow) {
  PictureDecoder decoder;
  const std::vector<std::uint8_t> file = read_file("trials/hopper.png");
  const Outcome all = decode(decoder, file);
  const Outcome half = decode(decoder, first_bytes(file, file.size() / 2), {.salvage = true});
  ASSERT_TRUE(half.verdict.ok()) << half.verdict.text();
  EXPECT_TRUE(decoder.damaged());
  EXPECT_EQ(part_of(half, {0, 0, 128, 50}), part_of(all, {0, 0, 128, 50}));
  EXPECT_EQ(part_of(half, {0, 100, 128, 28}), std::vector<std::uint8_t>(std::size_t{128} * 28 * 3, 128));
}

TEST(SalvagedPicture, KeepsThePixelsOfAPngWhoseChecksumIsWrong) {
  PictureDecoder decoder;
  for (const char* name : {"trials/hopper.png", "png/type2_8bit_interlaced.png"}) {
    std::vector<std::uint8_t> file = read_file(name);
    const Outcome all = decode(decoder, file);
    file[file.size() - 13] ^= 1;  // the last byte before IEND: IDAT's checksum
    EXPECT_FALSE(decode(decoder, file).verdict.ok());
    const Outcome salvaged = decode(decoder, file, {.salvage = true});
    ASSERT_TRUE(salvaged.verdict.ok()) << salvaged.verdict.text();
    EXPECT_TRUE(decoder.damaged());
    EXPECT_EQ(salvaged.pixels, all.pixels);
  }
}

TEST(SalvagedPicture, IsRefusedWhereNoPixelCanBeKnown) {
  PictureDecoder decoder;
  const std::vector<std::uint8_t> jpeg = read_file("trials/hopper.jpg");
  const std::vector<std::uint8_t> png = read_file("trials/hopper.png");
  for (const auto& file : {first_bytes(jpeg, 100), first_bytes(png, 20), read_file("formats/picture.webp")})
    EXPECT_FALSE(decode(decoder, file, {.salvage = true}).verdict.ok());
}

TEST(SalvagedPicture, ByRegionIsThatPartOfTheWhole) {
  PictureDecoder decoder;
  std::vector<std::vector<std::uint8_t>> files;
  for (const bool progressive : {false, true}) {
    const auto jpeg = make_jpeg({.width = 200, .height = 150, .h_sampling = 2, .progressive = progressive});
    for (const std::size_t percent : {40, 60, 90})
      files.push_back(first_bytes(jpeg, jpeg.size() * percent / 100));
    files.push_back(jpeg);
    files.back()[jpeg.size() / 2] = 0xff;
    files.back()[jpeg.size() / 2 + 1] = 0xd3;
  }
  const auto png = read_file("trials/hopper.png");
  files.push_back(first_bytes(png, png.size() / 2));
  files.push_back(first_bytes(read_file("png/type6_16bit_interlaced.png"), 300));
  for (const auto& file : files) {
    const Outcome all = decode(decoder, file, {.salvage = true});
    ASSERT_TRUE(all.verdict.ok()) << all.verdict.text();
    EXPECT_TRUE(decoder.damaged());
    const Size size = all.size;
    for (const Region region :
         {Region{3, 5, size.width / 2, 2}, Region{1, size.height / 3, 9, size.height / 2},
          Region{0, size.height - 1, size.width, 1}}) {
      ASSERT_TRUE(decoder.open(file.data(), file.size(), {.salvage = true}).ok());
      CollectedRows rows(region.width * 3);
      ASSERT_TRUE(decoder.decode(region, rows).ok());
      EXPECT_EQ(rows.bytes(), part_of(all, region));
    }
  }
}

// Damage three quarters down, and a region at the top.
TEST(DamagedPicture, IsSoughtBelowTheRegionOnlyToVerifyTheWhole) {
  PictureDecoder decoder;
  std::vector<std::uint8_t> jpeg = make_jpeg({.width = 256, .height = 256, .h_sampling = 2, .v_sampling = 2});
  jpeg[jpeg.size() * 3 / 4] = 0xff;
  jpeg[jpeg.size() * 3 / 4 + 1] = 0xd3;
  std::vector<std::uint8_t> png = read_file("trials/hopper.png");
  png[png.size() * 3 / 4] ^= 4;
  for (const auto& file : {jpeg, png}) {
    CollectedRows rows(20 * 3);
    ASSERT_TRUE(decoder.open(file.data(), file.size(), {}).ok());
    EXPECT_TRUE(decoder.decode({5, 5, 20, 20}, rows).ok());
    for (const Region region : {Region{5, 5, 20, 20}, Region{}}) {
      ASSERT_TRUE(decoder.open(file.data(), file.size(), {.verify_whole = true}).ok());
      EXPECT_EQ(decoder.decode(region, rows).kind(), Verdict::Kind::kDamaged);
      ASSERT_TRUE(decoder.open(file.data(), file.size(), {.salvage = true, .verify_whole = true}).ok());
      EXPECT_TRUE(decoder.decode(region, rows).ok());
      EXPECT_TRUE(decoder.damaged());
    }
  }
}

TEST(Picture, IsTheSameWhenAllOfItIsVerified) {
  PictureDecoder decoder;
  std::vector<std::vector<std::uint8_t>> files{read_file("trials/hopper.png"),
                                               read_file("png/type6_8bit_interlaced.png")};
  for (const bool progressive : {false, true}) {
    for (const int v : {1, 2}) {
      files.push_back(make_jpeg(
          {.width = 100, .height = 75, .h_sampling = 2, .v_sampling = v, .progressive = progressive}));
    }
  }
  files.push_back(make_jpeg({.width = 100, .height = 75, .components = 4, .restart_rows = 1}));
  files.push_back(make_jpeg({.width = 100, .height = 75, .separate_scans = true}));
  for (const auto& file : files) {
    const Outcome all = decode(decoder, file);
    for (int y = 0; y < all.size.height; y += 7) {
      const Region region{2, y, 5, std::min(9, all.size.height - y)};
      ASSERT_TRUE(decoder.open(file.data(), file.size(), {.verify_whole = true}).ok());
      CollectedRows rows(region.width * 3);
      const Verdict verdict = decoder.decode(region, rows);
      ASSERT_TRUE(verdict.ok()) << verdict.text();
      EXPECT_EQ(rows.bytes(), part_of(all, region));
    }
  }
}

// Seeded flips over every kind of file: whatever comes out, it comes out (sanitizers watch), and within a
// second.
TEST(DamagedPicture, OfFlippedBitsHasPixelsOrIsRefused) {
  std::vector<std::vector<std::uint8_t>> files;
  for (const bool progressive : {false, true}) {
    files.push_back(
        make_jpeg({.width = 70, .height = 50, .h_sampling = 2, .v_sampling = 2, .progressive = progressive}));
  }
  files.push_back(make_jpeg({.width = 70, .height = 50, .components = 4}));
  files.push_back(read_file("png/type6_16bit_interlaced.png"));
  files.push_back(read_file("png/type3_8bit_trns.png"));
  files.push_back(read_file("trials/hopper_16bit_qtables.jpg"));
  files.push_back(read_file("trials/hopper_orientation_6.jpg"));
  PictureDecoder decoder;
  std::uint64_t state = 1;
  int refused = 0;
  int marked = 0;
  for (int i = 0; i < 10000; ++i) {
    std::vector<std::uint8_t> file = files[static_cast<std::size_t>(i) % files.size()];
    for (int flip = 0; flip <= i % 4; ++flip) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      file[(state >> 33) % file.size()] ^= static_cast<std::uint8_t>(1U << (state >> 20) % 8);
    }
    const bool salvage = i / 7 % 2 == 1;
    const auto begin = std::chrono::steady_clock::now();
    const Outcome outcome = decode(decoder, file, {.salvage = salvage});
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
    if (!outcome.verdict.ok()) {
      ++refused;
      EXPECT_FALSE(outcome.verdict.text().empty());
    } else {
      EXPECT_EQ(outcome.pixels.size(), static_cast<std::size_t>(outcome.size.width) *
                                           static_cast<std::size_t>(outcome.size.height) * 3);
      marked += salvage && decoder.damaged() ? 1 : 0;
    }
  }
  EXPECT_GT(refused, 2000);
  EXPECT_GT(marked, 1000);
}

}  // namespace
}  // namespace headrace::image
