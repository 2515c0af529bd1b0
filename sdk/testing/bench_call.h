// SPDX-License-Identifier: Apache-2.0
//
// The bench's side of a call: what the suites find through a context's handle. Made by op_bench.cpp, written
// to by suites.cpp and memory_suite.cpp while the op runs.
#pragma once

#include <headrace/host.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "headrace/testing/op_bench.h"

namespace headrace::testing {

/// What all calls of one op share. Its C struct comes first, so that suite() finds the rest.
struct BenchHost {
  headrace_host c{};
  BenchOptions options;
  std::atomic<bool> cancelled{false};
  std::vector<std::string> member_names;  ///< of the frame; keys of random numbers

  std::mutex mutex;  ///< guards what follows
  std::vector<std::pair<headrace_log_level, std::string>> logs;
  std::map<std::string, std::int64_t> counts;
  std::vector<std::thread> readers;
};

/// What a context's handle points at.
struct Scope {
  explicit Scope(BenchHost& bench) : host(&bench) {}
  BenchHost* host;
  std::mutex mutex;  ///< guards what follows: an op may speak from any thread
  bool failed = false;
  std::string error;
  std::uint32_t member = 0;
  std::vector<std::string> violations;
  std::vector<std::string> spans;

  headrace_status fail(std::uint32_t at, headrace_status status, std::string_view text);
  void violate(const std::string& what);
  static Scope& of(const headrace_context* context) { return *static_cast<Scope*>(context->handle); }
};

struct Output {
  headrace_value value{};
  std::shared_ptr<void> owner;
  std::shared_ptr<void> event;  ///< ends before the memory does
  std::shared_ptr<void> batch;  ///< memory of a batch whose rows were lent
  std::vector<Value> rows;      ///< of a list
  std::vector<bool> row_set;
  bool written = false;
};

/// One call of process() or assign().
struct BenchCall : Scope {
  explicit BenchCall(BenchHost& bench) : Scope(bench) {}
  headrace_call c{};
  const Declared* declared = nullptr;  ///< the frame's last member's: what is written
  bool is_reduce = false;
  std::vector<std::int32_t> in_place;  ///< by output, the input whose memory is the call's own; -1
  std::vector<Value> inputs;           ///< [row * ports + port]
  std::vector<const headrace_value*> input_pointers;
  std::vector<headrace_sample> samples;
  std::vector<const headrace_sample*> sample_pointers;
  std::vector<Output> outputs;
  std::vector<const headrace_value*> output_pointers;
  headrace_status last_status = HEADRACE_OK;
  std::int64_t dropped_by = -1;

  std::condition_variable done;
  int completions = 0;
  headrace_status completed_with = HEADRACE_OK;

  /// The arrays of `c`, once inputs, samples and declared are there.
  void bind();
  static BenchCall& of(const headrace_call* call) {
    return static_cast<BenchCall&>(Scope::of(&call->context));
  }
};

const void* bench_suite(const headrace_host* host, const char* name, std::uint32_t version);
const headrace_memory_suite_v1& bench_memory_suite();

}  // namespace headrace::testing
