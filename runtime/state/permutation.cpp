// SPDX-License-Identifier: Apache-2.0

#include "runtime/state/permutation.h"

#include <bit>
#include <cassert>

#include "runtime/state/philox.h"

namespace headrace {

namespace {

// Six rounds already pass for large sets; halves of one to three bits need many more before every place is
// equally likely (chi-squared over 100,000 keys and sets of 3, 5, 8 and 13: at 8 rounds up to 6 standard
// deviations too high, at 24 within 1).
constexpr std::uint32_t kRounds = 8;
constexpr std::uint32_t kRoundsOfSmallSets = 24;
constexpr unsigned kSmallHalf = 4;

}  // namespace

Permutation::Permutation(std::uint64_t length, std::uint64_t key) : length_(length), key_(key) {
  const auto bits = static_cast<unsigned>(std::bit_width(length > 1 ? length - 1 : 1));
  half_bits_ = (bits + 1) / 2;
}

std::uint64_t Permutation::operator()(std::uint64_t position) const {
  assert(position < length_);
  std::uint64_t x = once(position);
  while (x >= length_) x = once(x);
  return x;
}

std::uint64_t Permutation::once(std::uint64_t x) const {
  const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
  std::uint64_t left = x >> half_bits_;
  std::uint64_t right = x & mask;
  const std::array<std::uint32_t, 2> key{static_cast<std::uint32_t>(key_),
                                         static_cast<std::uint32_t>(key_ >> 32U)};
  const std::uint32_t rounds = half_bits_ < kSmallHalf ? kRoundsOfSmallSets : kRounds;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const PhiloxBlock f =
        philox({static_cast<std::uint32_t>(right), static_cast<std::uint32_t>(right >> 32U), round, 0}, key);
    const std::uint64_t next = left ^ (((std::uint64_t{f[1]} << 32U) | f[0]) & mask);
    left = right;
    right = next;
  }
  return (left << half_bits_) | right;
}

}  // namespace headrace
