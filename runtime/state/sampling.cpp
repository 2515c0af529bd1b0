// SPDX-License-Identifier: Apache-2.0

#include "runtime/state/sampling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "runtime/state/philox.h"

namespace headrace {

namespace {

// The fourth word of the counter keeps these draws apart from each other and from those of ops (suites.cpp),
// which have other keys too.
constexpr std::uint32_t kDraws = 2;
constexpr std::uint32_t kRanks = 3;

PhiloxBlock random_block(std::uint64_t number, std::uint64_t key, std::uint32_t stream) {
  return philox({static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(number >> 32U), 0, stream},
                {static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32U)});
}

std::uint64_t word(const PhiloxBlock& block) { return (std::uint64_t{block[1]} << 32U) | block[0]; }

/// 53 bits, from 0 to below 1.
double unit(const PhiloxBlock& block) { return static_cast<double>(word(block) >> 11U) * 0x1p-53; }

__extension__ using Wide = unsigned __int128;

std::uint64_t scaled(std::uint64_t a, std::uint64_t b, std::uint64_t divisor) {
  return static_cast<std::uint64_t>(static_cast<Wide>(a) * b / divisor);
}

}  // namespace

std::uint64_t Subset::operator[](std::uint64_t j) const {
  assert(j < size_);
  if (const auto* range = std::get_if<Range>(&how_)) return range->first + j;
  if (const auto* spread = std::get_if<Spread>(&how_)) return scaled(j, spread->listed, size_);
  return std::get<Indices>(how_)[j];
}

Result<Sampling> Sampling::make(SamplingRules rules) {
  assert(rules.weights.empty() || rules.weights.size() == rules.subset.size());
  Sampling out(std::move(rules));
  const SamplingRules& given = out.rules_;
  const std::uint64_t size = given.subset.size();
  if (size > (std::uint64_t{1} << 62U) / given.repeat)
    return {Code::invalid_argument, "repeat: an epoch would have more than 2^62 samples"};
  out.candidates_ = size * given.repeat;
  out.length_ = given.num_samples.value_or(out.candidates_);
  std::uint64_t there = out.candidates_;
  if (!given.weights.empty()) {
    there = static_cast<std::uint64_t>(
        std::count_if(given.weights.begin(), given.weights.end(), [](double weight) { return weight > 0; }));
    if (there == 0)
      return {Code::invalid_argument, "weights: all of them are 0, so that nothing can be drawn"};
  }
  if (out.length_ > 0 && there == 0)
    return {Code::invalid_argument, "num_samples: there is no sample to take them from"};
  if (!given.replacement && out.length_ > there) {
    return {
        Code::invalid_argument,
        fmt::format("num_samples: {} are asked for and there are {}{} (replacement: true draws one several "
                    "times)",
                    out.length_, there, given.weights.empty() ? "" : " of a weight above 0")};
  }
  if (given.weights.empty() || !given.replacement) return out;
  // Sums of millions of weights lose what is small unless they are longer than what is kept.
  long double sum = 0;
  out.cumulative_.reserve(given.weights.size());
  for (std::uint64_t j = 0; j < size; ++j) {
    sum += static_cast<long double>(given.weights[j]);
    out.cumulative_.push_back(static_cast<double>(sum));
    if (given.weights[j] > 0) out.last_weighted_ = j;
  }
  if (!std::isfinite(out.cumulative_.back()))
    return {Code::invalid_argument, "weights: their sum is more than a number can hold"};
  out.rules_.weights = {};
  return out;
}

std::unique_ptr<const EpochOrder> Sampling::epoch(std::uint64_t key) const {
  return std::unique_ptr<const EpochOrder>(new EpochOrder(*this, key));
}

/// Weighted: the first whose running sum lies above a uniform part of the whole. One of weight 0 has the sum
/// of the one before it and is never the first.
std::uint64_t Sampling::draw(std::uint64_t place, std::uint64_t key) const {
  const PhiloxBlock block = random_block(place, key, kDraws);
  if (cumulative_.empty())
    return static_cast<std::uint64_t>((static_cast<Wide>(word(block)) * rules_.subset.size()) >> 64U);
  const double at = unit(block) * cumulative_.back();
  const auto found = std::upper_bound(cumulative_.begin(), cumulative_.end(), at);
  return std::min(static_cast<std::uint64_t>(found - cumulative_.begin()), last_weighted_);
}

/// Efraimidis, Spirakis: "Weighted random sampling with a reservoir", Information Processing Letters 97
/// (2006): the samples of the largest u^(1/w), u uniform, are what drawing one by one without replacement
/// gives, in that order. Sorted by -log(u) / w, the smallest first, which is the same and holds more digits.
std::vector<std::uint64_t> Sampling::rank_by_weight(std::uint64_t key) const {
  std::vector<std::pair<double, std::uint64_t>> keyed;
  keyed.reserve(rules_.weights.size());
  for (std::uint64_t j = 0; j < rules_.weights.size(); ++j) {
    if (rules_.weights[j] <= 0) continue;
    const double u = 1.0 - unit(random_block(j, key, kRanks));  // above 0
    keyed.emplace_back(-std::log(u) / rules_.weights[j], j);
  }
  const auto end = keyed.begin() + static_cast<std::ptrdiff_t>(length_);
  if (end != keyed.end()) std::nth_element(keyed.begin(), end, keyed.end());
  std::sort(keyed.begin(), end);
  std::vector<std::uint64_t> out;
  out.reserve(length_);
  for (auto it = keyed.begin(); it != end; ++it) out.push_back(it->second);
  return out;
}

EpochOrder::EpochOrder(const Sampling& sampling, std::uint64_t key) : sampling_(sampling), key_(key) {
  const SamplingRules& rules = sampling.rules_;
  if (rules.replacement) return;
  if (!rules.weights.empty()) {
    ranked_ = sampling.rank_by_weight(key);
  } else if (rules.shuffle) {
    permutation_.emplace(sampling.candidates_, key);
  }
}

std::uint64_t EpochOrder::operator()(std::uint64_t place) const {
  const SamplingRules& rules = sampling_.rules_;
  assert(place < sampling_.length());
  if (rules.replacement) return rules.subset[sampling_.draw(place, key_)];
  if (!rules.weights.empty()) return rules.subset[ranked_[place]];
  const std::uint64_t candidate = permutation_ ? (*permutation_)(place) : place;
  return rules.subset[candidate % rules.subset.size()];
}

}  // namespace headrace
