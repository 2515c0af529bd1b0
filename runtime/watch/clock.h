// SPDX-License-Identifier: Apache-2.0
//
// The one clock of the runtime: monotonic, nanoseconds since some fixed moment. [any thread]

#pragma once

#include <chrono>
#include <cstdint>

namespace headrace {

inline std::uint64_t now_ns() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}

}  // namespace headrace
