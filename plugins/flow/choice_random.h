// SPDX-License-Identifier: Apache-2.0
//
// Random numbers of one choice, made of the host's bits. [owner]
#pragma once

#include <cstdint>
#include <headrace/cpp/call.hpp>

namespace headrace::flow {

/// 64 random bits: the same for the same seed, node, epoch and ordinal.
inline std::uint64_t random_bits(const headrace_choice& choice, const Suites& suites) {
  std::uint32_t bits[4];
  suites.random->choice_bits(&choice, 0, bits);
  return static_cast<std::uint64_t>(bits[1]) << 32U | bits[0];
}

}  // namespace headrace::flow
