// SPDX-License-Identifier: Apache-2.0
//
// What the listing gives back. What memory it takes: memory_test.cpp.

#include "plugins/source/listing.h"

#include <gtest/gtest.h>

#include <string>

namespace headrace::source {
namespace {

std::string path_of(const Listing& listing, std::size_t i) {
  const Listing::Path path = listing.path(i);
  std::string text(path.size(), '?');
  EXPECT_EQ(path.copy_to(text.data()), text.data() + text.size());
  return text;
}

std::vector<NameBlock> blocks_of(const std::vector<std::string>& names) {
  NameSorter sorter;
  for (const std::string& name : names) sorter.add(name);
  return sorter.take();
}

TEST(Listing, GivesBackEveryPath) {
  Listing listing;
  for (int i = 0; i < 200'000; ++i) listing.add(i % 3 == 0 ? "" : "folder", "file_" + std::to_string(i));
  listing.add("", std::string(Listing::kMaxPathBytes, 'x'));
  listing.finish();
  ASSERT_EQ(listing.size(), 200'001U);
  for (std::size_t i = 0; i < 200'000; ++i) {
    ASSERT_EQ(path_of(listing, i), (i % 3 == 0 ? "file_" : "folder/file_") + std::to_string(i));
  }
  EXPECT_EQ(path_of(listing, 200'000), std::string(Listing::kMaxPathBytes, 'x'));
}

TEST(Listing, GivesBackTheFilesOfFoldersSmallAndLarge) {
  Listing listing;
  std::vector<std::string> expected;
  for (const std::size_t count : {0, 1, 20, 15, 16, 17, 3, 10'000, 2}) {
    const std::string folder = expected.empty() ? "" : "folder" + std::to_string(expected.size());
    std::vector<std::string> names;
    for (std::size_t i = 0; i < count; ++i) names.push_back(std::to_string(100'000 + i));
    for (const std::string& name : names) expected.push_back(folder.empty() ? name : folder + "/" + name);
    listing.add_folder(folder, blocks_of(names));
  }
  listing.finish();
  ASSERT_EQ(listing.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(path_of(listing, i), expected[i]);
}

TEST(Listing, NumbersClassesAsTheyBegin) {
  Listing listing;
  listing.begin_class("none");
  listing.begin_class("cat");
  listing.add("cat", "1");
  listing.add("cat", "2");
  listing.begin_class("dog");
  listing.add("dog", "1");
  listing.finish();
  EXPECT_EQ(listing.label(0), 1);
  EXPECT_EQ(listing.label(1), 1);
  EXPECT_EQ(listing.label(2), 2);
  EXPECT_EQ(listing.same_label_end(0), 2U);
  EXPECT_EQ(listing.same_label_end(2), 3U);
  EXPECT_EQ(listing.classes(), (std::vector<std::string>{"none", "cat", "dog"}));
}

Listing labelled(const std::vector<std::string>& labels) {
  Listing listing;
  for (const std::string& label : labels) {
    listing.add("", "x");
    listing.add_label(label);
  }
  listing.finish();
  return listing;
}

std::vector<std::int64_t> labels_of(const Listing& listing) {
  std::vector<std::int64_t> labels;
  for (std::size_t i = 0; i < listing.size(); ++i) labels.push_back(listing.label(i));
  return labels;
}

using Numbers = std::vector<std::int64_t>;
using Names = std::vector<std::string>;

TEST(Labels, AreNumbersAsTheyAre) {
  const Listing listing = labelled({"7", "-2", "9007199254740993", "7", "0", "-9223372036854775808"});
  EXPECT_EQ(labels_of(listing), (Numbers{7, -2, 9007199254740993, 7, 0, INT64_MIN}));
  EXPECT_TRUE(listing.classes().empty());
  EXPECT_EQ(labels_of(labelled({"7", "2147483647", "-2147483648"})), (Numbers{7, INT32_MAX, INT32_MIN}));
}

TEST(Labels, AreNumbersHoweverTheyAreWritten) {
  const Listing listing = labelled({"7", "007", "-0", "0"});
  EXPECT_EQ(labels_of(listing), (Numbers{7, 7, 0, 0}));
  EXPECT_TRUE(listing.classes().empty());
}

TEST(Labels, AreNumberedByTheBytesOfTheirNames) {
  const Listing listing = labelled({"dog", "cat", "10", "dog", "Zebra"});
  EXPECT_EQ(listing.classes(), (Names{"10", "Zebra", "cat", "dog"}));
  EXPECT_EQ(labels_of(listing), (Numbers{3, 2, 0, 3, 1}));
}

TEST(Labels, AreNamesOnceOneIsNone) {
  const Listing listing = labelled({"3", "9007199254740993", "3", "007", "7", "x"});
  EXPECT_EQ(listing.classes(), (Names{"007", "3", "7", "9007199254740993", "x"}));
  EXPECT_EQ(labels_of(listing), (Numbers{1, 3, 1, 0, 2, 4}));
  EXPECT_EQ(labelled({"99999999999999999999", "1"}).classes(), (Names{"1", "99999999999999999999"}));
}

TEST(Labels, TellHowLongTheyStayTheSame) {
  const Listing listing = labelled({"a", "a", "b", "a"});
  EXPECT_EQ(listing.same_label_end(0), 2U);
  EXPECT_EQ(listing.same_label_end(1), 2U);
  EXPECT_EQ(listing.same_label_end(2), 3U);
  EXPECT_EQ(listing.same_label_end(3), 4U);
}

}  // namespace
}  // namespace headrace::source
