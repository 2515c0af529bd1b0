// SPDX-License-Identifier: Apache-2.0
//
// What an epoch is made of, and that what is drawn by weight is drawn as the theory says: chi-squared tests,
// each at the 99.99 % point, with fixed keys.
#include "runtime/state/sampling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

namespace headrace {
namespace {

using Indices = std::vector<std::uint64_t>;

Sampling made(SamplingRules rules) {
  Result<Sampling> out = Sampling::make(std::move(rules));
  EXPECT_TRUE(out.ok()) << out.status().message();
  return std::move(out).value();
}

std::string refused(SamplingRules rules) { return Sampling::make(std::move(rules)).status().message(); }

Indices epoch_of(const Sampling& sampling, std::uint64_t key) {
  const auto order = sampling.epoch(key);
  Indices out;
  for (std::uint64_t place = 0; place < sampling.length(); ++place) out.push_back((*order)(place));
  return out;
}

Indices sorted(Indices v) {
  std::sort(v.begin(), v.end());
  return v;
}

Indices range(std::uint64_t first, std::uint64_t last) {
  Indices out(last - first);
  std::iota(out.begin(), out.end(), first);
  return out;
}

TEST(Sampling, IsTheWholeListingUnlessToldOtherwise) {
  EXPECT_EQ(epoch_of(made({.subset = Subset::whole(7)}), 1), range(0, 7));
  const Sampling shuffled = made({.subset = Subset::whole(100), .shuffle = true});
  EXPECT_NE(epoch_of(shuffled, 1), range(0, 100));
  EXPECT_NE(epoch_of(shuffled, 1), epoch_of(shuffled, 2));
  EXPECT_EQ(sorted(epoch_of(shuffled, 1)), range(0, 100));
}

TEST(Sampling, TakesSubsetsInTheListingsOrder) {
  EXPECT_EQ(epoch_of(made({.subset = Subset::range(3, 6)}), 1), (Indices{3, 4, 5}));
  EXPECT_EQ(epoch_of(made({.subset = Subset::spread(4, 10)}), 1), (Indices{0, 2, 5, 7}));
  EXPECT_EQ(epoch_of(made({.subset = Subset::spread(10, 10)}), 1), range(0, 10));
  EXPECT_EQ(epoch_of(made({.subset = Subset::of({9, 0, 9})}), 1), (Indices{9, 0, 9}));
}

TEST(Sampling, SpreadsASubsetEvenlyOverAHugeListing) {
  const std::uint64_t listed = std::uint64_t{1} << 61U;
  const Subset subset = Subset::spread(1000, listed);
  for (std::uint64_t j = 0; j < 1000; ++j) {
    EXPECT_EQ(subset[j] / (listed / 1000), j);
    EXPECT_LT(subset[j], listed);
  }
}

TEST(Sampling, RepeatsEachSampleInOnePassAfterTheOtherOrShuffled) {
  EXPECT_EQ(epoch_of(made({.subset = Subset::range(2, 4), .repeat = 3}), 1), (Indices{2, 3, 2, 3, 2, 3}));
  const Indices shuffled = epoch_of(made({.subset = Subset::whole(50), .repeat = 3, .shuffle = true}), 1);
  std::map<std::uint64_t, int> times;
  for (const std::uint64_t i : shuffled) ++times[i];
  EXPECT_EQ(times.size(), 50U);
  for (const auto& [index, n] : times) EXPECT_EQ(n, 3) << index;
}

TEST(Sampling, TakesAsManyAsItIsTold) {
  EXPECT_EQ(epoch_of(made({.subset = Subset::whole(10), .num_samples = 4}), 1), range(0, 4));
  const Sampling some = made({.subset = Subset::whole(100), .shuffle = true, .num_samples = 10});
  const Indices first = sorted(epoch_of(some, 1));
  EXPECT_EQ(std::set<std::uint64_t>(first.begin(), first.end()).size(), 10U);
  EXPECT_NE(first, sorted(epoch_of(some, 2))) << "others in each epoch";
}

double chi_squared(const std::map<std::uint64_t, double>& expected,
                   const std::map<std::uint64_t, int>& seen) {
  double sum = 0;
  for (const auto& [what, n] : expected) {
    const auto found = seen.find(what);
    const double there = found == seen.end() ? 0 : found->second;
    sum += (there - n) * (there - n) / n;
  }
  return sum;
}

TEST(Sampling, DrawsByWeightWithReplacement) {
  const std::vector<double> weights{1, 2, 0, 3, 4, 0};
  const Sampling sampling =
      made({.subset = Subset::whole(6), .replacement = true, .weights = weights, .num_samples = 100'000});
  std::map<std::uint64_t, int> seen;
  for (const std::uint64_t i : epoch_of(sampling, 5)) ++seen[i];
  std::map<std::uint64_t, double> expected;
  for (std::uint64_t i = 0; i < 6; ++i) {
    if (weights[i] > 0) expected[i] = 1e5 * weights[i] / 10;
  }
  EXPECT_EQ(seen.size(), 4U) << "those of weight 0 are never drawn";
  EXPECT_LT(chi_squared(expected, seen), 21.1);  // 3 degrees of freedom
}

TEST(Sampling, DrawsUniformlyWithReplacement) {
  const Sampling sampling =
      made({.subset = Subset::range(10, 20), .replacement = true, .num_samples = 100'000});
  std::map<std::uint64_t, int> seen;
  std::map<std::uint64_t, double> expected;
  for (const std::uint64_t i : epoch_of(sampling, 5)) ++seen[i];
  for (std::uint64_t i = 10; i < 20; ++i) expected[i] = 1e4;
  EXPECT_EQ(seen.size(), 10U);
  EXPECT_LT(chi_squared(expected, seen), 33.7);  // 9 degrees of freedom
}

// The 99.99 % point of the test of Kolmogorov and Smirnov is 2.23 / sqrt(n).
TEST(Sampling, DrawsUniformlyFromAHugeSetByKolmogorovAndSmirnov) {
  constexpr std::uint64_t kSamples = std::uint64_t{1} << 40U;
  constexpr std::uint64_t kDraws = 20'000;
  const Sampling sampling =
      made({.subset = Subset::whole(kSamples), .replacement = true, .num_samples = kDraws});
  const Indices drawn = sorted(epoch_of(sampling, 11));
  double distance = 0;
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    const double at = static_cast<double>(drawn[i]) / static_cast<double>(kSamples);
    distance = std::max({distance, std::abs(at - static_cast<double>(i) / kDraws),
                         std::abs(at - static_cast<double>(i + 1) / kDraws)});
  }
  EXPECT_LT(distance, 2.23 / std::sqrt(static_cast<double>(kDraws)));
}

// The first and the second of two drawn without replacement: a with w_a / S, then b with w_b / (S - w_a).
TEST(Sampling, DrawsByWeightWithoutReplacementAsOneByOne) {
  const std::vector<double> weights{1, 2, 3, 4};
  const Sampling sampling = made({.subset = Subset::whole(4), .weights = weights, .num_samples = 2});
  constexpr int kEpochs = 40'000;
  std::map<std::uint64_t, int> seen;
  for (std::uint64_t key = 0; key < kEpochs; ++key) {
    const Indices drawn = epoch_of(sampling, key * 0x9E3779B97F4A7C15U);
    ASSERT_NE(drawn[0], drawn[1]);
    ++seen[drawn[0] * 10 + drawn[1]];
  }
  std::map<std::uint64_t, double> expected;
  for (std::uint64_t a = 0; a < 4; ++a) {
    for (std::uint64_t b = 0; b < 4; ++b) {
      if (a != b) expected[a * 10 + b] = kEpochs * weights[a] / 10 * weights[b] / (10 - weights[a]);
    }
  }
  EXPECT_LT(chi_squared(expected, seen), 37.4);  // 11 degrees of freedom
}

TEST(Sampling, AllDrawnWithoutReplacementAreEachThereOnce) {
  const std::vector<double> weights{5, 0, 1, 2, 1e-300};
  const Sampling sampling =
      made({.subset = Subset::of({10, 11, 12, 13, 14}), .weights = weights, .num_samples = 4});
  EXPECT_EQ(sorted(epoch_of(sampling, 3)), (Indices{10, 12, 13, 14}));
}

TEST(Sampling, RefusesWhatCannotBeDrawn) {
  EXPECT_EQ(refused({.subset = Subset::whole(2), .replacement = true, .weights = {0, 0}}),
            "weights: all of them are 0, so that nothing can be drawn");
  EXPECT_EQ(refused({.subset = Subset::whole(2), .replacement = true, .weights = {1e308, 1e308}}),
            "weights: their sum is more than a number can hold");
  EXPECT_EQ(refused({.subset = Subset::whole(3), .weights = {1, 0, 1}}),
            "num_samples: 3 are asked for and there are 2 of a weight above 0 (replacement: true draws one "
            "several times)");
  EXPECT_EQ(refused({.subset = Subset::whole(3), .num_samples = 4}),
            "num_samples: 4 are asked for and there are 3 (replacement: true draws one several times)");
  EXPECT_EQ(refused({.subset = Subset::whole(0), .replacement = true, .num_samples = 4}),
            "num_samples: there is no sample to take them from");
  EXPECT_EQ(refused({.subset = Subset::whole(std::uint64_t{1} << 61U), .repeat = 4}),
            "repeat: an epoch would have more than 2^62 samples");
}

TEST(Sampling, ReachesAnyPlaceOfAHugeEpochAtOnce) {
  const std::uint64_t listed = (std::uint64_t{1} << 40U) + 12345;
  const Sampling sampling = made({.subset = Subset::whole(listed), .repeat = 3, .shuffle = true});
  ASSERT_EQ(sampling.length(), 3 * listed);
  const auto order = sampling.epoch(9);
  for (std::uint64_t i = 1; i <= 1000; ++i) EXPECT_LT((*order)(sampling.length() - i), listed);
}

}  // namespace
}  // namespace headrace
