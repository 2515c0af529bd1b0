// SPDX-License-Identifier: Apache-2.0
//
// flow.shuffle: which record goes next.

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "flow_bench.h"

namespace headrace {
namespace {

using testing::OpBench;
using testing::Outcome;

OpBench shuffle(const std::string& window, std::uint64_t seed = 0) {
  OpBench bench(flow_plugin(), {.op = "flow.shuffle", .with = {{"window", window}}}, {.seed = seed});
  bench.declare({{}});
  return bench;
}

/// Plays the host: a stream of `n` records through the window, in the order in which they come out.
std::vector<int> order_of(OpBench& bench, std::size_t window, int n, std::uint32_t epoch = 0) {
  std::vector<int> held;
  std::vector<int> out;
  int next = 0;
  while (next < n || !held.empty()) {
    while (next < n && held.size() < window) held.push_back(next++);
    const auto [outcome, choice] =
        bench.choose(static_cast<std::uint32_t>(held.size()), 0, out.size(), epoch);
    EXPECT_TRUE(outcome.ok());
    out.push_back(held.at(choice));
    held.erase(held.begin() + choice);
  }
  return out;
}

TEST(Shuffle, GivesEveryRecordOnceAndNoneBeforeItIsHeld) {
  OpBench bench = shuffle("16");
  std::vector<int> order = order_of(bench, 16, 200);
  for (std::size_t i = 0; i < order.size(); ++i) EXPECT_LT(order[i], static_cast<int>(i) + 16);
  EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
  std::sort(order.begin(), order.end());
  for (int i = 0; i < 200; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
}

TEST(Shuffle, IsTheSameForTheSameSeedAndAnotherInEachEpoch) {
  OpBench a = shuffle("32");
  OpBench b = shuffle("32");
  OpBench c = shuffle("32", 1);
  const std::vector<int> first = order_of(a, 32, 100);
  EXPECT_EQ(order_of(b, 32, 100), first);
  EXPECT_NE(order_of(b, 32, 100, 1), first);
  EXPECT_NE(order_of(c, 32, 100), first);
}

TEST(Shuffle, LeavesTheOrderAloneWithAWindowOfOne) {
  OpBench bench = shuffle("1");
  const std::vector<int> order = order_of(bench, 1, 20);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST(Shuffle, ChoosesEachRecordAsOften) {
  constexpr std::uint32_t kHeld = 10;
  constexpr std::uint64_t kDraws = 20'000;
  OpBench bench = shuffle("10");
  std::map<std::uint32_t, double> counts;
  for (std::uint64_t i = 0; i < kDraws; ++i) counts[bench.choose(kHeld, 0, i).second] += 1;
  const double expected = static_cast<double>(kDraws) / kHeld;
  double chi_square = 0;
  for (std::uint32_t i = 0; i < kHeld; ++i)
    chi_square += (counts[i] - expected) * (counts[i] - expected) / expected;
  EXPECT_LT(chi_square, 27.88);  // 9 degrees of freedom, one in a thousand lies above
}

TEST(Shuffle, DeclaresItsWindow) {
  OpBench bench = shuffle("77");
  EXPECT_EQ(bench.declared().window, 77);
  EXPECT_THROW(shuffle("0"), std::invalid_argument);
}

}  // namespace
}  // namespace headrace
