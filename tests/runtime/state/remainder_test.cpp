// SPDX-License-Identifier: Apache-2.0
//
// What ranks leave and what is dealt anew, against sets that are simply written out.
#include "runtime/state/remainder.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace headrace {
namespace {

/// What is left of `order` when ranks have taken theirs below their ends.
std::vector<std::uint64_t> left(const std::vector<std::uint64_t>& order,
                                const std::vector<std::uint64_t>& ends) {
  std::vector<std::uint64_t> out;
  for (std::uint64_t v = 0; v < order.size(); ++v) {
    if (v >= ends[v % ends.size()]) out.push_back(order[v]);
  }
  return out;
}

TEST(Remainder, KeepsTheOrderOfWhatIsLeft) {
  // Rank 0 has taken 0, 3, 6 and rank 1 has taken 1, rank 2 nothing.
  const Remainder rest({7, 2, 0});
  const std::uint64_t expected[] = {2, 4, 5, 7, 8, 9, 10};
  for (std::uint64_t v = 0; v < 7; ++v) EXPECT_EQ(rest.at(v), expected[v]);
  EXPECT_EQ(rest.below(0), 0U);
  EXPECT_EQ(rest.below(3), 1U);
  EXPECT_EQ(rest.below(9), 5U);
}

TEST(Remainder, IsTheWholeOrderWhereNothingWasTaken) {
  const Remainder rest({0, 0, 0, 0});
  EXPECT_EQ(rest.at(0), 0U);
  EXPECT_EQ(rest.at(std::uint64_t{1} << 50), std::uint64_t{1} << 50);
  EXPECT_EQ(Remainders().at(17), 17U);
  EXPECT_EQ(Remainders().below(17), 17U);
}

TEST(Remainders, AreWhatSetsGiveOverSeveralNumbersOfRanks) {
  std::mt19937 chance(3);
  for (int trial = 0; trial < 500; ++trial) {
    std::vector<std::uint64_t> order(400);
    for (std::uint64_t i = 0; i < order.size(); ++i) order[i] = i;
    std::vector<std::vector<std::uint64_t>> levels;
    for (unsigned level = 0; level < 1 + chance() % 3; ++level) {
      std::vector<std::uint64_t> ends(1 + chance() % 8);
      const std::uint64_t about = chance() % 60;
      for (std::uint64_t& end : ends) end = about + chance() % 25;
      order = left(order, ends);
      levels.push_back(ends);
      const Remainders rest(levels);
      const std::size_t sure = order.size() - 100;
      for (std::uint64_t v = 0; v < sure; ++v) {
        ASSERT_EQ(rest.at(v), order[v]);
        ASSERT_EQ(rest.below(order[v]), v);
        ASSERT_EQ(rest.below(order[v] + 1), v + 1);
      }
    }
  }
}

}  // namespace
}  // namespace headrace
