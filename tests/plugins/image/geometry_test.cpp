// SPDX-License-Identifier: Apache-2.0
//
// Sizes and crops are torchvision's. Its own numbers are in references/geometry.txt.
#include "pixels/geometry.h"

#include <gtest/gtest.h>

#include "references.h"

namespace headrace::image {
namespace {

using testing::reference_rows;

std::vector<std::vector<double>> rows_of(const std::string& kind) {
  std::vector<std::vector<double>> rows;
  for (const auto& words : reference_rows("geometry.txt")) {
    if (words[0] != kind) continue;
    rows.emplace_back();
    for (std::size_t i = 1; i < words.size(); ++i) rows.back().push_back(std::stod(words[i]));
  }
  EXPECT_GE(rows.size(), 200U);
  return rows;
}

TEST(Geometry, ResizesToTorchvisionsSize) {
  for (const auto& row : rows_of("resize")) {
    const auto number = [&row](std::size_t i) { return static_cast<int>(row[i]); };
    Size to;
    const Verdict verdict = resized({number(2), 0, number(3)}, {number(0), number(1)}, to);
    ASSERT_TRUE(verdict.ok()) << verdict.text();
    EXPECT_EQ(to, (Size{number(4), number(5)})) << number(0) << " x " << number(1) << " to " << number(2);
  }
}

TEST(Geometry, TakesHeightBeforeWidth) {
  Size to;
  ASSERT_TRUE(resized({10, 20, 0}, {300, 200}, to).ok());
  EXPECT_EQ(to, (Size{20, 10}));
}

TEST(Geometry, RefusesASideOfNothing) {
  Size to;
  EXPECT_EQ(resized({1, 0, 2}, {1, 1000}, to).kind(), Verdict::Kind::kInvalid);
}

TEST(Geometry, RefusesASideBeyondMeasure) {
  Size to;
  EXPECT_EQ(resized({1 << 19, 0, 0}, {10, 1000}, to).kind(), Verdict::Kind::kTooLarge);
}

// Rows: width height crop_width crop_height, where the crop starts in the picture, pixels of the picture in
// it.
TEST(Geometry, CropsTheCenterAsTorchvisionDoes) {
  for (const auto& row : rows_of("center_crop")) {
    const auto number = [&row](std::size_t i) { return static_cast<int>(row[i]); };
    const Size picture{number(0), number(1)};
    const Region crop = center_crop(picture, {number(2), number(3)});
    EXPECT_EQ(crop, (Region{number(4), number(5), number(2), number(3)})) << number(0) << " x " << number(1);
    const Region inside = intersection(crop, whole(picture));
    EXPECT_EQ(inside.width * inside.height, number(6));
  }
}

// Rows: width height, scale(2), ratio(2), the crop's x y width height, the draws.
TEST(Geometry, DrawsTorchvisionsRandomCrops) {
  for (const auto& row : rows_of("random_resized_crop")) {
    const RandomCropRule rule{{row[2], row[3]}, {row[4], row[5]}};
    const Size picture{static_cast<int>(row[0]), static_cast<int>(row[1])};
    std::size_t draw = 10;
    const Region crop = random_resized_crop(rule, picture, [&] { return row.at(draw++); });
    const Region expected{static_cast<int>(row[6]), static_cast<int>(row[7]), static_cast<int>(row[8]),
                          static_cast<int>(row[9])};
    EXPECT_EQ(crop, expected) << row[0] << " x " << row[1] << " scale " << row[2] << " first draw "
                              << row[10];
    EXPECT_EQ(intersection(crop, whole(picture)), crop);
  }
}

}  // namespace
}  // namespace headrace::image
