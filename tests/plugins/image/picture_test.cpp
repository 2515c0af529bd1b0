// SPDX-License-Identifier: Apache-2.0
//
// Whole files of every kind: Pillow's pixels in each mode, or a refusal that names the format.
#include <gtest/gtest.h>

#include <string>

#include "decoded.h"
#include "jpeg_writer.h"
#include "references.h"

namespace headrace::image {
namespace {

using testing::CollectedRows;
using testing::crc;
using testing::decode;
using testing::make_jpeg;
using testing::Outcome;
using testing::part_of;
using testing::read_file;
using testing::reference_rows;

using Mode = ColourRule::Mode;
using Alpha = ColourRule::Alpha;

constexpr std::array<std::uint8_t, 3> kBackground{12, 130, 250};  // as in make_file_references.py

struct Kind {
  const char* name;
  ColourRule rule;
};

// In the order of the references' columns.
const Kind kKinds[] = {
    {"rgb", {Mode::kRgb, Alpha::kDrop, {}}},
    {"gray", {Mode::kGrey, Alpha::kDrop, {}}},
    {"rgb + alpha", {Mode::kRgb, Alpha::kKeep, {}}},
    {"gray + alpha", {Mode::kGrey, Alpha::kKeep, {}}},
    {"rgb blended", {Mode::kRgb, Alpha::kBlend, kBackground}},
    {"gray blended", {Mode::kGrey, Alpha::kBlend, kBackground}},
    {"unchanged", {Mode::kUnchanged, Alpha::kDrop, {}}},
};

void expect_pillows_pixels(PictureDecoder& decoder, const std::string& folder,
                           const std::vector<std::string>& row) {
  std::size_t column = 3;
  for (const Kind& kind : kKinds) {
    const Outcome outcome = decode(decoder, read_file(folder + row[0]), {.colour = kind.rule});
    ASSERT_TRUE(outcome.verdict.ok()) << row[0] << ": " << outcome.verdict.text();
    EXPECT_EQ(outcome.size, (Size{std::stoi(row[1]), std::stoi(row[2])})) << row[0];
    EXPECT_EQ(crc(outcome.pixels), static_cast<std::uint32_t>(std::stoul(row[column++])))
        << row[0] << ", " << kind.name;
  }
}

TEST(Picture, IsPillowsOrRefusedForEachTrial) {
  PictureDecoder decoder;
  const auto rows = reference_rows("trials.txt");
  EXPECT_EQ(rows.size(), 25U);
  for (const auto& row : rows) {
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
    for (const Kind& kind : kKinds) {
      const DecodeOptions options{.colour = kind.rule};
      const Outcome all = decode(decoder, file, options);
      for (const Region region :
           {Region{0, 0, 1, 1}, Region{5, 3, 7, 6}, Region{18, 12, 1, 1}, Region{0, 12, 19, 1}}) {
        ASSERT_TRUE(decoder.open(file.data(), file.size(), options).ok());
        CollectedRows rows(region.width * all.channels);
        ASSERT_TRUE(decoder.decode(region, rows).ok());
        EXPECT_EQ(rows.bytes(), part_of(all, region)) << row[0] << ", " << kind.name;
      }
    }
  }
}

TEST(Picture, HasTheChannelsOfItsMode) {
  PictureDecoder decoder;
  const auto channels = [&](const char* name, const ColourRule& rule) {
    const Outcome outcome = decode(decoder, read_file(name), {.colour = rule});
    EXPECT_TRUE(outcome.verdict.ok()) << outcome.verdict.text();
    return outcome.channels;
  };
  const int expected[] = {3, 1, 4, 2, 3, 1};
  for (std::size_t i = 0; i < std::size(expected); ++i) {
    EXPECT_EQ(channels("trials/hopper.png", kKinds[i].rule), expected[i]) << kKinds[i].name;
    EXPECT_EQ(channels("trials/pil_sample_cmyk.jpg", kKinds[i].rule), expected[i]) << kKinds[i].name;
    EXPECT_EQ(channels("png/type4_16bit.png", kKinds[i].rule), expected[i]) << kKinds[i].name;
  }
  const ColourRule unchanged{Mode::kUnchanged, Alpha::kDrop, {}};
  EXPECT_EQ(channels("trials/hopper_gray.jpg", unchanged), 1);
  EXPECT_EQ(channels("trials/hopper.jpg", unchanged), 3);
  EXPECT_EQ(channels("trials/pil_sample_cmyk.jpg", unchanged), 4);
  EXPECT_EQ(channels("png/type0_1bit_trns.png", unchanged), 1);
  EXPECT_EQ(channels("png/type3_2bit.png", unchanged), 3);
  EXPECT_EQ(channels("png/type3_2bit_trns.png", unchanged), 4);
  EXPECT_EQ(channels("png/type4_8bit.png", unchanged), 2);
  EXPECT_EQ(channels("png/type6_16bit.png", unchanged), 4);
}

TEST(Picture, OfAnotherFormatIsRefusedByItsName) {
  PictureDecoder decoder;
  const std::pair<const char*, const char*> names[] = {
      {"webp", "WebP"},     {"gif", "GIF"},   {"bmp", "BMP"}, {"tiff", "TIFF"},
      {"jp2", "JPEG 2000"}, {"avif", "AVIF"}, {"ico", "ICO"}, {"icns", "ICNS"},
      {"ppm", "PPM"},       {"dds", "DDS"},   {"pcx", "PCX"}, {"qoi", "QOI"}};
  for (const auto& [extension, name] : names) {
    const Verdict verdict = decode(decoder, read_file(std::string("formats/picture.") + extension)).verdict;
    EXPECT_EQ(verdict.kind(), Verdict::Kind::kUnsupported) << extension;
    EXPECT_EQ(verdict.text(), std::string("this is ") + name + ", not JPEG or PNG");
  }
}

// Of formats that Pillow does not write: their first bytes.
TEST(Picture, OfAnotherFormatIsKnownByItsFirstBytes) {
  using namespace std::string_literals;
  PictureDecoder decoder;
  const std::pair<std::string, const char*> heads[] = {
      {"\0\0\0\x18"
       "ftypheic\0\0\0\0mif1heic"s,
       "HEIC"},
      {"\0\0\0\x18"
       "ftypmif1\0\0\0\0mif1heic"s,
       "HEIC"},
      {"\0\0\0\x18"
       "ftypmif1\0\0\0\0mif1avif"s,
       "AVIF"},
      {"\0\0\0\x18"
       "ftypisom\0\0\2\0isommp42"s,
       "an MP4-like container"},
      {"\0\0\0\x0cJXL \r\n\x87\n"s, "JPEG XL"},
      {"\xff\x0a\xfa\x1f"s, "JPEG XL"},
      {"II\xbc\x01\x20"s, "JPEG XR"},
      {"8BPS\0\1"s, "Photoshop"},
      {"%PDF-1.4\n"s, "PDF"},
      {"<svg xmlns='http://www.w3.org/2000/svg'/>"s, "SVG"},
      {"<?xml version='1.0'?>\n<!-- made by hand -->\n<svg/>"s, "SVG"},
      {"<?xml version='1.0'?><rss/>"s, "XML"},
      {"\xef\xbb\xbf\n <!DOCTYPE HTML>"s, "HTML"},
      {"<HTML><body>404 Not Found"s, "HTML"},
      {"version https://git-lfs.github.com/spec/v1\n"s, "a Git LFS pointer"},
  };
  for (const auto& [head, name] : heads) {
    const Verdict verdict = decode(decoder, {head.begin(), head.end()}).verdict;
    EXPECT_EQ(verdict.kind(), Verdict::Kind::kUnsupported) << name;
    EXPECT_EQ(verdict.text(), std::string("this is ") + name + ", not JPEG or PNG");
  }
}

TEST(Picture, IsNotMadeOfTextOrNothing) {
  PictureDecoder decoder;
  const std::string words = "BMI and other numbers: not a picture\n";
  EXPECT_EQ(decode(decoder, {}).verdict.text(), "no picture: the data is an empty file");
  EXPECT_EQ(decode(decoder, {words.begin(), words.end()}).verdict.text(), "no picture: the data is text");
  EXPECT_EQ(decode(decoder, std::vector<std::uint8_t>(100)).verdict.text(), "no picture: the data is zeros");
  EXPECT_EQ(decode(decoder, {200, 1, 2, 3}).verdict.text(), "no picture: the data is no picture format");
}

}  // namespace
}  // namespace headrace::image
