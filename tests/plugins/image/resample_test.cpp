// SPDX-License-Identifier: Apache-2.0
//
// Resized pixels are Pillow's, bit for bit, on every instruction set this machine has; a part of a result, or
// its mirror image, is that part of the whole.
#include "pixels/resample.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <map>

#include "collected_rows.h"
#include "references.h"

namespace headrace::image {
namespace {

using testing::CollectedRows;
using testing::crc;
using testing::picture_pattern;
using testing::reference_rows;

// Feeds exactly the rows and columns that are asked for; what lies behind each row is filled with junk.
std::vector<std::uint8_t> resample(Resampler& resampler, const ResampleSpec& spec,
                                   const std::vector<std::uint8_t>& in) {
  const Verdict configured = resampler.configure(spec);
  EXPECT_TRUE(configured.ok()) << configured.text();
  CollectedRows rows(spec.window.width * spec.channels);
  resampler.begin(rows);
  const Region part = resampler.needed();
  for (int y = part.y; y < part.y + part.height; ++y) {
    const auto begin = in.begin() + (static_cast<std::ptrdiff_t>(y) * spec.in.width + part.x) * spec.channels;
    std::vector<std::uint8_t> row(begin, begin + static_cast<std::ptrdiff_t>(part.width) * spec.channels);
    row.resize(row.size() + kRowSlack, 0xaa);
    resampler.push(row.data(), 0, 1);
  }
  EXPECT_TRUE(resampler.done());
  EXPECT_EQ(rows.rows(), spec.window.height);
  return rows.bytes();
}

const std::map<std::string, Filter>& filters() {
  static const std::map<std::string, Filter> kFilters{
      {"nearest", Filter::kNearest}, {"box", Filter::kBox},         {"bilinear", Filter::kBilinear},
      {"hamming", Filter::kHamming}, {"bicubic", Filter::kBicubic}, {"lanczos", Filter::kLanczos}};
  return kFilters;
}

struct Case {
  ResampleSpec spec;
  std::uint64_t seed;
  std::uint32_t crc;
  std::string name;

