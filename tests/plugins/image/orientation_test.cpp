// SPDX-License-Identifier: Apache-2.0
//
// EXIF's orientation: found where Pillow finds it, applied as it says, and a region of the turned picture is
// that part of the whole.
#include "pixels/orientation.h"

#include <gtest/gtest.h>

#include <string>

#include "codec/jpeg_metadata.h"
#include "codec/png_metadata.h"
#include "decoded.h"
#include "exif_writer.h"
#include "jpeg_writer.h"
#include "references.h"

namespace headrace::image {
namespace {

using testing::Bytes;
using testing::CollectedRows;
using testing::decode;
using testing::make_jpeg;
using testing::Outcome;
using testing::part_of;
using testing::picture_pattern;
using testing::read_file;
using testing::reference_rows;
using testing::with_orientation;

Bytes from_hex(const std::string& text) {
  Bytes bytes;
  if (text == "-") return bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2)
    bytes.push_back(static_cast<std::uint8_t>(std::stoi(text.substr(i, 2), nullptr, 16)));
  return bytes;
}

TEST(Orientation, IsFoundWherePillowFindsIt) {
  const Bytes jpeg = make_jpeg({.width = 24, .height = 16});
  const Bytes png = read_file("png/type2_8bit.png");
  int found = 0;
  for (const auto& row : reference_rows("orientations.txt")) {
    const int expected = std::stoi(row[1]);
    found += expected > 1 ? 1 : 0;
    if (row[0] == "jpeg") {
      const Bytes file = testing::with_segments(jpeg, row.size() > 2 ? from_hex(row[2]) : Bytes());
      EXPECT_EQ(static_cast<int>(jpeg_orientation(file.data(), file.size())), expected) << row[2];
    } else {
      const Bytes file = testing::with_chunks(png, from_hex(row[2]), from_hex(row[3]));
      EXPECT_EQ(static_cast<int>(png_orientation(file.data(), file.size())), expected)
          << row[2] << " " << row[3];
    }
  }
  EXPECT_GT(found, 100);
}

// Whatever the metadata holds, the picture comes: no orientation, no reading beyond the end (sanitizers
// watch).
TEST(Orientation, IsNoneInMetadataCutAnywhere) {
  const Bytes jpeg = make_jpeg({.width = 24, .height = 16});
  PictureDecoder decoder;
  for (const auto& row : reference_rows("orientations.txt")) {
    if (row[0] != "jpeg" || row.size() < 3) continue;
    Bytes segment = from_hex(row[2]);
    for (std::size_t kept = 4; kept < segment.size(); kept += 3) {
      Bytes cut(segment.begin(), segment.begin() + static_cast<std::ptrdiff_t>(kept));
      cut[2] = 0;
      cut[3] = static_cast<std::uint8_t>(std::min<std::size_t>(kept - 2, 255));
      cut.resize(cut[3] + 2U);
      EXPECT_TRUE(decode(decoder, testing::with_segments(jpeg, cut)).verdict.ok());
    }
  }
}

// The definition: where pixel (x, y) of the turned picture lies in the stored one.
struct Position {
  int x;
  int y;
};

Position stored_position(Position at, Size stored, int orientation) {
  const int right = stored.width - 1;
  const int below = stored.height - 1;
  switch (orientation) {
    case 2:
      return {right - at.x, at.y};
    case 3:
      return {right - at.x, below - at.y};
    case 4:
      return {at.x, below - at.y};
    case 5:
      return {at.y, at.x};
    case 6:
      return {at.y, below - at.x};
    case 7:
      return {right - at.y, below - at.x};
    case 8:
      return {right - at.y, at.x};
    default:
      return at;
  }
}

Bytes turned_plainly(const Bytes& pixels, Size stored, int channels, int orientation) {
  Bytes out;
  const Size size = turned(stored, static_cast<Orientation>(orientation));
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) {
      const Position from = stored_position({x, y}, stored, orientation);
      for (int c = 0; c < channels; ++c) {
        out.push_back(pixels[static_cast<std::size_t>((from.y * stored.width + from.x) * channels + c)]);
      }
    }
  }
  return out;
}

