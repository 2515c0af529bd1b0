// SPDX-License-Identifier: Apache-2.0
//
// Normalised floats are torchvision's, bit for bit, on every instruction set this machine has.
#include "pixels/normalize.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "instruction_sets.h"
#include "pixels/rows.h"
#include "references.h"

namespace headrace::image {
namespace {

using testing::on_every_instruction_set;
using testing::reference_rows;

struct Table {
  Normalization normalization;
  std::vector<std::vector<std::uint32_t>> bits;  // [channel][byte]
};

std::vector<Table> tables() {
  std::vector<Table> all;
  const auto rows = reference_rows("normalization.txt");
  for (std::size_t i = 0; i + 2 < rows.size(); i += 3) {
    Table table;
    double mean[3];
    double std[3];
    for (std::size_t c = 0; c < 3; ++c) {
      mean[c] = std::stod(rows[i + c][0]);
      std[c] = std::stod(rows[i + c][1]);
      table.bits.emplace_back();
      for (std::size_t byte = 0; byte < 256; ++byte) {
        table.bits[c].push_back(static_cast<std::uint32_t>(std::stoul(rows[i + c][2 + byte], nullptr, 16)));
      }
    }
    EXPECT_TRUE(table.normalization.configure(3, mean, 3, std, 3).ok());
    all.push_back(table);
  }
  return all;
}

// Every byte in every channel, in `width` pixels from `start`.
std::vector<std::uint8_t> every_byte(int start, int width) {
  std::vector<std::uint8_t> row;
  for (int x = start; x < start + width; ++x) {
    for (int c = 0; c < 3; ++c) row.push_back(static_cast<std::uint8_t>(x + c * 85));
  }
  row.resize(row.size() + kRowSlack, 0xaa);
  return row;
}

TEST(Normalize, GivesTorchvisionsFloatsInPlanes) {
  for (const Table& table : tables()) {
    on_every_instruction_set([&] {
      for (const int width : {1, 2, 3, 7, 8, 15, 16, 17, 31, 224, 256}) {
        for (int start = 0; start < 256; start += width) {
          const std::vector<std::uint8_t> row = every_byte(start, width);
          constexpr float kUntouched = 12345;
          std::vector<float> out(static_cast<std::size_t>(width) * 3 + 3, kUntouched);
          const std::size_t plane = static_cast<std::size_t>(width) + 1;
          float* const planes[3] = {out.data(), out.data() + plane, out.data() + 2 * plane};
          table.normalization.to_planes(row.data(), width, planes);
          for (std::size_t c = 0; c < 3; ++c) {
            EXPECT_EQ(planes[c][width], kUntouched);
            for (std::size_t x = 0; x < static_cast<std::size_t>(width); ++x) {
              ASSERT_EQ(std::bit_cast<std::uint32_t>(planes[c][x]), table.bits[c][row[x * 3 + c]]) << width;
            }
          }
        }
      }
    });
  }
}

TEST(Normalize, GivesTorchvisionsFloatsInterleaved) {
  for (const Table& table : tables()) {
    on_every_instruction_set([&] {
      for (const int width : {1, 2, 5, 6, 16, 17, 21, 256}) {
        const std::vector<std::uint8_t> row = every_byte(7, width);
        constexpr float kUntouched = 12345;
        std::vector<float> out(static_cast<std::size_t>(width) * 3 + 1, kUntouched);
        table.normalization.to_interleaved(row.data(), width, out.data());
        EXPECT_EQ(out.back(), kUntouched);
        for (std::size_t i = 0; i + 1 < out.size(); ++i) {
          ASSERT_EQ(std::bit_cast<std::uint32_t>(out[i]), table.bits[i % 3][row[i]]) << width;
        }
      }
    });
  }
}

TEST(Normalize, TakesOneMeanForAllChannelsAndRefusesOtherCounts) {
  const double one[] = {0.5};
  const double two[] = {0.5, 0.5};
  const double zero[] = {0.0};
  Normalization normalization;
  EXPECT_TRUE(normalization.configure(3, one, 1, one, 1).ok());
  EXPECT_EQ(normalization.value(2, 255), 1.0F);
  EXPECT_EQ(normalization.configure(3, two, 2, one, 1).kind(), Verdict::Kind::kInvalid);
  EXPECT_EQ(normalization.configure(3, one, 1, zero, 1).kind(), Verdict::Kind::kInvalid);
}

TEST(Normalize, IsTheSameWhereTheQuickDivisionWouldBeOff) {
  // Stds near the ends of the float range, where a reciprocal loses its digits.
  for (const double std : {1e-38, 3e38, 1e-40, 0.1, 3.0}) {
    const double mean = 0.3;
    Normalization normalization;
    ASSERT_TRUE(normalization.configure(3, &mean, 1, &std, 1).ok());
    on_every_instruction_set([&] {
      const std::vector<std::uint8_t> row = every_byte(0, 256);
      std::vector<float> out(256 * 3);
      normalization.to_interleaved(row.data(), 256, out.data());
      for (std::size_t i = 0; i < out.size(); ++i) {
        const float expected =
            (static_cast<float>(row[i]) / 255.0F - static_cast<float>(mean)) / static_cast<float>(std);
        ASSERT_EQ(std::bit_cast<std::uint32_t>(out[i]), std::bit_cast<std::uint32_t>(expected)) << std;
      }
    });
  }
}

}  // namespace
}  // namespace headrace::image
