// SPDX-License-Identifier: Apache-2.0
//
// What the random ops choose is what torchvision chooses for the same draws, and random_resized_crop's
// choices have torchvision's distribution. References: references/warp_draws.txt and warp_crops.txt.
#include "warp/draws.h"

#include <random>

#include "warp_references.h"

namespace headrace::image {
namespace {

using testing::distance;
using testing::numbers_of;
using testing::reference_rows;

/// Hands out the reference's draws.
struct Given {
  std::vector<double> left;
  double uniform() {
    EXPECT_FALSE(left.empty());
    const double first = left.front();
    left.erase(left.begin());
    return first;
  }
  std::uint32_t below(std::uint32_t count) { return static_cast<std::uint32_t>(uniform() * count); }
};

struct Drawn {
  Size of;
  std::vector<double> parameters;
  std::vector<double> result;
  Given draws;
};

std::vector<Drawn> drawn(const std::string& kind) {
  std::vector<Drawn> rows;
  for (const auto& row : reference_rows("warp_draws.txt")) {
    if (row[0] != kind) continue;
    rows.push_back({{std::stoi(row[1]), std::stoi(row[2])},
                    numbers_of(row[3]),
                    numbers_of(row[4]),
                    {numbers_of(row[5])}});
  }
  EXPECT_GE(rows.size(), 50U);
  return rows;
}

int whole_number(double value) { return static_cast<int>(value); }

TEST(Draws, CropWhereTorchvisionDoes) {
  for (Drawn& row : drawn("random_crop")) {
    const auto& p = row.parameters;
    const PaddedCropRule rule{
        {whole_number(p[0]), whole_number(p[1])},
        {whole_number(p[2]), whole_number(p[3]), whole_number(p[4]), whole_number(p[5])},
        true,
        Surround::kConstant};
    const auto& r = row.result;
    EXPECT_EQ(padding_for(rule, row.of),
              (Padding{whole_number(r[2]), whole_number(r[3]), whole_number(r[4]), whole_number(r[5])}));
    Region part;
    ASSERT_TRUE(padded_crop(rule, row.of, row.draws, part).ok());
    EXPECT_EQ(part, (Region{whole_number(r[0]), whole_number(r[1]), rule.size.width, rule.size.height}));
  }
}

TEST(Draws, RefuseACropLargerThanThePicture) {
  Given draws{{0.5, 0.5}};
  Region part;
  const Verdict verdict =
      padded_crop({{10, 4}, {1, 1, 1, 1}, false, Surround::kConstant}, {7, 9}, draws, part);
  EXPECT_EQ(verdict.kind(), Verdict::Kind::kInvalid);
  EXPECT_NE(verdict.text().find("pad_if_needed"), std::string_view::npos);
}

TEST(Draws, EraseWhereTorchvisionDoes) {
  int erased = 0;
  for (Drawn& row : drawn("erasing")) {
    const auto& p = row.parameters;
    Region part;
    const bool is = erased_part({{p[0], p[1]}, {p[2], p[3]}}, row.of, row.draws, part);
    erased += is ? 1 : 0;
    const auto& r = row.result;
    EXPECT_EQ(part, (Region{whole_number(r[0]), whole_number(r[1]), whole_number(r[2]), whole_number(r[3])}));
    EXPECT_EQ(is, r[2] > 0);
  }
  EXPECT_GE(erased, 20);
}

TEST(Draws, TurnAndShearAsTorchvision) {
  for (Drawn& row : drawn("affine")) {
    const auto& p = row.parameters;
    RandomAffineRule rule{{p[0], p[1]}, true, {p[2], p[3]}, true, {p[4], p[5]}, 1, {p[6], p[7]}, {}};
    if (p.size() == 10) {
      rule.shears = 2;
      rule.shear_y = {p[8], p[9]};
    }
    const AffineRule drawn = draw_affine(rule, row.of, row.draws);
    const double values[] = {drawn.angle, drawn.translate.x, drawn.translate.y,
                             drawn.scale, drawn.shear.x,     drawn.shear.y};
    for (std::size_t i = 0; i < 6; ++i) EXPECT_DOUBLE_EQ(values[i], row.result[i]) << i;
  }
}

TEST(Draws, NothingThatIsNotWanted) {
  Given draws{{0.5}};
  EXPECT_EQ(draw_affine({{0, 90}, false, {}, false, {}, 0, {}, {}}, {10, 10}, draws).angle, 45);
  EXPECT_TRUE(draws.left.empty());
}

TEST(Draws, ThePerspectiveThatTorchvisionDraws) {
  for (Drawn& row : drawn("perspective")) {
    const std::array<Point, 4> ends = draw_corners(row.parameters[0], row.of, row.draws);
    PerspectiveCoefficients coefficients;
    ASSERT_TRUE(perspective_coefficients(corners(row.of), ends, coefficients));
    for (std::size_t i = 0; i < 8; ++i)
      EXPECT_NEAR(coefficients[i], row.result[i], 1e-6 * std::max(1.0, std::fabs(row.result[i]))) << i;
  }
}

TEST(Draws, CropAndResizeWithTorchvisionsDistribution) {
  constexpr Size kPicture{640, 480};
  constexpr std::size_t kCount = 20000;
  std::mt19937_64 generator(20);
  std::uniform_real_distribution<double> uniform;
  std::vector<double> values[4];
  for (std::size_t i = 0; i < kCount; ++i) {
    const Region part = random_resized_crop({}, kPicture, [&] { return uniform(generator); });
    const double width = part.width;
    const double height = part.height;
    values[0].push_back(width * height / (640.0 * 480.0));
    values[1].push_back(width / height);
    values[2].push_back((part.x + 0.5) / (640 - width + 1));
    values[3].push_back((part.y + 0.5) / (480 - height + 1));
  }
  // Two samples, at 1 %: 1.628 sqrt((n + m) / (n m)) (Smirnov 1948); the quantiles stand for m = 100000.
  const double critical = 1.628 * std::sqrt((kCount + 100000.0) / (kCount * 100000.0));
  const auto rows = reference_rows("warp_crops.txt");
  ASSERT_EQ(rows.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    std::vector<double> quantiles;
    for (std::size_t k = 1; k < rows[i].size(); ++k) quantiles.push_back(std::stod(rows[i][k]));
    EXPECT_LT(distance(values[i], quantiles), critical) << rows[i][0];
    // The test can tell: of numbers moved by 3 % of their spread it would not say so.
    std::vector<double> moved = values[i];
    for (double& value : moved) value += 0.03 * (quantiles.back() - quantiles.front());
    EXPECT_GT(distance(moved, quantiles), critical) << rows[i][0];
  }
}

}  // namespace
}  // namespace headrace::image