TEST(TurnedRows, PutEveryPixelWhereItBelongs) {
  TurnedRows turner;
  for (const Size stored : {Size{1, 1}, Size{5, 3}, Size{16, 9}, Size{37, 2}, Size{1, 40}, Size{50, 33}}) {
    for (int channels = 1; channels <= 4; ++channels) {
      const int stride = stored.width * channels;
      Bytes pixels = picture_pattern(static_cast<std::size_t>(stride * stored.height), 4);
      const std::size_t size = pixels.size();
      pixels.resize(size + kRowSlack);
      for (int orientation = 1; orientation <= 8; ++orientation) {
        for (const int at_once : {1, 3, 8}) {
          const auto name = static_cast<Orientation>(orientation);
          CollectedRows rows(turned(stored, name).width * channels);
          turner.begin(name, stored, channels, rows);
          for (int y = 0; y < stored.height; y += at_once)
            turner.push(pixels.data() + y * stride, stride, std::min(at_once, stored.height - y));
          turner.finish();
          turner.release();
          EXPECT_EQ(rows.bytes(), turned_plainly({pixels.begin(), pixels.begin() + static_cast<long>(size)},
                                                 stored, channels, orientation))
              << orientation << ", " << stored.width << " x " << stored.height << ", " << channels;
        }
      }
    }
  }
}

class Draws {
 public:
  int below(int end) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<int>((state_ >> 33) % static_cast<std::uint64_t>(end));
  }

 private:
  std::uint64_t state_ = 11;
};

std::vector<Bytes> pictures() {
  std::vector<Bytes> files;
  for (const int h : {1, 2, 4}) {
    for (const int v : {1, 2}) {
      for (const bool progressive : {false, true}) {
        files.push_back(make_jpeg(
            {.width = 203, .height = 117, .h_sampling = h, .v_sampling = v, .progressive = progressive}));
      }
    }
  }
  files.push_back(make_jpeg({.width = 91, .height = 140, .components = 1}));
  files.push_back(make_jpeg({.width = 91, .height = 140, .components = 4}));
  files.push_back(read_file("trials/hopper.png"));
  files.push_back(read_file("trials/pil123rgba.png"));
  files.push_back(read_file("png/type6_16bit_interlaced.png"));
  files.push_back(read_file("png/type0_16bit.png"));
  return files;
}

const ColourRule kRules[] = {{ColourRule::Mode::kRgb, ColourRule::Alpha::kDrop, {}},
                             {ColourRule::Mode::kGrey, ColourRule::Alpha::kDrop, {}},
                             {ColourRule::Mode::kGrey, ColourRule::Alpha::kKeep, {}},
                             {ColourRule::Mode::kRgb, ColourRule::Alpha::kKeep, {}},
                             {ColourRule::Mode::kRgb, ColourRule::Alpha::kBlend, {9, 99, 199}},
                             {ColourRule::Mode::kUnchanged, ColourRule::Alpha::kDrop, {}}};

TEST(Orientation, TurnsTheWholePicture) {
  PictureDecoder decoder;
  std::size_t turn = 0;
  for (const Bytes& file : pictures()) {
    for (int n = 0; n < 3; ++n) {
      const ColourRule& rule = kRules[turn++ % std::size(kRules)];
      const Outcome stored = decode(decoder, file, {.colour = rule});
      for (int orientation = 1; orientation <= 8; ++orientation) {
        const Bytes marked = with_orientation(file, orientation);
        const Outcome applied = decode(decoder, marked, {.colour = rule});
        ASSERT_TRUE(applied.verdict.ok()) << applied.verdict.text();
        EXPECT_EQ(applied.size, turned(stored.size, static_cast<Orientation>(orientation)));
        EXPECT_TRUE(applied.pixels ==
                    turned_plainly(stored.pixels, stored.size, stored.channels, orientation));
        EXPECT_TRUE(decode(decoder, marked, {.colour = rule, .apply_exif = false}).pixels == stored.pixels);
      }
    }
  }
}

TEST(Orientation, LeavesARegionThatPartOfTheWhole) {
  PictureDecoder decoder;
  Draws draws;
  std::size_t turn = 0;
  for (const Bytes& file : pictures()) {
    for (int orientation = 1; orientation <= 8; ++orientation) {
      const Bytes marked = with_orientation(file, orientation);
      const DecodeOptions options{.colour = kRules[turn++ % std::size(kRules)]};
      const Outcome all = decode(decoder, marked, options);
      for (int i = 0; i < 12; ++i) {
        Region region{draws.below(all.size.width), draws.below(all.size.height), 0, 0};
        region.width = 1 + draws.below(all.size.width - region.x);
        region.height = 1 + draws.below(all.size.height - region.y);
        ASSERT_TRUE(decoder.open(marked.data(), marked.size(), options).ok());
        CollectedRows rows(region.width * all.channels);
        ASSERT_TRUE(decoder.decode(region, rows).ok());
        ASSERT_TRUE(rows.bytes() == part_of(all, region)) << orientation;
      }
    }
  }
}

}  // namespace
}  // namespace headrace::image
