// SPDX-License-Identifier: Apache-2.0
//
// What is left of an epoch's order when ranks have stopped, to be dealt anew to another number of ranks. Pure
// arithmetic; made when a checkpoint is restored, then only read.

#pragma once

#include <cstdint>
#include <vector>

namespace headrace {

/// Rank r of ends.size() has taken those of its positions (r, r + W, r + 2W, ...) that lie below ends[r]. The
/// others are left, and keep their order. Memory: one word for each position that is left before the last one
/// taken, which are few: ranks stop at the same step and differ by what they skipped.
class Remainder {
 public:
  explicit Remainder(const std::vector<std::uint64_t>& ends);

  /// The v-th position that is left, v from 0.
  std::uint64_t at(std::uint64_t v) const {
    return v < gaps_.size() ? gaps_[v] : taken_below_ + (v - gaps_.size());
  }
  /// How many positions below `position` are left.
  std::uint64_t below(std::uint64_t position) const;

 private:
  std::uint64_t taken_below_ = 0;    ///< from here on nothing was taken
  std::vector<std::uint64_t> gaps_;  ///< left, before that
};

/// The same where what was left had itself been dealt anew: ends of each level count in what the level before
/// left.
class Remainders {
 public:
  Remainders() = default;
  explicit Remainders(const std::vector<std::vector<std::uint64_t>>& ends);

  bool empty() const { return levels_.empty(); }
  std::uint64_t at(std::uint64_t v) const;
  std::uint64_t below(std::uint64_t position) const;

 private:
  std::vector<Remainder> levels_;
};

}  // namespace headrace
