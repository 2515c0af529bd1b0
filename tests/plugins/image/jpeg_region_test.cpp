// SPDX-License-Identifier: Apache-2.0
//
// Decoding a region of a JPEG gives the very pixels of a full decode, for every sampling, kind and corner.
#include <gtest/gtest.h>

#include <string>

#include "codec/jpeg_decoder.h"
#include "collected_rows.h"
#include "jpeg_writer.h"

namespace headrace::image {
namespace {

using testing::CollectedRows;
using testing::decode_plainly;
using testing::Decoded;
using testing::JpegRecipe;
using testing::make_jpeg;

std::vector<std::uint8_t> crop(const Decoded& of, const Region& region) {
  std::vector<std::uint8_t> pixels;
  for (int y = region.y; y < region.y + region.height; ++y) {
    const auto begin =
        of.pixels.begin() + (static_cast<std::ptrdiff_t>(y) * of.width + region.x) * of.channels;
    pixels.insert(pixels.end(), begin, begin + static_cast<std::ptrdiff_t>(region.width) * of.channels);
  }
  return pixels;
}

std::string describe(const JpegRecipe& r, const Region& region) {
  return std::to_string(r.components) + " components, sampling " + std::to_string(r.h_sampling) + "x" +
         std::to_string(r.v_sampling) + (r.progressive ? ", progressive" : "") +
         (r.separate_scans ? ", scans" : "") + (r.arithmetic ? ", arithmetic" : "") + ", " +
         std::to_string(r.width) + " x " + std::to_string(r.height) + ", region " + std::to_string(region.x) +
         "," + std::to_string(region.y) + " " + std::to_string(region.width) + "x" +
         std::to_string(region.height);
}

class Checker {
 public:
  explicit Checker(const JpegRecipe& recipe)
      : recipe_(recipe), jpeg_(make_jpeg(recipe)), whole_(decode_plainly(jpeg_)) {}

  ::testing::AssertionResult matches(const Region& region) {
    Header header;
    const Verdict opened = decoder_.open(jpeg_.data(), jpeg_.size(), {}, header);
    if (!opened.ok())
      return ::testing::AssertionFailure() << opened.text() << ": " << describe(recipe_, region);
    if (header.stored != Size{recipe_.width, recipe_.height}) return ::testing::AssertionFailure() << "size";
    CollectedRows rows(region.width * whole_.channels);
    const Verdict decoded = decoder_.decode(region, rows);
    if (!decoded.ok())
      return ::testing::AssertionFailure() << decoded.text() << ": " << describe(recipe_, region);
    if (rows.bytes() == crop(whole_, region)) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << "other pixels: " << describe(recipe_, region);
  }

