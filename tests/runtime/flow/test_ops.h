// SPDX-License-Identifier: Apache-2.0
//
// The plugin `test`, in the test program's own memory: ops that do nothing, fail, drop, block, wait or
// multiply on purpose, so that tests of the flow can bring about whatever they are about. Written as a
// stranger would write a plugin.
#pragma once

#include <headrace/plugin.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace headrace::test {

/// The plugin's table.
const headrace_plugin* plugin();
/// The plugin `stubborn`: ops that do not come back until the gate is open, whatever they are told.
const headrace_plugin* stubborn_plugin();

/// What ops named `test.gate` wait at, and what others report to. One for the process; reset() between tests.
class Stand {
 public:
  static Stand& get();
  void reset();

  /// The gate: closed, calls wait until it is opened or they are cancelled.
  void close_gate();
  void open_gate();
  bool gate_is_open();
  std::atomic<int> at_gate{0};

  /// test.ordered: positions in the order in which it saw them.
  std::mutex mutex;
  std::vector<std::int64_t> seen;
  std::atomic<int> concurrent{0};  ///< calls of test.concurrent running now
  std::atomic<int> concurrent_max{0};
  std::set<std::thread::id> threads;  ///< that test.delay ran on; under the mutex
  std::atomic<int> live_instances{0};
  std::atomic<int> live_workers{0};
  std::atomic<int> live_item_states{0};

 private:
  std::atomic<bool> open_{true};
};

}  // namespace headrace::test
