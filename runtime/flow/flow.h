// SPDX-License-Identifier: Apache-2.0
//
// Everything of a pipeline that runs: the oneTBB arena and graph, the I/O threads, ops, segments, stages and
// exchanges, and the count of work that is under way. Put together by build.h; driven by items; watched by
// the consumer.

#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "runtime/flow/op.h"
#include "runtime/flow/pipeline.h"
#include "runtime/flow/stage.h"
#include "runtime/flow/start.h"
#include "runtime/flow/tbb.h"
#include "runtime/graph/plan.h"
#include "runtime/memory/pool.h"
#include "runtime/state/ledger.h"
#include "runtime/state/ledger_lines.h"
#include "runtime/state/selection.h"
#include "runtime/status.h"
#include "runtime/watch/clock.h"

namespace headrace {

class Exchange;
class IoThreads;
class Outlet;
struct Outside;
class Segment;
class Slots;
class Watchdog;

class Flow {
 public:
  Flow(std::shared_ptr<const Plan> plan, PipelineOptions options);
  ~Flow();
  Flow(const Flow&) = delete;
  Flow& operator=(const Flow&) = delete;

  /// The workers and the I/O threads. Fails when the system gives none. [once, first]
  Status start_threads();
  /// Creates and opens every op. [once, before build()]
  Status open_ops();
  /// Goes on behind what `options.checkpoints` say was served: compares what it was taken of with this graph
  /// and its data, and gives the ops their state. [once, between open_ops() and build()]
  Status restore();
  const Start& beginning() const { return start_; }
  /// What another process needs to go on behind what the consumers have now. Refused where nothing exact can
  /// be said. [any]
  Result<Checkpoint> checkpoint() const;

  /// An op asks whether it is to stop: the run may have been cancelled, and while ops are opened whoever
  /// waits for that is told what this one has counted so far, and may have enough of it. [any thread]
  bool is_to_stop(const OpInstance& asking);
  /// The sources begin. [once]
  void start();

  const Plan& plan() const { return *plan_; }
  const PipelineOptions& options() const { return options_; }
  bool strict() const { return plan_->strict; }
  Pool& pool() { return *pool_; }
  const std::shared_ptr<Pool>& shared_pool() const { return pool_; }
  IoThreads& io() { return *io_; }
  oneapi::tbb::flow::graph& graph() { return *graph_; }

  /// The first failure ends the run; later ones are dropped. [any thread]
  void fail(Status why) { fail_at(std::move(why), std::nullopt); }
  void cancel();  ///< [any thread]
  bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }
  /// What ended the run. Of samples that failed at the same time the first by place is told, as long as
  /// nobody has been told of another. [any thread]
  Status failure();

  /// Work under way: items between exchanges, turns asked for from outside, reads. When it falls to 0 nothing
  /// will happen any more unless a consumer does something. [any thread]
  void work_begin(std::int64_t n) { work_.fetch_add(n, std::memory_order_seq_cst); }
  void work_end();
  bool idle() const { return work_.load(std::memory_order_seq_cst) == 0; }
  void wait_until_idle();
  /// The same, for at most so long; false when it is not idle then.
  bool wait_until_idle(std::chrono::nanoseconds at_most);
  /// The last of it: stops, and what consumers hold is theirs alone. [the owner, before it ends the flow]
  void retire();
  /// The calls of ops that are running or PENDING, each as a sentence that names node, sample and thread.
  /// [any thread]
  std::vector<std::string> running_calls();
  /// Warns of calls that run longer than `warn_ns`, once of each; fails the run on one that runs longer than
  /// `fail_ns`. [the watchdog]
  void look_after_calls(std::uint64_t warn_ns, std::uint64_t fail_ns);

  /// Goes on with what was PENDING; only enqueues. [any thread]
  void post(Invocation* invocation);
  /// A turn for the exchange, run by a worker; only enqueues. [any thread outside]
  void post(Exchange* exchange);

  /// The counters' shard of the calling worker. [inside]
  std::size_t shard() const;
  std::size_t shard_count() const { return shards_; }

  /// What process() returned is turned into what becomes of the item: alive, dead, or the end of the run.
  /// Lets go of cells that nobody reads any more. [whoever ran the op]
  void conclude(Invocation& v, headrace_status status, std::uint64_t begin_ns, std::uint64_t end_ns,
                std::size_t shard, bool inside);
  /// An op failed on this record: skip, mask or fail, as its node's on_error says. Gives what the record
  /// ended as.
  Outcome tolerate(OpInstance& op, std::uint32_t member, const Item& item, Code code, const std::string& text,
                   std::size_t shard);

  // What the consumer waits on.
  std::mutex& mutex() { return mutex_; }
  std::condition_variable& changed() { return changed_; }
  void notify_consumers();

