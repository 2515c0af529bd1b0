// SPDX-License-Identifier: Apache-2.0
//
// The promise of listing.h: 1.2 times the text of the paths and 8 bytes a path, kept and while it is filled,
// however the paths lie in folders. Ten million are measured by tests/bench/listing_bench.cpp.

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "counted_heap.h"
#include "plugins/source/listing.h"

namespace headrace::source {
namespace {

constexpr std::size_t kPaths = 1'000'000;

struct Taken {
  double kept = 0;  ///< as a part of what is promised
  double peak = 0;
};

/// Fills a listing by `fill`, which gives the bytes of all paths.
Taken taken(const std::function<std::size_t(Listing&)>& fill) {
  testing::reset_heap_peak();
  const std::size_t before = testing::heap_bytes();
  Listing listing;
  const std::size_t text = fill(listing);
  listing.finish();
  EXPECT_EQ(listing.size(), kPaths);
  const double promised = 1.2 * static_cast<double>(text) + 8.0 * kPaths;
  return {static_cast<double>(testing::heap_bytes() - before) / promised,
          static_cast<double>(testing::heap_peak_bytes() - before) / promised};
}

/// As a walk fills it: folder by folder, each sorted, `in_folder` files in one.
std::size_t fill_by_folders(Listing& listing, std::size_t in_folder) {
  std::size_t text = 0;
  NameSorter sorter;
  for (std::size_t begin = 0; begin < kPaths; begin += in_folder) {
    const std::string folder = "train/n" + std::to_string(10'000'000 + begin);
    const std::size_t end = std::min(kPaths, begin + in_folder);
    for (std::size_t i = begin; i < end; ++i) {
      const std::string name = "n01440764_" + std::to_string(i * 7919 % kPaths) + ".JPEG";
      sorter.add(name);
      text += folder.size() + 1 + name.size();
    }
    listing.add_folder(folder, sorter.take());
  }
  return text;
}

class FolderSizes : public ::testing::TestWithParam<std::size_t> {};

TEST_P(FolderSizes, TakeNoMoreThanIsPromised) {
  const Taken listing = taken([](Listing& l) { return fill_by_folders(l, GetParam()); });
  EXPECT_LE(listing.kept, 1);
  EXPECT_LE(listing.peak, 1);
  RecordProperty("kept", std::to_string(listing.kept));
  RecordProperty("peak", std::to_string(listing.peak));
}

INSTANTIATE_TEST_SUITE_P(Listing, FolderSizes, ::testing::Values(1, 2, 15, 16, 17, 1'300, 100'000, kPaths));

TEST(ListingMemory, HoldsFoldersOfOneAndOfSeventeenInTurn) {
  const Taken listing = taken([](Listing& l) {
    std::size_t text = 0;
    NameSorter sorter;
    for (std::size_t i = 0; i < kPaths;) {
      const std::string folder = "f" + std::to_string(i);
      for (std::size_t n = i % 18 == 0 ? 1 : 17; n > 0 && i < kPaths; --n, ++i) {
        const std::string name = std::to_string(i);
        sorter.add(name);
        text += folder.size() + 1 + name.size();
      }
      l.add_folder(folder, sorter.take());
    }
    return text;
  });
  EXPECT_LE(listing.kept, 1);
  EXPECT_LE(listing.peak, 1);
}

TEST(ListingMemory, HoldsALabelOfItsOwnForEachPath) {
  for (const std::int64_t first : {std::int64_t{0}, std::int64_t{1} << 40U}) {
    const Taken listing = taken([&](Listing& l) {
      std::size_t text = 0;
      for (std::size_t i = 0; i < kPaths; ++i) {
        const std::string path = "train/n01440764/n01440764_" + std::to_string(i) + ".JPEG";
        l.add("", path);
        l.add_label(std::to_string(first + static_cast<std::int64_t>(i)));
        text += path.size();
      }
      return text;
    });
    EXPECT_LE(listing.kept, 1) << first;
    EXPECT_LE(listing.peak, 1) << first;
  }
}

TEST(ListingMemory, HoldsNamesOfClasses) {
  const Taken listing = taken([](Listing& l) {
    std::size_t text = 0;
    for (std::size_t i = 0; i < kPaths; ++i) {
      const std::string path = "train/" + std::to_string(i) + ".jpg";
      l.add("", path);
      l.add_label("class " + std::to_string(i % 1000));
      text += path.size();
    }
    return text;
  });
  EXPECT_LE(listing.kept, 1);
  EXPECT_LE(listing.peak, 1);
}

}  // namespace
}  // namespace headrace::source
