// SPDX-License-Identifier: Apache-2.0
//
// Names sorted and packed, against std::sort.

#include "plugins/source/names.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>

namespace headrace::source {
namespace {

std::vector<std::string> names_of(const std::vector<NameBlock>& blocks) {
  std::vector<std::string> names;
  for (const NameBlock& block : blocks) {
    EXPECT_TRUE(block.is_sound());
    EXPECT_LE(block.text_bytes(), NameBlock::kMaxTextBytes);
    for (std::uint32_t i = 0; i < block.size(); ++i) names.emplace_back(block[i]);
  }
  return names;
}

std::vector<std::string> sorted(NameSorter& sorter, const std::vector<std::string>& names) {
  for (const std::string& name : names) sorter.add(name);
  return names_of(sorter.take());
}

/// Names of up to `longest` bytes out of few different ones, so that many begin alike and bytes above 127
/// occur.
std::vector<std::string> random_names(std::size_t count, std::size_t longest, const std::string& prefix) {
  std::mt19937 random(7);
  const std::string letters = "ab\x01\x7f\x80\xff";
  std::set<std::string> names;
  while (names.size() < count) {
    std::string name = prefix;
    for (std::size_t left = 1 + random() % longest; left > 0; --left)
      name += letters[random() % letters.size()];
    names.insert(name);
  }
  std::vector<std::string> shuffled(names.begin(), names.end());
  std::shuffle(shuffled.begin(), shuffled.end(), random);
  return shuffled;
}

TEST(NameSorter, SortsByBytes) {
  NameSorter sorter;
  for (const char* prefix : {"", "image_0000000"}) {
    std::vector<std::string> names = random_names(3000, 20, prefix);
    const std::vector<std::string> found = sorted(sorter, names);
    std::sort(names.begin(), names.end());
    EXPECT_EQ(found, names);
  }
}

TEST(NameSorter, SortsOneThatIsTheBeginningOfOthers) {
  NameSorter sorter;
  EXPECT_EQ(sorted(sorter, {"abcdefghi", "abc", "abcdefgh", "abcdefghij"}),
            (std::vector<std::string>{"abc", "abcdefgh", "abcdefghi", "abcdefghij"}));
}

TEST(NameSorter, MergesSlices) {
  std::vector<std::string> names = random_names(3 * NameSorter::kSliceNames + 5, 12, "x");
  NameSorter sorter;
  const std::vector<std::string> found = sorted(sorter, names);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(found, names);
  EXPECT_EQ(sorted(sorter, {"b", "a"}), (std::vector<std::string>{"a", "b"}));
}

TEST(NameSorter, GivesNothingForNothing) {
  NameSorter sorter;
  EXPECT_TRUE(sorter.take().empty());
}

TEST(NamePacker, FillsABlockToItsLastByte) {
  NamePacker packer;
  const std::string half(NameBlock::kMaxTextBytes / 2, 'x');
  packer.add(half);
  packer.add(half);
  EXPECT_TRUE(packer.fits(1));
  EXPECT_FALSE(packer.fits(2));
  packer.add("y");
  const NameBlock block = packer.take();
  ASSERT_EQ(block.size(), 3U);
  EXPECT_EQ(block[1], half);
  EXPECT_EQ(block[2], "y");
  EXPECT_EQ(packer.size(), 0U);
}

TEST(NameBlock, IsNotSoundWhereANameEndsBeforeItBegins) {
  NamePacker packer;
  packer.add("ab");
  packer.add("cd");
  NameBlock block = packer.take();
  ASSERT_TRUE(block.is_sound());
  block.packed()[2] = 1;  // the second name's end
  EXPECT_FALSE(block.is_sound());
  block.packed()[2] = 5;  // beyond the text
  EXPECT_FALSE(block.is_sound());
}

}  // namespace
}  // namespace headrace::source
