// SPDX-License-Identifier: Apache-2.0
//
// One op on the bench: run without a graph, on records made by hand, by a host that is small, slow and
// strict. It lends every suite of the ABI, and takes down what an op does against its rules. A test of an op
// is three lines:
//
//   OpBench bench(plugin, {.op = "acme.invert", .with = {{"field", "image"}}});
//   const Outcome out = bench.map({{"image", Value::tensor<std::uint8_t>({2}, {0, 200})}});
//   EXPECT_EQ(out.record["image"].elements<std::uint8_t>(), (std::vector<std::uint8_t>{255, 55}));
//
// Random numbers are the bench's own: the same for the same seed, node name and sample, but not those of a
// run. Used by one thread; the op is called on others where a function says so.
#pragma once

#include <headrace/plugin.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "declared.h"
#include "value.h"

namespace headrace::testing {

/// A node as a graph file has it; parameters are written as there: {"scale", "[0.08, 1.0]"}.
struct NodeText {
  std::string op;
  std::map<std::string, std::string> with = {};
  std::string name = "node";
};

struct BenchOptions {
  std::uint64_t seed = 0;
  std::uint8_t fill = 0xA5;    ///< each byte of memory that is lent
  bool in_place = true;        ///< outputs lie in their input's memory where the op allows it
  bool lend_rows = true;       ///< rows of a batch lie in it beforehand where the op's slots are fixed
  bool refuse_memory = false;  ///< no output gets memory
  std::vector<std::string> lacks = {};        ///< suites that this host does not lend
  std::chrono::milliseconds timeout{10'000};  ///< for a PENDING call to be completed
};

/// What became of one call.
struct Outcome {
  headrace_status status = HEADRACE_OK;  ///< for PENDING: what it was completed with
  std::string error;                     ///< the first text that the op gave
  std::uint32_t member = 0;              ///< of a frame: which failed or dropped
  Record record;                         ///< with what rode along
  std::vector<std::string> violations;   ///< of the ABI's rules, by the op
  bool ok() const { return status == HEADRACE_OK && violations.empty(); }
};

class BenchFrame;

class OpBench {
 public:
  /// Throws std::invalid_argument when the plugin has no such op or a parameter cannot be had. The plugin
  /// must outlive this.
  OpBench(const headrace_plugin& plugin, const NodeText& node, BenchOptions options = {});
  ~OpBench();
  OpBench(OpBench&&) noexcept;
  OpBench& operator=(OpBench&&) = delete;

  const headrace_op& table() const;
  /// Offers a follower, before start(). Not absorbed: the reason, never empty; absorbed: "".
  std::string offer(const headrace_plugin& plugin, const NodeText& follower);
  /// Asks for the declaration and keeps it for start(). Without it the first record says what the fields are.
  const Declared& declare(const std::vector<Schema>& inputs);
  const Declared& declared() const;

  /// create(), and open() where there is one. Called by the functions below when it was not yet.
  Outcome start(bool open = true);
  /// Of a source that was opened; the fingerprint is 0, 0 where it said none.
  std::int64_t length() const;
  std::array<std::uint64_t, 2> fingerprint() const;

  /// Who the next records are. Without it positions count up from 0.
  void set_sample(const headrace_sample& sample);

  Outcome source(std::uint64_t index = 0);
  Outcome map(const Record& record);
  /// Each record on one of `threads` threads at once, as samples 0, 1, ...
  std::vector<Outcome> map_all(const std::vector<Record>& records, int threads);
  /// The children of a record: one outcome each, and the last says how it ended.
  std::vector<Outcome> expand(const Record& record);
  Outcome reduce(const std::vector<Record>& rows, std::uint64_t group = 0);
  /// WINDOW: out of `count` records; MERGE: out of the inputs whose bit in `live` is set. Violations: a
  /// choice that is none.
  std::pair<Outcome, std::uint32_t> choose(std::uint32_t count, std::uint64_t live, std::uint64_t ordinal,
                                           std::uint32_t epoch = 0);
  std::pair<Outcome, std::uint64_t> assign(const Record& record);
  std::pair<Outcome, std::vector<std::int64_t>> slot_shape(std::uint64_t group, std::uint32_t port);

  std::pair<Outcome, std::string> save();
  Outcome restore(const std::string& state);
  std::pair<Outcome, std::string> describe();

  /// From now on calls see that the run was stopped.
  void cancel();
  /// What was logged, and what was counted, so far.
  std::vector<std::pair<headrace_log_level, std::string>> logs() const;
  std::map<std::string, std::int64_t> counts() const;

 private:
  std::unique_ptr<BenchFrame> frame_;
};

}  // namespace headrace::testing
