// SPDX-License-Identifier: Apache-2.0
//
// Whether an op is being called, since when and on which thread, for those who look from outside: the
// watchdog, and whoever closes a flow that does not come to rest. The calling thread takes no lock: it stores
// when a call begins and exchanges one word when it ends. Whoever looks holds up the call's end, and only for
// as long as it looks.

#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <thread>

#include "runtime/watch/this_thread.h"

namespace headrace {

class RunningCall {
 public:
  /// [whoever is about to call]
  void begin(std::uint64_t now_ns) {
    is_pending_.store(false, std::memory_order_relaxed);
    thread_.store(this_thread_id(), std::memory_order_relaxed);
    since_.store((now_ns & ~kFlags) | kAlive, std::memory_order_release);
  }
  /// The op is about to be left with its answer to come; before anybody may end the call. [the same]
  void set_pending() { is_pending_.store(true, std::memory_order_relaxed); }
  /// From here on the record is the caller's again. [whoever has the answer]
  void end() {
    if ((since_.exchange(0, std::memory_order_acq_rel) & kLookedAt) == 0) return;
    while (is_looking_.load(std::memory_order_acquire)) std::this_thread::yield();
  }

  /// Calls see(since_ns, thread, is_pending) if a call is running, which does not end before see() returns.
  /// One thread at a time looks. [any thread]
  template <class See>
  void look(const See& see) {
    std::uint64_t since = since_.load(std::memory_order_acquire);
    if (since == 0) return;
    is_looking_.store(true, std::memory_order_relaxed);
    if (since_.compare_exchange_strong(since, since | kLookedAt, std::memory_order_acq_rel)) {
      see(since & ~kFlags, thread_.load(std::memory_order_relaxed),
          is_pending_.load(std::memory_order_relaxed));
      is_looking_.store(false, std::memory_order_release);
      std::uint64_t looked_at = since | kLookedAt;
      since_.compare_exchange_strong(looked_at, since, std::memory_order_acq_rel);
      return;
    }
    is_looking_.store(false, std::memory_order_release);
  }

 private:
  // The time gives its two lowest bits, 3 ns, away.
  static constexpr std::uint64_t kAlive = 1;
  static constexpr std::uint64_t kLookedAt = 2;
  static constexpr std::uint64_t kFlags = kAlive | kLookedAt;

  std::atomic<std::uint64_t> since_{0};  ///< 0: no call
  std::atomic<pid_t> thread_{0};
  std::atomic<bool> is_pending_{false};
  std::atomic<bool> is_looking_{false};
};

}  // namespace headrace
