// SPDX-License-Identifier: Apache-2.0
//
// The plugin `stubborn`: ops that do not come back, whatever they are told, until the test opens its gate.
// Beside the plugin `test`, whose Stand they use.
#include <headrace/cpp/op.hpp>

#include <chrono>
#include <thread>

#include "tests/runtime/flow/test_ops.h"

namespace headrace::test {
namespace {

void wait_at_the_gate() {
  Stand& stand = Stand::get();
  ++stand.at_gate;
  while (!stand.gate_is_open()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

struct Counted {
  Counted() { ++Stand::get().live_instances; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() { --Stand::get().live_instances; }
};

/// A map that stays at the gate with one record.
template <headrace_runs kRuns>
struct Stay : Counted {
  static constexpr std::array kParams{Param::integer("at", "The index it stays with.").otherwise("0")};
  static void declare(Declaration& d) { d.read("index"); }
  explicit Stay(const Config& c) : at_(c.params().integer("at")) {}
  void process(Call& call) const {
    if (call.input_span<std::int64_t>(0)[0] == at_) wait_at_the_gate();
  }
  std::int64_t at_;
};

struct OnAWorker : Stay<HEADRACE_RUNS_CPU> {
  static constexpr OpInfo kInfo{.name = "stubborn.worker", .doc = "Sleeps on a worker."};
  using Stay::Stay;
};

struct OnAnIoThread : Stay<HEADRACE_RUNS_BLOCKING> {
  static constexpr OpInfo kInfo{
      .name = "stubborn.io", .doc = "Sleeps on an I/O thread.", .runs = HEADRACE_RUNS_BLOCKING};
  using Stay::Stay;
};

/// PENDING, and complete() comes once the gate is open.
struct Pending : Counted {
  static constexpr OpInfo kInfo{
      .name = "stubborn.pending", .doc = "Does not complete.", .runs = HEADRACE_RUNS_ASYNC};
  static void declare(Declaration& d) { d.read("index"); }
  explicit Pending(const Config&) {}
  ~Pending() {
    for (std::thread& thread : threads_) thread.join();
  }
  headrace_status process(Call& call) {
    const auto* flow = call.suites().flow;
    headrace_call* c = call.c();
    const std::scoped_lock lock(mutex_);
    threads_.emplace_back([flow, c] {
      wait_at_the_gate();
      flow->complete(c, HEADRACE_OK);
    });
    return HEADRACE_PENDING;
  }
  std::mutex mutex_;
  std::vector<std::thread> threads_;
};

/// A stream whose first record does not come.
template <headrace_runs kRuns>
struct Source : Counted {
  static void declare(Declaration& d) { d.write(Spec::tensor("index", HEADRACE_INT64, {})); }
  explicit Source(const Config&) {}
  headrace_status process(Call& call) {
    wait_at_the_gate();
    call.set_scalar<std::int64_t>(0, 0);
    return HEADRACE_OK;
  }
};

struct BlockingSource : Source<HEADRACE_RUNS_BLOCKING> {
  static constexpr OpInfo kInfo{.name = "stubborn.source",
                                .doc = "A source that blocks.",
                                .rate = HEADRACE_SOURCE,
                                .runs = HEADRACE_RUNS_BLOCKING};
  using Source::Source;
};

/// Opens until it is told to stop.
struct SlowToOpen : Counted {
  static constexpr OpInfo kInfo{
      .name = "stubborn.opening", .doc = "Opens until it is told to stop.", .rate = HEADRACE_SOURCE};
  static void declare(Declaration& d) { d.write(Spec::tensor("index", HEADRACE_INT64, {})); }
  explicit SlowToOpen(const Config& c) : suites_(c.host()) {}
  void open(headrace_opening& opening) {
    ++Stand::get().at_gate;
    while (suites_.flow->cancelled(&opening.context) == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    throw Error(HEADRACE_CANCELLED, "the opening was stopped");
  }
  headrace_status process(Call&) { return HEADRACE_END; }
  Suites suites_;
};

constexpr headrace_plugin kPlugin =
    plugin_table<OnAWorker, OnAnIoThread, Pending, BlockingSource, SlowToOpen>("stubborn", "1.0.0",
                                                                               "Ops that do not come back.");

}  // namespace

const headrace_plugin* stubborn_plugin() { return &kPlugin; }

}  // namespace headrace::test
