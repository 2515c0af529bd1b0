// SPDX-License-Identifier: Apache-2.0
//
// The generator against the vectors that its authors publish (Random123, kat_vectors).
#include "runtime/state/philox.h"

#include <gtest/gtest.h>

#include <set>

namespace headrace {
namespace {

TEST(Philox, GivesThePublishedVectors) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (PhiloxBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (PhiloxBlock{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (PhiloxBlock{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, WordsOfDifferentNamesDiffer) {
  std::set<std::uint64_t> words;
  for (int i = 0; i < 10000; ++i) words.insert(word_of("node" + std::to_string(i)));
  EXPECT_EQ(words.size(), 10000U);
  EXPECT_NE(mix(1, 2), mix(2, 1));
}

}  // namespace
}  // namespace headrace
