// SPDX-License-Identifier: Apache-2.0
//
// A plan made to run: the one place where the walk of a graph (parse -> check -> fuse -> plan -> build) and
// the walk of a sample (inlet -> stage ... -> exchange -> outlet -> consumer) meet. Called by the C API's
// border (runtime/embed).

#pragma once

#include <headrace/headrace.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/graph/plan.h"
#include "runtime/state/checkpoint.h"
#include "runtime/state/ledger_lines.h"
#include "runtime/status.h"

namespace headrace {

class Flow;

/// What a consumer holds: a finished record. Released on any thread, also after its pipeline has ended.
class Delivered {
 public:
  virtual ~Delivered() = default;
  std::vector<std::string_view> names;        ///< of the fields, in the output's order
  std::vector<const headrace_value*> values;  ///< valid while this lives
  std::uint64_t epoch = 0;
  std::uint64_t step = 0;
  std::uint64_t rows = 0;
};

struct PipelineOptions {
  headrace_ownership ownership = HEADRACE_OWN;
  std::int64_t epochs = 1;                             ///< 0: without end
  const headrace_progress* progress = nullptr;         ///< while the ops are opened
  std::shared_ptr<const NamedSamples> only = nullptr;  ///< run these alone; null: all there are
  const std::atomic<bool>* stop = nullptr;             ///< while the ops are opened: true ends that
  /// Where to go on: of this rank, or of every rank of the run that was saved; none: from the beginning.
  std::vector<Checkpoint> checkpoints = {};
  bool ignores_difference = false;  ///< of graph, data or versions
};

class Pipeline {
 public:
  /// Creates and opens every op (faults of parameters and of the data come back here), then starts to fill.
  static Result<std::unique_ptr<Pipeline>> open(std::shared_ptr<const Plan> plan, PipelineOptions options);
  /// Creates and opens every op and does no more: `lint --data`.
  static Status check_data(const Plan& plan, const headrace_progress* progress);
  ~Pipeline();  ///< stop(), then waits until no op is running, at most 2 s: see quarantine.h
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  const Plan& plan() const;

  enum class Next { item, end, timeout, failed };
  /// Waits for output `output`. `failed`: failure() says why; a stop counts as Code::cancelled. timeout_ms <
  /// 0: for ever. One thread at a time for each output.
  Next next(std::size_t output, std::int64_t timeout_ms, std::unique_ptr<Delivered>& out);
  /// What failed first. [any]
  Status failure() const;
  /// The ledger's lines from number `from` on, 0 being the header; `next` is the number to go on from. [any]
  Status write_ledger(std::uint64_t from, const std::function<Status(std::string_view)>& write,
                      std::uint64_t& next) const;
  /// JSON of counters: samples, batches, delivered, skipped, masked, padded, epochs, rows_moved,
  /// caller_bytes, memory_peak_bytes, first_batch_seconds, seconds, nodes {name: {in, out, dropped, skipped,
  /// masked, busy_seconds, wait_seconds, p50_us, p99_us, tokens, tokens_max, counters}}, segments [{exchange,
  /// items, items_max, cap_items, bytes, bytes_max, cap_bytes}]. [any]
  std::string stats_json() const;
  /// JSON: what each op's describe() said, by node name, and each source's length. [any]
  std::string describe_json() const;
  /// Text for read_checkpoint(): what was handed out by next() so far is delivered, the rest is not. [any]
  Result<std::string> save() const;
  void stop();  ///< [any]

 private:
  explicit Pipeline(std::unique_ptr<Flow> flow);
  std::unique_ptr<Flow> flow_;
};

}  // namespace headrace
