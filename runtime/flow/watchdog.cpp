// SPDX-License-Identifier: Apache-2.0

#include "runtime/flow/watchdog.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>

#include "runtime/flow/flow.h"

namespace headrace {

namespace {

// A call is found too long by at most this part of the time it may take, or by a second.
constexpr std::uint64_t kLooksATimeout = 16;
constexpr std::uint64_t kMostBetweenLooksNs = 1'000'000'000;

}  // namespace

Watchdog::Watchdog(Flow& flow, double timeout_s)
    : flow_(flow), timeout_ns_(static_cast<std::uint64_t>(timeout_s * 1e9)), thread_([this] { run(); }) {}

Watchdog::~Watchdog() {
  {
    const std::scoped_lock lock(mutex_);
    is_ending_ = true;
  }
  ends_.notify_all();
  thread_.join();
}

void Watchdog::run() {
  ::pthread_setname_np(::pthread_self(), "headrace-watch");
  const std::chrono::nanoseconds between(
      std::clamp<std::uint64_t>(timeout_ns_ / kLooksATimeout, 1, kMostBetweenLooksNs));
  std::unique_lock lock(mutex_);
  while (!ends_.wait_for(lock, between, [this] { return is_ending_; }) && !flow_.cancelled()) {
    flow_.look_after_calls(timeout_ns_ / 2, timeout_ns_);
  }
}

}  // namespace headrace