 private:
  JpegRecipe recipe_;
  std::vector<std::uint8_t> jpeg_;
  Decoded whole_;
  JpegDecoder decoder_;
};

std::vector<JpegRecipe> recipes(int width, int height) {
  std::vector<JpegRecipe> all;
  const int samplings[][2] = {{1, 1}, {2, 1}, {2, 2}, {1, 2}, {4, 1}, {4, 2}, {1, 4}, {2, 4}};
  for (const auto& s : samplings) {
    for (const int kind : {0, 1, 2, 3, 4, 5}) {
      if (kind >= 4 && s[0] * s[1] != 4) continue;  // arithmetic coding is slow
      JpegRecipe recipe{.width = width, .height = height, .h_sampling = s[0], .v_sampling = s[1]};
      recipe.progressive = kind == 1 || kind == 5;
      recipe.separate_scans = kind == 2;
      recipe.restart_rows = kind == 3 ? 1 : 0;
      recipe.arithmetic = kind >= 4;
      all.push_back(recipe);
    }
  }
  for (const int v : {1, 2}) {
    all.push_back({.width = width, .height = height, .components = 1, .h_sampling = v, .v_sampling = v});
    all.push_back({.width = width, .height = height, .components = 1, .progressive = v == 2});
    all.push_back({.width = width, .height = height, .components = 4, .progressive = v == 2});
  }
  return all;
}

TEST(JpegRegion, HasTheFullDecodesPixelsAtEveryStart) {
  for (const JpegRecipe& recipe : recipes(203, 117)) {
    Checker checker(recipe);
    for (int x = 0; x < 70; ++x) ASSERT_TRUE(checker.matches({x, 40, 61, 9}));
    for (int y = 0; y < 70; ++y) ASSERT_TRUE(checker.matches({33, y, 40, 20}));
  }
}

TEST(JpegRegion, HasTheFullDecodesPixelsAtEveryEnd) {
  for (const JpegRecipe& recipe : recipes(203, 117)) {
    Checker checker(recipe);
    for (int end = 100; end <= 203; ++end) ASSERT_TRUE(checker.matches({81, 3, end - 81, 12}));
    for (int end = 30; end <= 117; ++end) ASSERT_TRUE(checker.matches({120, 21, 30, end - 21}));
  }
}

TEST(JpegRegion, MayBeOnePixelOrTheWholePicture) {
  for (const JpegRecipe& recipe : recipes(150, 90)) {
    Checker checker(recipe);
    ASSERT_TRUE(checker.matches({0, 0, 150, 90}));
    for (const int x : {0, 1, 15, 16, 17, 74, 148, 149}) {
      for (const int y : {0, 1, 15, 16, 17, 31, 32, 88, 89}) ASSERT_TRUE(checker.matches({x, y, 1, 1}));
    }
  }
}

TEST(JpegRegion, WorksInPicturesNarrowerThanABlock) {
  for (const int side : {1, 2, 3, 5, 8, 9, 16, 17, 33, 65}) {
    for (const JpegRecipe& recipe : recipes(side, 40)) {
      Checker checker(recipe);
      ASSERT_TRUE(checker.matches({0, 0, side, 40}));
      ASSERT_TRUE(checker.matches({side - 1, 20, 1, 20}));
    }
    for (const JpegRecipe& recipe : recipes(90, side)) {
      Checker checker(recipe);
      ASSERT_TRUE(checker.matches({0, 0, 90, side}));
      ASSERT_TRUE(checker.matches({50, side - 1, 7, 1}));
    }
  }
}

// A progressive JPEG whose refinement scans are missing is legal, and libjpeg smooths over its block borders.
TEST(JpegRegion, HasTheFullDecodesPixelsWhereLibjpegSmooths) {
  JpegRecipe recipe{
      .width = 160, .height = 120, .h_sampling = 2, .v_sampling = 2, .progressive = true, .quality = 40};
  std::vector<std::uint8_t> jpeg = make_jpeg(recipe);
  // Keep the first scan alone: cut before the second, and close the file.
  int scans = 0;
  std::size_t cut = 0;
  for (std::size_t i = 2; i + 1 < jpeg.size() && cut == 0; ++i) {
    if (jpeg[i] == 0xff && jpeg[i + 1] == 0xda) ++scans;
    if (scans == 1 && jpeg[i] == 0xff && jpeg[i + 1] == 0xc4) cut = i;
  }
  ASSERT_NE(cut, 0U);
  jpeg.resize(cut);
  jpeg.push_back(0xff);
  jpeg.push_back(0xd9);
  const Decoded whole_picture = decode_plainly(jpeg);
  JpegDecoder decoder;
  for (const Region region : {Region{0, 0, 160, 120}, Region{37, 41, 50, 30}, Region{100, 90, 60, 30}}) {
    Header header;
    ASSERT_TRUE(decoder.open(jpeg.data(), jpeg.size(), {}, header).ok());
    CollectedRows rows(region.width * 3);
    ASSERT_TRUE(decoder.decode(region, rows).ok());
    EXPECT_EQ(rows.bytes(), crop(whole_picture, region)) << describe(recipe, region);
  }
}

}  // namespace
}  // namespace headrace::image
