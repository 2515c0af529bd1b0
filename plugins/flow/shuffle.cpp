// SPDX-License-Identifier: Apache-2.0

#include "shuffle.h"

#include "choice_random.h"

namespace headrace::flow {

void Shuffle::choose(headrace_choice& choice, const Suites& suites) const {
  // The upper part of bits * count (Lemire 2019), in two steps of 64 bits; its bias is below count / 2^64.
  const std::uint64_t bits = random_bits(choice, suites);
  const std::uint64_t high = (bits >> 32U) * choice.count;
  const std::uint64_t low = (bits & 0xFFFFFFFFU) * choice.count;
  choice.choice = static_cast<std::uint32_t>((high + (low >> 32U)) >> 32U);
}

}  // namespace headrace::flow
