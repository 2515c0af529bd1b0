// SPDX-License-Identifier: Apache-2.0

#include "runtime/flow/flow.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <system_error>

#include "runtime/flow/exchange.h"
#include "runtime/flow/io_threads.h"
#include "runtime/flow/outlet.h"
#include "runtime/flow/segment.h"
#include "runtime/flow/serial_call.h"
#include "runtime/flow/slots.h"
#include "runtime/flow/watchdog.h"
#include "runtime/watch/log.h"

namespace headrace {

namespace {

// Blocks kept for reuse beyond those that were reserved for batches.
constexpr std::size_t kKeepBytes = std::size_t{16} << 20;

constexpr std::uint64_t kProgressPeriodNs = 100'000'000;

std::size_t arena_slots(int threads) { return static_cast<std::size_t>(std::max(2, threads)); }

}  // namespace

Flow::Flow(std::shared_ptr<const Plan> plan, PipelineOptions options)
    : plan_(std::move(plan)),
      options_(std::move(options)),
      pool_(std::make_shared<Pool>(kKeepBytes)),
      arena_shards_(arena_slots(plan_->threads)),
      shards_(arena_shards_ + static_cast<std::size_t>(std::max(1, plan_->io_threads))),
      ledger_(plan_->outputs.size()) {
  outside_ = std::make_shared<Outside>();
  outside_->flow = this;
  outside_->pool = pool_;
}

Status Flow::start_threads() {
  try {
    start_arena();
    io_ = std::make_unique<IoThreads>(*this, static_cast<std::size_t>(std::max(1, plan_->io_threads)),
                                      arena_shards_);
  } catch (const std::system_error& e) {
    return {Code::out_of_memory,
            fmt::format("{} workers and {} I/O threads cannot be started: {} (lower runtime.threads and "
                        "runtime.io_threads, or raise the limits of this process)",
                        plan_->threads, plan_->io_threads, e.code().message())};
  }
  return {};
}

void Flow::start_arena() {
  const TbbCall tbb;
  const auto threads = static_cast<std::size_t>(plan_->threads);
  using oneapi::tbb::global_control;
  if (threads > global_control::active_value(global_control::max_allowed_parallelism)) {
    more_threads_ = std::make_unique<global_control>(global_control::max_allowed_parallelism, threads);
  }
  arena_ = std::make_unique<oneapi::tbb::task_arena>(plan_->threads, 1);
  workers_ = std::make_unique<TbbWorkers>(*arena_);
  arena_->execute([this] { graph_ = std::make_unique<oneapi::tbb::flow::graph>(); });
  graph_->reserve_wait();
  turns_ = std::make_unique<ExchangeNode>(*graph_, oneapi::tbb::flow::unlimited, [this](Exchange* exchange) {
    const TbbBody watched;
    exchange->run_turns();
    work_end();
    return oneapi::tbb::flow::continue_msg();
  });
  resumes_ = std::make_unique<ResumeNode>(*graph_, oneapi::tbb::flow::unlimited, [](Invocation* invocation) {
    const TbbBody watched;
    handover_acquire(invocation);
    if (invocation->serial != nullptr) {
      invocation->serial->resume();
    } else {
      invocation->stage->resume(invocation);
    }
    return oneapi::tbb::flow::continue_msg();
  });
  // The driver works too, so that a single thread is enough.
  driver_ = std::thread([this] {
    ::pthread_setname_np(::pthread_self(), "headrace");
    const TbbCall inner;
    arena_->execute([this] { wait_idle(*graph_); });
  });
}

void Flow::retire() {
  {
    const std::scoped_lock lock(outside_->mutex);
    outside_->flow = nullptr;
  }
  cancel();
  watchdog_.reset();
}

Flow::~Flow() {
  retire();
  wait_until_idle();
  io_.reset();
  if (driver_.joinable()) {
    {
      const TbbCall tbb;
      graph_->release_wait();
    }
    driver_.join();
  } else if (graph_ != nullptr) {
    const TbbCall tbb;
    graph_->release_wait();
  }
  exchanges_.clear();
  stages_.clear();
  slots_.clear();
  item_pools_.clear();
  segments_.clear();
  ops_.clear();
  const TbbCall tbb;
  turns_.reset();
  resumes_.reset();
  graph_.reset();
  workers_.reset();
  arena_.reset();
}

Status Flow::open_ops() {
  for (std::size_t f = 0; f < plan_->frames.size(); ++f) {
    ops_.push_back(std::make_unique<OpInstance>(*this, *plan_, f, shards_));
    if (Status status = ops_.back()->create(); !status.ok()) return status;
  }
  Status status;
  progress_ = options_.progress;
  for (const auto& op : ops_) {
    tell_progress(*op);
    if (is_stopped()) status = failure();
    if (status.ok()) status = op->open();
    if (!status.ok()) break;
  }
  {
    const std::scoped_lock lock(progress_mutex_);
    progress_ = nullptr;
  }
  return status.ok() && options_.only != nullptr ? select() : status;
}

bool Flow::is_to_stop(const OpInstance& asking) {
  if (progress_.load(std::memory_order_relaxed) != nullptr) {
    std::unique_lock lock(progress_mutex_, std::try_to_lock);
    const bool is_due = lock.owns_lock() && now_ns() - progress_told_ns_ >= kProgressPeriodNs;
    if (is_due) {
      lock.unlock();
      tell_progress(asking);
    }
  }
  return is_stopped();
}

/// While ops are opened nobody has the pipeline yet, and a stop comes by the options.
bool Flow::is_stopped() {
  if (options_.stop != nullptr && !cancelled() && options_.stop->load(std::memory_order_relaxed)) cancel();
  return cancelled();
}

void Flow::tell_progress(const OpInstance& op) {
  const std::scoped_lock lock(progress_mutex_);
  const headrace_progress* progress = progress_.load(std::memory_order_relaxed);
  if (progress == nullptr) return;
  std::string what = fmt::format("opening '{}'", op.first().name);
  for (const auto& [name, value] : op.counts()) {
    what += fmt::format("{} {} {}", what.ends_with('\'') ? ":" : ",", value, name);
    std::replace(what.end() - static_cast<std::ptrdiff_t>(name.size()), what.end(), '_', ' ');
  }
  progress_told_ns_ = now_ns();
  if (progress->tell(progress, {what.data(), what.size()}) != 0) cancel();
}

void Flow::start() {
  if (plan_->stage_timeout_s > 0) watchdog_ = std::make_unique<Watchdog>(*this, plan_->stage_timeout_s);
  for (const auto& exchange : exchanges_) exchange->request(false);
}

void Flow::fail_at(Status why, const std::optional<SamplePlace>& place) {
  {
    const std::scoped_lock lock(mutex_);
    const bool is_earlier = place && failure_place_ && !failure_is_told_ && *place < *failure_place_;
    if (!failure_.ok() && !is_earlier) return;
    failure_ = std::move(why);
    failure_place_ = place;
  }
  ledger_.close();
  cancelled_.store(true, std::memory_order_relaxed);
  notify_consumers();
}

void Flow::cancel() {
  fail({Code::cancelled, "stopped"});
  ledger_.conclude();
}

Status Flow::failure() {
  Status told;
  {
    const std::scoped_lock lock(mutex_);
    failure_is_told_ = !failure_.ok();
    told = failure_;
  }
  if (!told.ok()) ledger_.conclude();
  return told;
}

void Flow::notify_consumers() {
  const std::scoped_lock lock(mutex_);
  changed_.notify_all();
}

void Flow::work_end() {
  if (work_.fetch_sub(1, std::memory_order_seq_cst) == 1) notify_consumers();
}

void Flow::wait_until_idle() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return idle(); });
}

