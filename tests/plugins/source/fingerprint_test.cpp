// SPDX-License-Identifier: Apache-2.0
//
// The fingerprint against xxHash's own one-shot function over bytes laid out by hand as fingerprint.h says.

#include "plugins/source/fingerprint.h"

#include <gtest/gtest.h>
#include <xxhash.h>

#include <set>
#include <string>

namespace headrace::source {
namespace {

std::string bytes_of(std::uint64_t number) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(number >> (8 * i) & 0xffU);
  return bytes;
}

Hash128 hash(const std::string& bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.high64, hash.low64};
}

Listing two_classes(const std::string& second = "dog", int dogs = 40) {
  Listing listing;
  listing.begin_class("cat");
  listing.add("cat", "1");
  listing.add("cat", "2");
  listing.begin_class(second);
  NamePacker packer;
  for (int i = 0; i < dogs; ++i) packer.add("d" + std::to_string(100 + i));
  std::vector<NameBlock> blocks;
  blocks.push_back(packer.take());
  listing.add_folder("dog", std::move(blocks));
  listing.finish();
  return listing;
}

Hash128 fingerprint(const Listing& listing, bool labels = true) {
  return listing_fingerprint(listing, paths_hash(listing), labels);
}

TEST(Fingerprint, IsThatOfPathsThenLabelsThenClasses) {
  using namespace std::string_literals;
  std::string paths = "cat/1\0cat/2\0"s;
  for (int i = 0; i < 40; ++i) paths += "dog/d" + std::to_string(100 + i) + "\0"s;
  const Listing listing = two_classes();
  ASSERT_EQ(paths_hash(listing), hash(paths));
  const std::string begin = bytes_of(hash(paths).high) + bytes_of(hash(paths).low) + bytes_of(42);
  EXPECT_EQ(fingerprint(listing, false), hash(begin));
  EXPECT_EQ(fingerprint(listing),
            hash(begin + bytes_of(0) + bytes_of(2) + bytes_of(1) + bytes_of(40) + "cat\0dog\0"s));
}

TEST(Fingerprint, TakesInALabelForEachOfManySamples) {
  Listing listing;
  std::string paths;
  std::string labels;
  for (int i = 0; i < 10'000; ++i) {
    listing.add("", std::to_string(i));
    listing.add_label(std::to_string(i * 31 % 977));
    paths += std::to_string(i) + std::string(1, '\0');
    labels += bytes_of(static_cast<std::uint64_t>(i * 31 % 977)) + bytes_of(1);
  }
  listing.finish();
  EXPECT_EQ(fingerprint(listing),
            hash(bytes_of(hash(paths).high) + bytes_of(hash(paths).low) + bytes_of(10'000) + labels));
}

TEST(Fingerprint, IsTheSameForTheSamePathsHoweverTheyCame) {
  Listing one_by_one;
  std::vector<std::string> names;
  NameSorter sorter;
  for (int i = 0; i < 200'000; ++i) names.push_back(std::to_string(1'000'000 + i));
  for (const std::string& name : names) {
    one_by_one.add("", "folder/" + name);
    sorter.add(name);
  }
  one_by_one.finish();
  Listing by_folder;
  by_folder.add_folder("folder", sorter.take());
  by_folder.finish();
  EXPECT_EQ(fingerprint(one_by_one, false), fingerprint(by_folder, false));
}

TEST(Fingerprint, DiffersWithPathsTheirOrderLabelsAndNames) {
  const auto listed = [](const std::vector<std::pair<std::string, std::string>>& samples) {
    Listing listing;
    for (const auto& [path, label] : samples) {
      listing.add("", path);
      if (!label.empty()) listing.add_label(label);
    }
    listing.finish();
    const Hash128 hash = fingerprint(listing, !samples.front().second.empty());
    return std::pair(hash.high, hash.low);
  };
  const std::set<std::pair<std::uint64_t, std::uint64_t>> different{listed({{"a", ""}, {"b", ""}}),
                                                                    listed({{"b", ""}, {"a", ""}}),
                                                                    listed({{"ab", ""}}),
                                                                    listed({{"a", ""}}),
                                                                    listed({{"a", "1"}, {"b", "2"}}),
                                                                    listed({{"a", "2"}, {"b", "1"}}),
                                                                    listed({{"a", "1"}, {"b", "1"}}),
                                                                    listed({{"a", "x"}, {"b", "y"}}),
                                                                    listed({{"a", "x"}, {"b", "z"}})};
  EXPECT_EQ(different.size(), 9U);
  EXPECT_NE(fingerprint(two_classes("dog")), fingerprint(two_classes("hound")));
  EXPECT_NE(fingerprint(two_classes("dog", 40)), fingerprint(two_classes("dog", 41)));
}

TEST(Fingerprint, OfARangeIsOfItsLength) {
  EXPECT_EQ(range_fingerprint(5), range_fingerprint(5));
  EXPECT_NE(range_fingerprint(5), range_fingerprint(6));
  EXPECT_EQ(range_fingerprint(-1), hash("source.range" + bytes_of(~std::uint64_t{0})));
}

}  // namespace
}  // namespace headrace::source
