// SPDX-License-Identifier: Apache-2.0
//
// How flow.filter compares: by value, across types, with whole numbers kept whole.

#include <gtest/gtest.h>

#include <limits>

#include "plugins/flow/filter.h"

namespace headrace::flow {
namespace {

constexpr std::int64_t kBig = (std::int64_t{1} << 53) + 1;  // no double
constexpr double kBigNear = 0x1p53;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool in_order(const Comparable& a, const Comparable& b) {
  return less(a, b) && !less(b, a) && !equal(a, b) && !equal(b, a);
}
bool is_same(const Comparable& a, const Comparable& b) {
  return equal(a, b) && equal(b, a) && !less(a, b) && !less(b, a);
}
bool is_foreign(const Comparable& a, const Comparable& b) {
  return !equal(a, b) && !equal(b, a) && !less(a, b) && !less(b, a);
}

TEST(Order, ComparesNumbersByValueWhateverTheirTypes) {
  EXPECT_TRUE(is_same(std::int64_t{3}, 3.0));
  EXPECT_TRUE(is_same(std::uint64_t{3}, std::int64_t{3}));
  EXPECT_TRUE(in_order(std::int64_t{3}, 3.5));
  EXPECT_TRUE(in_order(-3.5, std::int64_t{-3}));
  EXPECT_TRUE(in_order(std::int64_t{-1}, std::uint64_t{0}));
  EXPECT_TRUE(in_order(-0.5, std::uint64_t{0}));
  EXPECT_TRUE(is_same(-0.0, std::uint64_t{0}));
}

TEST(Order, KeepsWholeNumbersWholeBeyondADouble) {
  EXPECT_TRUE(in_order(kBigNear, kBig));
  EXPECT_TRUE(in_order(kBig, kBigNear + 2));
  EXPECT_TRUE(in_order(kBigNear, static_cast<std::uint64_t>(kBig)));
}

TEST(Order, KnowsTheEndsOfEachType) {
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
  constexpr auto kMin = std::numeric_limits<std::int64_t>::min();
  EXPECT_TRUE(in_order(kMax, 0x1p63));
  EXPECT_TRUE(is_same(kMin, -0x1p63));
  EXPECT_TRUE(in_order(std::numeric_limits<std::uint64_t>::max(), 0x1p64));
  EXPECT_TRUE(in_order(kMax, std::numeric_limits<std::uint64_t>::max()));
  EXPECT_TRUE(in_order(-kInfinity, kMin));
  EXPECT_TRUE(in_order(std::numeric_limits<std::uint64_t>::max(), kInfinity));
}

TEST(Order, NeverFindsAPlaceForNanNorForTextAmongNumbers) {
  for (const Comparable& number :
       {Comparable(std::int64_t{0}), Comparable(std::uint64_t{0}), Comparable(0.0), Comparable(kNan)}) {
    EXPECT_TRUE(is_foreign(number, kNan));
    EXPECT_TRUE(is_foreign(number, std::string_view("0")));
  }
}

TEST(Order, ComparesTextsByTheirBytes) {
  EXPECT_TRUE(in_order(std::string_view("Z"), std::string_view("a")));
  EXPECT_TRUE(in_order(std::string_view("a"), std::string_view("ä")));
  EXPECT_TRUE(is_same(std::string_view("cat"), std::string_view("cat")));
}

}  // namespace
}  // namespace headrace::flow