bool Flow::wait_until_idle(std::chrono::nanoseconds at_most) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, at_most, [this] { return idle(); });
}

void Flow::post(Invocation* invocation) {
  handover_release(invocation);
  const TbbCall tbb;
  resumes_->try_put(invocation);
}

void Flow::post(Exchange* exchange) {
  const TbbCall tbb;
  turns_->try_put(exchange);
}

std::size_t Flow::shard() const {
  const int index = oneapi::tbb::this_task_arena::current_thread_index();
  return index < 0 || static_cast<std::size_t>(index) >= arena_shards_ ? 0 : static_cast<std::size_t>(index);
}

void Flow::conclude(Invocation& v, headrace_status status, std::uint64_t begin_ns, std::uint64_t end_ns,
                    std::size_t shard, bool inside) {
  OpInstance& op = *v.op;
  Item& item = *v.item;
  op.counters().add_busy(shard, end_ns - begin_ns);
  item.ready_ns = end_ns;
  const auto& members = op.members();
  const std::size_t reached = settle(v, status, shard);
  for (std::size_t m = 0; m < members.size() && m <= reached; ++m) {
    if (m > 0) members[m]->counters->add_in(shard, 0);
    if (m < reached) members[m]->counters->add_out(shard);
  }
  // A batch has taken what it needs out of its records.
  for (Item* member : item.members) member->home->give_back(member);
  item.members.clear();
  if (!item.alive()) {
    if (item.row.slot != nullptr && !item.in_play()) item.row.slots->give_back(&item, inside);
    item.clear_cells();
  } else {
    for (const std::uint32_t cell : v.wiring->drops) item.clear(item.cells[cell]);
  }
  if (item.former != nullptr) Segment::give_back(std::exchange(item.former, nullptr), inside);
}

