// SPDX-License-Identifier: Apache-2.0
#include "runtime/state/permutation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace headrace {
namespace {

TEST(Permutation, HitsEveryElementOnce) {
  for (const std::uint64_t length : {1U, 2U, 3U, 4U, 5U, 7U, 8U, 9U, 63U, 64U, 65U, 1000U, 4097U, 100003U}) {
    const Permutation order(length, 42);
    std::vector<bool> seen(length, false);
    for (std::uint64_t i = 0; i < length; ++i) {
      const std::uint64_t x = order(i);
      ASSERT_LT(x, length);
      ASSERT_FALSE(seen[x]) << length;
      seen[x] = true;
    }
  }
}

TEST(Permutation, KeysGiveOtherOrders) {
  const Permutation a(1000, 1);
  const Permutation b(1000, 2);
  int equal = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) equal += a(i) == b(i) ? 1 : 0;
  EXPECT_LT(equal, 12);  // a random pair agrees in one place on average
}

TEST(Permutation, ReachesAnyPositionOfAHugeSetAtOnce) {
  const std::uint64_t length = (std::uint64_t{1} << 40U) + 12345;
  const Permutation order(length, 7);
  for (std::uint64_t i = 0; i < 1000; ++i) EXPECT_LT(order(length - 1 - i), length);
}

// Over many keys each element must land everywhere equally often. A table of 5 by 5 whose rows and columns
// sum up has 4 * 4 degrees of freedom; the 99.99 % point of chi-squared with 16 is 44.
TEST(Permutation, IsUniformOverKeys) {
  constexpr std::uint64_t kLength = 5;
  constexpr int kKeys = 20000;
  std::vector<std::vector<int>> count(kLength, std::vector<int>(kLength, 0));
  for (int key = 0; key < kKeys; ++key) {
    const Permutation order(kLength, static_cast<std::uint64_t>(key) * 0x9E3779B97F4A7C15U);
    for (std::uint64_t i = 0; i < kLength; ++i) ++count[i][order(i)];
  }
  const double expected = static_cast<double>(kKeys) / kLength;
  double chi_squared = 0;
  for (const auto& row : count) {
    for (const int n : row) chi_squared += std::pow(n - expected, 2) / expected;
  }
  EXPECT_LT(chi_squared, 44.0);
}

}  // namespace
}  // namespace headrace
