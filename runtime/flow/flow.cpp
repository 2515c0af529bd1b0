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
      shards_(arena_shards_ + static_cast<std::size_t>(std::max(1, plan_->io_threads))) {
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

Flow::~Flow() {
  {
    const std::scoped_lock lock(outside_->mutex);
    outside_->flow = nullptr;
  }
  cancel();
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
    if (cancelled()) status = failure();
    if (status.ok()) status = op->open();
    if (!status.ok()) break;
  }
  const std::scoped_lock lock(progress_mutex_);
  progress_ = nullptr;
  return status;
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
  for (const auto& exchange : exchanges_) exchange->request(false);
}

void Flow::fail(Status why) {
  {
    const std::scoped_lock lock(mutex_);
    if (!failure_.ok()) return;
    failure_ = std::move(why);
  }
  cancelled_.store(true, std::memory_order_relaxed);
  notify_consumers();
}

void Flow::cancel() { fail({Code::cancelled, "stopped"}); }

Status Flow::failure() const {
  const std::scoped_lock lock(mutex_);
  return failure_;
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
    item.state = Item::State::dead;
  } else {
    reached = std::min<std::size_t>(v.failed_member, members.size() - 1);
    const Code code = status < 0 ? static_cast<Code>(status) : Code::internal;
    const std::string text =
        v.text.empty() ? fmt::format("the op returned {} and no reason", status) : v.text;
    const ErrorAction done = tolerate(op, static_cast<std::uint32_t>(reached),
                                      v.from == nullptr ? item : *v.from, code, text, shard);
    item.skipped = done == ErrorAction::skip;
    item.masked = done == ErrorAction::mask;
    item.state = item.masked ? Item::State::blank : Item::State::dead;
  }
  return reached;
}

ErrorAction Flow::tolerate(OpInstance& op, std::uint32_t member, const Item& item, Code code,
                           const std::string& text, std::size_t shard) {
  if (cancelled()) return ErrorAction::fail;
  Member& at = *op.members()[member];
  const ErrorAction action = at.node->on_error.action;
  std::string limit;
  if (action != ErrorAction::fail && code != Code::internal && code != Code::cancelled) {
    const bool masks = action == ErrorAction::mask;
    if (masks) {
      at.counters->add_masked(shard);
    } else {
      at.counters->add_skipped(shard);
    }
    (masks ? masked_ : skipped_).fetch_add(item.real, std::memory_order_relaxed);
    limit = over_budget(at, item.sample.epoch);
    if (limit.empty()) {
      log(HEADRACE_LOG_WARNING,
          fmt::format("{}: {}, {}: {}", masks ? "masked" : "skipped", op.title(member), item.title(), text));
      return action;
    }
  }
  fail({code, fmt::format("{}, {}: {}{}", op.title(member), item.title(), text, limit)});
  return ErrorAction::fail;
}

/// Counts one failure more of that epoch; what it says when that is too many.
std::string Flow::over_budget(Member& at, std::uint32_t epoch) const {
  std::int64_t skipped = 0;
  {
    const oneapi::tbb::spin_mutex::scoped_lock lock(at.mutex);
    skipped = ++at.skipped[epoch];
  }
  const OnErrorSpec& policy = at.node->on_error;
  if (policy.max_count && skipped > *policy.max_count) {
    return fmt::format("; that is the {}. failure and on_error allows {} an epoch", skipped,
                       *policy.max_count);
  }
  if (!policy.max_fraction) return {};
  // Of a stream nobody knows the length of, the records seen so far stand for the epoch; one failure alone
  // says nothing.
  const std::int64_t known = epoch_records();
  const auto records =
      static_cast<double>(known >= 0 ? known : static_cast<std::int64_t>(at.counters->total().in));
  const bool too_many = static_cast<double>(skipped) > *policy.max_fraction * records;
  if (!too_many || (known < 0 && skipped == 1)) return {};
  return fmt::format("; that is the {}. failure of {} records and on_error allows {:g} of them", skipped,
                     records, *policy.max_fraction);
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