  std::vector<std::uint8_t> picture() const {
    const auto bytes = static_cast<std::size_t>(spec.in.width) * static_cast<std::size_t>(spec.in.height) *
                       static_cast<std::size_t>(spec.channels);
    return picture_pattern(bytes, seed);
  }
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const auto& row : reference_rows("resampling.txt")) {
    const auto number = [&row](std::size_t i) { return std::stoi(row[i]); };
    Case c;
    c.spec = resample_all(number(1), {number(2), number(3)}, {number(8), number(9)}, filters().at(row[10]));
    for (std::size_t i = 0; i < 4; ++i) c.spec.box[i] = std::stof(row[4 + i]);
    c.seed = std::stoull(row[0]);
    c.crc = static_cast<std::uint32_t>(std::stoul(row[11]));
    for (const std::string& word : row) c.name += word + " ";
    all.push_back(c);
  }
  return all;
}

class Targets {
 public:
  Targets() { hwy::SetSupportedTargetsForTest(0); }
  ~Targets() { hwy::SetSupportedTargetsForTest(0); }
  static std::vector<std::int64_t> all() {
    std::vector<std::int64_t> targets;
    for (std::int64_t left = hwy::SupportedTargets(); left != 0; left &= left - 1)
      targets.push_back(left & -left);
    return targets;
  }
  static void use(std::int64_t target) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
};

TEST(Resample, GivesPillowsPixelsForEveryFilterSizeAndBox) {
  const Targets restore;
  const std::vector<std::int64_t> targets = Targets::all();
  Resampler resampler;
  for (const Case& c : cases()) {
    const std::vector<std::uint8_t> picture = c.picture();
    for (const std::int64_t target : targets) {
      Targets::use(target);
      ASSERT_EQ(crc(resample(resampler, c.spec, picture)), c.crc)
          << c.name << "on " << hwy::TargetName(target);
    }
  }
}

TEST(Resample, OfAWindowIsTheWindowOfTheWhole) {
  Resampler resampler;
  for (Case& c : [] {
         auto all = cases();
         all.resize(600);
         return all;
       }()) {
    const std::vector<std::uint8_t> picture = c.picture();
    const std::vector<std::uint8_t> all = resample(resampler, c.spec, picture);
    const Size out = c.spec.out;
    const Region window{out.width / 3, out.height / 4, std::max(1, out.width / 2),
                        std::max(1, out.height / 2)};
    std::vector<std::uint8_t> part;
    for (int y = window.y; y < window.y + window.height; ++y) {
      const auto begin =
          all.begin() + (static_cast<std::ptrdiff_t>(y) * out.width + window.x) * c.spec.channels;
      part.insert(part.end(), begin, begin + static_cast<std::ptrdiff_t>(window.width) * c.spec.channels);
    }
    c.spec.window = window;
    ASSERT_EQ(resample(resampler, c.spec, picture), part) << c.name;
  }
}

TEST(Resample, MirroredIsTheSamePixelsReversed) {
  Resampler resampler;
  for (Case& c : [] {
         auto all = cases();
         all.resize(600);
         return all;
       }()) {
    const std::vector<std::uint8_t> picture = c.picture();
    std::vector<std::uint8_t> straight = resample(resampler, c.spec, picture);
    const auto channels = static_cast<std::ptrdiff_t>(c.spec.channels);
    const std::ptrdiff_t row = channels * c.spec.out.width;
    for (auto at = straight.begin(); at != straight.end(); at += row) {
      for (std::ptrdiff_t left = 0, right = row - channels; left < right;
           left += channels, right -= channels) {
        std::swap_ranges(at + left, at + left + channels, at + right);
      }
    }
    c.spec.mirrored = true;
    ASSERT_EQ(resample(resampler, c.spec, picture), straight) << c.name;
  }
}

TEST(Resample, AsksOnlyForTheRowsAndColumnsThatCount) {
  Resampler resampler;
  ResampleSpec spec = resample_all(3, {500, 375}, {341, 256}, Filter::kBilinear);
  spec.window = {58, 16, 224, 224};
  ASSERT_TRUE(resampler.configure(spec).ok());
  const Region needed = resampler.needed();
  EXPECT_GE(needed.x, 80);
  EXPECT_LE(needed.x + needed.width, 420);
  EXPECT_GE(needed.y, 20);
  EXPECT_LE(needed.y + needed.height, 355);
}

TEST(Resample, WithoutAntialiasingReadsTwoRowsForOne) {
  // A ramp that is linear in both directions comes out as itself at the sample points: no wider filter would
  // keep its ends.
  const int side = 64;
  std::vector<std::uint8_t> ramp;
  for (int y = 0; y < side; ++y) {
    for (int x = 0; x < side; ++x) ramp.push_back(static_cast<std::uint8_t>(2 * x + y));
  }
  ResampleSpec spec = resample_all(1, {side, side}, {8, 8}, Filter::kBilinear);
  spec.antialias = false;
  Resampler resampler;
  const std::vector<std::uint8_t> out = resample(resampler, spec, ramp);
  for (int y = 0; y < 8; ++y) {
    for (int x = 0; x < 8; ++x) {
      // Output x is centred at input 8 x + 3.5.
      const double expected = 2 * (8 * x + 3.5) + 8 * y + 3.5;
      EXPECT_NEAR(out[static_cast<std::size_t>(y * 8 + x)], expected, 1.0);
    }
  }
}

TEST(Resample, RefusesABoxOrWindowOutside) {
  Resampler resampler;
  ResampleSpec spec = resample_all(3, {10, 10}, {5, 5}, Filter::kBilinear);
  spec.box[2] = 11;
  EXPECT_EQ(resampler.configure(spec).kind(), Verdict::Kind::kInvalid);
  spec = resample_all(3, {10, 10}, {5, 5}, Filter::kBilinear);
  spec.window = {3, 0, 3, 5};
  EXPECT_EQ(resampler.configure(spec).kind(), Verdict::Kind::kInvalid);
}

}  // namespace
}  // namespace headrace::image
