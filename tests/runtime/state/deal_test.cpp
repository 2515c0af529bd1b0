// SPDX-License-Identifier: Apache-2.0
//
// Dealing, against the plain reading of its rule: the order laid out as a list, extended or cut, and handed
// round.
#include "runtime/state/deal.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <vector>

namespace headrace {
namespace {

/// The positions that all ranks get together, and the place of each.
std::vector<std::uint64_t> all_positions(std::uint64_t length, std::uint64_t world, std::uint64_t batch,
                                         Ending ending) {
  std::vector<std::uint64_t> list;
  while (list.size() < length) list.push_back(list.size());
  const std::uint64_t step = world * batch;
  if (ending == Ending::pad || ending == Ending::wrap) {
    while (list.size() % step != 0) list.push_back(list[list.size() - length]);
  } else if (world > 1) {
    while (list.size() % step != 0) list.pop_back();
  }
  return list;
}

TEST(Deal, GivesEachPositionToOneRankAndAllRanksAsMany) {
  std::mt19937 random(7);  // NOLINT(cert-msc51-cpp): the same in each run
  for (int round = 0; round < 3000; ++round) {
    const std::uint64_t length = random() % 200;
    const auto world = static_cast<std::uint32_t>(1 + random() % 9);
    const std::uint64_t batch = 1 + random() % 12;
    const auto ending = std::vector{Ending::drop, Ending::pad, Ending::wrap}[random() % 3];
    const std::vector<std::uint64_t> expected = all_positions(length, world, batch, ending);
    std::vector<bool> dealt(expected.size(), false);
    for (std::uint32_t rank = 0; rank < world; ++rank) {
      const Deal deal(length, {rank, world}, batch, ending);
      ASSERT_EQ(deal.count(), world == 1 ? expected.size() : expected.size() / world);
      if (world > 1 || ending != Ending::drop) {
        ASSERT_EQ(deal.count() % batch, 0U);
      }
      for (std::uint64_t k = 0; k < deal.count(); ++k) {
        const std::uint64_t position = deal.global(k);
        ASSERT_LT(position, expected.size());
        ASSERT_FALSE(dealt[position]) << position;
        dealt[position] = true;
        ASSERT_EQ(deal.place(position), expected[position]);
        ASSERT_EQ(deal.is_padding(position), position >= length);
      }
    }
    for (const bool one : dealt) ASSERT_TRUE(one) << length << " " << world << " " << batch;
  }
}

TEST(Deal, WrapsASetThatIsSmallerThanAStepSeveralTimes) {
  std::map<std::uint64_t, int> times;
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    const Deal deal(5, {rank, 4}, 3, Ending::wrap);
    ASSERT_EQ(deal.count(), 3U);
    for (std::uint64_t k = 0; k < 3; ++k) ++times[deal.place(deal.global(k))];
  }
  EXPECT_EQ(times, (std::map<std::uint64_t, int>{{0, 3}, {1, 3}, {2, 2}, {3, 2}, {4, 2}}));
}

TEST(Deal, ReachesTheLastPositionsOfAHugeSetAtOnce) {
  const std::uint64_t length = (std::uint64_t{1} << 40U) + 5;
  const Deal deal(length, {6, 7}, 256, Ending::pad);
  const std::uint64_t step = 7 * 256;
  EXPECT_EQ(deal.count(), (length / step + 1) * 256);
  const std::uint64_t last = deal.global(deal.count() - 1);
  EXPECT_EQ(last, (length / step + 1) * step - 1);
  EXPECT_TRUE(deal.is_padding(last));
  EXPECT_EQ(deal.place(last), last - length);
}

TEST(Deal, LeavesTheRestToTheBatchInAWorldOfOne) {
  EXPECT_EQ(Deal(26, {0, 1}, 6, Ending::drop).count(), 26U);
  EXPECT_EQ(Deal(26, {0, 1}, 6, Ending::partial).count(), 26U);
  EXPECT_EQ(Deal(0, {0, 1}, 6, Ending::pad).count(), 0U);
}

TEST(StreamDeal, GivesEveryRankAsManyOfAStreamAsAnyOther) {
  for (std::uint32_t world = 1; world <= 5; ++world) {
    for (std::uint64_t read = 0; read < 23; ++read) {
      for (const Ending ending : {Ending::drop, Ending::pad}) {
        std::uint64_t mine = 0;
        std::set<std::uint64_t> counts;
        for (std::uint32_t rank = 0; rank < world; ++rank) {
          const StreamDeal deal({rank, world}, ending);
          for (std::uint64_t g = 0; g < read; ++g) mine += deal.is_mine(g) ? 1 : 0;
          counts.insert(deal.count(read));
        }
        ASSERT_EQ(mine, read);
        ASSERT_EQ(counts.size(), 1U);
        const std::uint64_t each = *counts.begin();
        if (ending == Ending::drop) {
          EXPECT_TRUE(each * world <= read && read < (each + 1) * world);
        } else {
          EXPECT_TRUE(each * world >= read && each * world < read + world);
        }
      }
    }
  }
}

}  // namespace
}  // namespace headrace