  Ledger& ledger() { return ledger_; }
  /// What the run is confined to; null: to nothing.
  const Selection* selection() const { return selection_ ? &*selection_ : nullptr; }
  /// The ledger's lines from number `from` on, 0 being the header; `next` is the number to go on from.
  Status write_ledger(std::uint64_t from, const std::function<Status(std::string_view)>& write,
                      std::uint64_t& next);
  void add_rows_moved(std::uint64_t n) { rows_moved_.fetch_add(n, std::memory_order_relaxed); }
  const std::vector<Outlet*>& outlets() const { return outlets_; }
  /// Who holds which tokens and where items stand.
  std::string holdings() const;
  /// Keys as docs/embed_c.md has them.
  std::string stats_json() const;
  std::string describe_json() const;
  void count_first_batch();
  /// Records that this rank is dealt in an epoch when every source knows, else -1.
  std::int64_t epoch_records() const;

 private:
  friend class Builder;
  /// Sets the item's state after process(). Gives how many members of the frame gave the record on.
  std::size_t settle(Invocation& v, headrace_status status, std::size_t shard);
  bool is_stopped();
  void tell_progress(const OpInstance& op);
  Identity identify() const;
  void count_failures(const Start& start, Checkpoint& out) const;
  /// Samples that consumers got; nothing when that is not known.
  std::optional<std::uint64_t> delivered() const;
  void fail_at(Status why, const std::optional<SamplePlace>& place);
  /// Takes the failure of a record down. Gives how many failures its node has in the epoch; nothing when the
  /// run has ended.
  std::optional<std::int64_t> record(const OpInstance& op, std::uint32_t member, const Item& item,
                                     Outcome outcome, const std::string& reason, std::int64_t budget);
  /// Failures of the node in an epoch that another run began, up to where this one goes on.
  std::int64_t failures_before(const Member& at, std::uint32_t epoch) const;
  /// Records that a node may leave out in an epoch, as its on_error says.
  std::int64_t budget_of(const Member& at) const;
  /// "node 'decode', sample 3 of epoch 0 (a.jpg): ...": the first of a node's failures in the epoch, and a
  /// list.
  std::string list_failures(const OpInstance& op, std::uint32_t member, std::uint32_t epoch,
                            std::int64_t failures, std::int64_t budget) const;
  std::string call_text(const Invocation& call, std::uint64_t since_ns, pid_t thread, bool is_pending) const;
  LedgerNames ledger_names() const;
  Status select();
  /// The ledger that the run is confined to knew the sample by its name.
  bool is_still_named(const OpInstance& op, const Item& item);
  void start_arena();

  std::shared_ptr<const Plan> plan_;
  const PipelineOptions options_;
  std::shared_ptr<Pool> pool_;
  const std::size_t arena_shards_;
  const std::size_t shards_;
  const std::uint64_t began_ns_ = now_ns();
  std::atomic<std::uint64_t> first_batch_ns_{0};
  std::atomic<std::uint64_t> rows_moved_{0};
  std::atomic<const headrace_progress*> progress_{nullptr};  ///< while ops are opened
  std::mutex progress_mutex_;
  std::uint64_t progress_told_ns_ = 0;

  std::unique_ptr<oneapi::tbb::global_control> more_threads_;
  std::unique_ptr<oneapi::tbb::task_arena> arena_;
  std::unique_ptr<TbbWorkers> workers_;
  std::unique_ptr<oneapi::tbb::flow::graph> graph_;
  using ExchangeNode = oneapi::tbb::flow::function_node<Exchange*, oneapi::tbb::flow::continue_msg>;
  using ResumeNode = oneapi::tbb::flow::function_node<Invocation*, oneapi::tbb::flow::continue_msg>;
  std::unique_ptr<ExchangeNode> turns_;
  std::unique_ptr<ResumeNode> resumes_;
  std::thread driver_;

  Start start_;
  Identity identity_;
  Checkpoint from_;                               ///< what this run goes on with
  std::vector<std::unique_ptr<OpInstance>> ops_;  ///< by frame
  std::vector<std::unique_ptr<ItemPool>> item_pools_;
  std::vector<std::unique_ptr<Segment>> segments_;
  std::vector<std::unique_ptr<Slots>> slots_;
  std::vector<std::unique_ptr<Stage>> stages_;
  std::vector<std::unique_ptr<Exchange>> exchanges_;
  std::vector<Outlet*> outlets_;  ///< in the plan's order
  std::shared_ptr<Outside> outside_;
  std::unique_ptr<IoThreads> io_;
  std::unique_ptr<Watchdog> watchdog_;  ///< null: no call is too long

  Ledger ledger_;
  std::optional<Selection> selection_;
  std::mutex look_mutex_;
  std::atomic<std::int64_t> work_{0};
  std::atomic<bool> cancelled_{false};
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Status failure_;
  std::optional<SamplePlace> failure_place_;  ///< of the sample that failed
  bool failure_is_told_ = false;
};

}  // namespace headrace
