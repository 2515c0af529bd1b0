// SPDX-License-Identifier: Apache-2.0
//
// A thread that looks after the calls of ops for as long as a flow runs, where the graph says how long one
// may take (runtime.stage_timeout). Without it there is no such thread.

#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace headrace {

class Flow;

class Watchdog {
 public:
  /// Warns of a call at half of `timeout_s` and fails the run when it is over.
  Watchdog(Flow& flow, double timeout_s);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  void run();

  Flow& flow_;
  const std::uint64_t timeout_ns_;
  std::mutex mutex_;
  std::condition_variable ends_;
  bool is_ending_ = false;
  std::thread thread_;
};

}  // namespace headrace
