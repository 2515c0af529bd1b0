// SPDX-License-Identifier: Apache-2.0
//
// What the listing gives back, and what memory it takes.

#include "plugins/source/listing.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <string>

namespace headrace::source {
namespace {

/// Bytes that are allocated now.
std::size_t heap_bytes() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

TEST(Listing, GivesBackEveryPath) {
  Listing listing;
  for (int i = 0; i < 200'000; ++i) listing.add(i % 3 == 0 ? "" : "folder", "file_" + std::to_string(i));
  listing.add("", std::string(Listing::kMaxPathBytes, 'x'));
  ASSERT_EQ(listing.size(), 200'001U);
  for (std::size_t i = 0; i < 200'000; ++i) {
    ASSERT_EQ(listing.path(i), (i % 3 == 0 ? "file_" : "folder/file_") + std::to_string(i));
  }
  EXPECT_EQ(listing.path(200'000), std::string(Listing::kMaxPathBytes, 'x'));
}

TEST(Listing, NumbersClassesAsTheyBegin) {
  Listing listing;
  listing.begin_class("none");
  listing.begin_class("cat");
  listing.add("cat", "1");
  listing.add("cat", "2");
  listing.begin_class("dog");
  listing.add("dog", "1");
  EXPECT_EQ(listing.label(0), 1);
  EXPECT_EQ(listing.label(1), 1);
  EXPECT_EQ(listing.label(2), 2);
  EXPECT_EQ(listing.classes(), (std::vector<std::string>{"none", "cat", "dog"}));
}

TEST(Listing, KeepsNumbersAsLabels) {
  Listing listing;
  for (const char* label : {"7", "-2", "9007199254740993", "7"}) {
    listing.add("", "x");
    listing.add_label(label);
  }
  listing.finish_labels();
  EXPECT_EQ(listing.label(0), 7);
  EXPECT_EQ(listing.label(1), -2);
  EXPECT_EQ(listing.label(2), 9007199254740993);
  EXPECT_EQ(listing.label(3), 7);
  EXPECT_TRUE(listing.classes().empty());
}

TEST(Listing, NumbersNamesByTheirBytes) {
  Listing listing;
  for (const char* label : {"dog", "cat", "10", "dog", "Zebra"}) {
    listing.add("", "x");
    listing.add_label(label);
  }
  listing.finish_labels();
  EXPECT_EQ(listing.classes(), (std::vector<std::string>{"10", "Zebra", "cat", "dog"}));
  EXPECT_EQ(listing.label(0), 3);
  EXPECT_EQ(listing.label(1), 2);
  EXPECT_EQ(listing.label(2), 0);
  EXPECT_EQ(listing.label(3), 3);
}

TEST(Listing, TakesLittleMoreThanItsTextAndEightBytesAPath) {
  constexpr std::size_t kPaths = 1'000'000;
  const std::string folder = "train/n01440764";
  const std::size_t before = heap_bytes();
  std::size_t text = 0;
  Listing listing;
  for (std::size_t i = 0; i < kPaths; ++i) {
    const std::string name = "n01440764_" + std::to_string(i) + ".JPEG";
    listing.add(folder, name);
    text += folder.size() + 1 + name.size();
  }
  const std::size_t taken = heap_bytes() - before;
  EXPECT_LE(static_cast<double>(taken), 1.2 * static_cast<double>(text) + 8.0 * kPaths);
}

TEST(Listing, TakesFourBytesMoreForALabel) {
  constexpr std::size_t kPaths = 1'000'000;
  const std::size_t before = heap_bytes();
  std::size_t text = 0;
  Listing listing;
  for (std::size_t i = 0; i < kPaths; ++i) {
    const std::string path = "train/n01440764/n01440764_" + std::to_string(i) + ".JPEG";
    listing.add("", path);
    listing.add_label(std::to_string(i % 1000));
    text += path.size();
  }
  listing.finish_labels();
  const std::size_t taken = heap_bytes() - before;
  EXPECT_LE(static_cast<double>(taken), 1.2 * static_cast<double>(text) + 12.0 * kPaths);
  EXPECT_EQ(listing.label(kPaths - 1), 999);
}

}  // namespace
}  // namespace headrace::source
