// SPDX-License-Identifier: Apache-2.0
//
// A keyed permutation of 0 .. length-1 in constant memory: any position's element in constant expected time,
// so that a shuffled epoch of any size needs no table and can begin anywhere. Made for each epoch by a
// source's inlet; then only read, any thread.

#pragma once

#include <cstdint>

namespace headrace {

/// A balanced Feistel network of 8 rounds (24 for tiny sets) over the least even number of bits that covers
/// the length, walked along its cycle until it falls inside (Black, Rogaway: "Ciphers with arbitrary finite
/// domains", CT-RSA 2002; cycle walking needs fewer than 4 steps on average, since the domain is less than 4
/// times the length). The round function is Philox.
class Permutation {
 public:
  /// length: 0 to 2^62.
  Permutation(std::uint64_t length, std::uint64_t key);

  /// The element at `position`, which must be below length.
  std::uint64_t operator()(std::uint64_t position) const;
  std::uint64_t length() const { return length_; }

 private:
  std::uint64_t once(std::uint64_t x) const;

  std::uint64_t length_;
  std::uint64_t key_;
  unsigned half_bits_;
};

}  // namespace headrace