std::size_t Flow::settle(Invocation& v, headrace_status status, std::size_t shard) {
  OpInstance& op = *v.op;
  Item& item = *v.item;
  const auto& members = op.members();
  std::size_t reached = members.size();
  if (status == HEADRACE_OK || status == HEADRACE_MORE) {
    const auto missing = std::find(v.written.begin(), v.written.end(), false);
    if (missing != v.written.end()) {
      const auto output = static_cast<std::size_t>(missing - v.written.begin());
      fail({Code::internal, fmt::format("{}, {}: the op did not write its output '{}'", op.title(0),
                                        item.title(), v.wiring->outputs[output].spec->name)});
      item.state = Item::State::dead;
    } else if (selection_ && !is_still_named(op, item)) {
      item.state = Item::State::dead;
    }
  } else if (status == HEADRACE_DROP) {
    reached = v.dropping_member < 0 ? members.size() - 1 : static_cast<std::size_t>(v.dropping_member);
    const Member& dropping = *members[std::min(reached, members.size() - 1)];
    // What was promised to give every record on is counted on when steps are planned (graph/ends.h).
    if (op.table().rate == HEADRACE_MAP && !dropping.node->drops) {
      fail({Code::internal, fmt::format("{}, {}: the op dropped a record and did not declare that it drops",
                                        op.title(static_cast<std::uint32_t>(reached)), item.title())});
    }
    dropping.counters->add_dropped(shard);
    const std::int64_t samples = item.in_flight();
    item.state = Item::State::dead;
    const bool is_its_own_end = v.from == nullptr || v.from == v.item;  // a child's is its parent's affair
    if (is_its_own_end) {
      item.outcome = Outcome::dropped;
      ledger_.end(item.sample.epoch, Outcome::dropped, samples);
    }
  } else {
    reached = std::min<std::size_t>(v.failed_member, members.size() - 1);
    const Code code = status < 0 ? static_cast<Code>(status) : Code::internal;
    const std::string text =
        v.text.empty() ? fmt::format("the op returned {} and no reason", status) : v.text;
    item.outcome = tolerate(op, static_cast<std::uint32_t>(reached), v.from == nullptr ? item : *v.from, code,
                            text, shard);
    item.state = item.outcome == Outcome::masked ? Item::State::blank : Item::State::dead;
  }
  return reached;
}

Outcome Flow::tolerate(OpInstance& op, std::uint32_t member, const Item& item, Code code,
                       const std::string& text, std::size_t shard) {
  if (code == Code::cancelled) {
    fail({code, fmt::format("{}, {}: {}", op.title(member), item.title(), text)});
    return Outcome::in_flight;
  }
  const Member& at = *op.members()[member];
  const ErrorAction action = code == Code::internal ? ErrorAction::fail : at.node->on_error.action;
  const Outcome outcome = action == ErrorAction::skip   ? Outcome::skipped
                          : action == ErrorAction::mask ? Outcome::masked
                                                        : Outcome::failed;
  const std::int64_t former = failures_before(at, item.sample.epoch);
  const std::int64_t budget = budget_of(at) - former;
  const std::optional<std::int64_t> failures = record(op, member, item, outcome, text, budget);
  if (!failures) return Outcome::in_flight;
  if (action == ErrorAction::fail) {
    fail_at({code, fmt::format("{}, {}: {}", op.title(member), item.title(), text)},
            SamplePlace{item.sample.epoch, item.sample.source, item.sample.position});
    return outcome;
  }
  if (action == ErrorAction::mask) {
    at.counters->add_masked(shard);
  } else {
    at.counters->add_skipped(shard);
  }
  if (*failures <= budget) {
    log(HEADRACE_LOG_WARNING,
        fmt::format("{}: {}, {}: {}", outcome_name(outcome), op.title(member), item.title(), text));
  } else {
    fail({code, list_failures(op, member, item.sample.epoch, *failures + former, budget + former)});
  }
  return outcome;
}

/// Of an epoch that another run began.
std::int64_t Flow::failures_before(const Member& at, std::uint32_t epoch) const {
  if (epoch != start_.epoch) return 0;
  const auto known = from_.skipped.find(at.node->name);
  return known == from_.skipped.end() ? 0 : known->second;
}

std::int64_t Flow::epoch_records() const {
  std::int64_t records = 0;
  for (const auto& op : ops_) {
    if (op->table().rate != HEADRACE_SOURCE) continue;
    const std::int64_t dealt = op->epoch_records();
    if (dealt < 0) return -1;
    records += dealt;
  }
  return records;
}

void Flow::count_first_batch() {
  std::uint64_t none = 0;
  first_batch_ns_.compare_exchange_strong(none, now_ns() - began_ns_, std::memory_order_relaxed);
}

}  // namespace headrace
