// SPDX-License-Identifier: Apache-2.0
//
// Sixteen-bit floats are NumPy's and PyTorch's, bit for bit, on every instruction set this machine has.
#include "pixels/narrow.h"

#include <gtest/gtest.h>

#include <bit>
#include <string>
#include <vector>

#include "instruction_sets.h"
#include "references.h"

namespace headrace::image {
namespace {

using testing::on_every_instruction_set;
using testing::reference_rows;

std::uint32_t hex(const std::string& text) {
  return static_cast<std::uint32_t>(std::stoul(text, nullptr, 16));
}

using Narrow = void (*)(const float*, std::size_t, std::uint16_t*);

/// `infinity`: its bits; those of a NaN are above.
void expect_references(Narrow narrow, std::size_t column, std::uint16_t infinity) {
  const auto rows = reference_rows("narrowing.txt");
  std::vector<float> floats;
  for (const auto& row : rows) floats.push_back(std::bit_cast<float>(hex(row[0])));
  on_every_instruction_set([&] {
    std::vector<std::uint16_t> out(floats.size());
    narrow(floats.data(), floats.size(), out.data());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i][column] == "nan") {
        EXPECT_GT(out[i] & 0x7FFF, infinity) << rows[i][0];
      } else {
        ASSERT_EQ(out[i], hex(rows[i][column])) << rows[i][0];
      }
    }
  });
}

TEST(Narrow, GivesNumpysFloat16) { expect_references(to_float16, 1, 0x7C00); }
TEST(Narrow, GivesPytorchsBfloat16) { expect_references(to_bfloat16, 2, 0x7F80); }

TEST(Narrow, WritesAsManyAsItWasTold) {
  on_every_instruction_set([] {
    for (std::size_t count = 0; count < 70; ++count) {
      std::vector<float> in(count, 1.0F);
      std::vector<std::uint16_t> out(count + 1, 0xABCD);
      to_float16(in.data(), count, out.data());
      EXPECT_EQ(out[count], 0xABCD);
      for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(out[i], 0x3C00) << i << " of " << count;
    }
  });
}

}  // namespace
}  // namespace headrace::image
