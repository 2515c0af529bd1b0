// SPDX-License-Identifier: Apache-2.0

#include "runtime/state/remainder.h"

#include <algorithm>
#include <numeric>

namespace headrace {

Remainder::Remainder(const std::vector<std::uint64_t>& ends) {
  if (ends.empty()) return;
  const auto world = static_cast<std::uint64_t>(ends.size());
  taken_below_ = *std::max_element(ends.begin(), ends.end());
  for (std::uint64_t rank = 0; rank < world; ++rank) {
    // The first of its positions that is not below its end.
    std::uint64_t position = rank;
    if (ends[rank] > rank) position += (ends[rank] - rank + world - 1) / world * world;
    for (; position < taken_below_; position += world) gaps_.push_back(position);
  }
  std::sort(gaps_.begin(), gaps_.end());
}

std::uint64_t Remainder::below(std::uint64_t position) const {
  if (position >= taken_below_) return gaps_.size() + (position - taken_below_);
  return static_cast<std::uint64_t>(std::lower_bound(gaps_.begin(), gaps_.end(), position) - gaps_.begin());
}

Remainders::Remainders(const std::vector<std::vector<std::uint64_t>>& ends) {
  for (const std::vector<std::uint64_t>& level : ends) levels_.emplace_back(level);
}

std::uint64_t Remainders::at(std::uint64_t v) const {
  return std::accumulate(levels_.rbegin(), levels_.rend(), v,
                         [](std::uint64_t of_level, const Remainder& level) { return level.at(of_level); });
}

std::uint64_t Remainders::below(std::uint64_t position) const {
  for (const Remainder& level : levels_) position = level.below(position);
  return position;
}

}  // namespace headrace
