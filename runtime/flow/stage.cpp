// SPDX-License-Identifier: Apache-2.0

#include "runtime/flow/stage.h"

#include <algorithm>

#include "runtime/flow/exchange.h"
#include "runtime/flow/flow.h"
#include "runtime/flow/io_threads.h"
#include "runtime/flow/op.h"
#include "runtime/flow/slots.h"

namespace headrace {

// One node a stage. Its concurrency is at most the number of workers, so that what waits stands in the node's
// queue, first come first served: a worker's own stack of tasks would take the youngest item first and leave
// the oldest, which a batch is waiting for, to the last.
struct Stage::Node {
  oneapi::tbb::flow::function_node<Item*, oneapi::tbb::flow::continue_msg> node;
};

Stage::Stage(Flow& flow, headrace_runs runs, std::int64_t concurrency)
    : flow_(flow), runs_(runs), concurrency_(concurrency) {
  if (runs != HEADRACE_RUNS_CPU) return;
  const std::int64_t workers = flow.plan().threads;
  const auto limit = static_cast<std::size_t>(concurrency > 0 ? std::min(concurrency, workers) : workers);
  const TbbCall tbb;
  node_ = std::make_unique<Node>(Node{{flow.graph(), limit, [this](Item* item) {
                                         const TbbBody watched;
                                         handover_acquire(item);
                                         run(item);
                                         return oneapi::tbb::flow::continue_msg();
                                       }}});
}

Stage::~Stage() {
  const TbbCall tbb;
  node_.reset();
}

void Stage::put(Item* item) {
  if (runs_ == HEADRACE_RUNS_CPU) {
    handover_release(item);
    const TbbCall tbb;
    node_->node.try_put(item);
    return;
  }
  if (!enter(item)) return;
  if (runs_ == HEADRACE_RUNS_ASYNC) {
    start_async(item);
    return;
  }
  flow_.io().put({.body =
                      [](void* self, void* what, std::size_t shard) {
                        static_cast<Stage*>(self)->run_blocking(static_cast<Item*>(what), shard);
                      },
                  .a = this,
                  .b = item});
}

bool Stage::enter(Item* item) {
  const std::scoped_lock lock(mutex_);
  if (concurrency_ == 0 || active_ < concurrency_) {
    ++active_;
    return true;
  }
  item->next = nullptr;
  *(first_ == nullptr ? &first_ : &last_->next) = item;
  last_ = item;
  return false;
}

void Stage::leave() {
  Item* item = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    --active_;
    if (first_ != nullptr) {
      item = std::exchange(first_, first_->next);
      item->next = nullptr;
    }
  }
  if (item != nullptr) put(item);
}

void Stage::run(Item* item) {
  const std::size_t shard = flow_.shard();
  for (const FrameWiring& frame : frames_) {
    if (flow_.cancelled() && item->alive()) item->state = Item::State::dead;
    if (!item->alive()) break;
    headrace_status status = HEADRACE_OK;
    std::uint64_t end_ns = 0;
    Invocation* invocation = call(frame, item, shard, status, end_ns);
    if (invocation == nullptr) break;
    flow_.conclude(*invocation, status, invocation->begin_ns, end_ns, shard, true);
    frame.op->give_back(invocation);
  }
  send(flow_, targets_, item, true);
}

Invocation* Stage::call(const FrameWiring& frame, Item* item, std::size_t shard, headrace_status& status,
                        std::uint64_t& end_ns) {
  Status why;
  Invocation* invocation = frame.op->lease(why);
  if (invocation == nullptr) {
    flow_.fail(std::move(why));
    item->state = Item::State::dead;
    return nullptr;
  }
  OpInstance::bind_in_place(*invocation, frame, item);
  invocation->stage = this;
  const std::uint64_t begin_ns = now_ns();
  invocation->begin_ns = begin_ns;
  frame.op->counters().add_in(shard, item->waited_ns(begin_ns),
                              item->members.empty() ? 1 : item->members.size());
  status = frame.op->process(*invocation);
  end_ns = now_ns();
  return invocation;
}

void Stage::run_blocking(Item* item, std::size_t shard) {
  if (flow_.cancelled() && item->alive()) item->state = Item::State::dead;
  if (item->alive()) {
    headrace_status status = HEADRACE_OK;
    std::uint64_t end_ns = 0;
    Invocation* invocation = call(frames_.front(), item, shard, status, end_ns);
    if (invocation != nullptr) {
      flow_.conclude(*invocation, status, invocation->begin_ns, end_ns, shard, false);
      frames_.front().op->give_back(invocation);
    }
  }
  leave();
  send(flow_, targets_, item, false);
}

void Stage::start_async(Item* item) {
  // Reached by workers and by I/O threads: a shard of its own is not worth it, so counting waits for
  // resume().
  if (flow_.cancelled() && item->alive()) item->state = Item::State::dead;
  if (!item->alive()) {
    leave();
    send(flow_, targets_, item, false);
    return;
  }
  Status why;
  Invocation* invocation = frames_.front().op->lease(why);
  if (invocation == nullptr) {
    flow_.fail(std::move(why));
    item->state = Item::State::dead;
    leave();
    send(flow_, targets_, item, false);
    return;
  }
  OpInstance::bind_in_place(*invocation, frames_.front(), item);
  invocation->stage = this;
  invocation->begin_ns = now_ns();
  const headrace_status status = invocation->op->process(*invocation);
  if (status != HEADRACE_PENDING) {
    invocation->completed = status;
    flow_.post(invocation);
    return;
  }
  // complete() and this line meet: whoever comes second goes on. complete() may already have come.
  if (invocation->meeting.fetch_add(1, std::memory_order_acq_rel) == 1) flow_.post(invocation);
}

void Stage::resume(Invocation* invocation) {
  invocation->running.end();
  const std::size_t shard = flow_.shard();
  Item* item = invocation->item;
  OpInstance& op = *invocation->op;
  const std::uint64_t begin_ns = invocation->begin_ns;
  op.counters().add_in(shard, item->waited_ns(begin_ns), item->members.empty() ? 1 : item->members.size());
  flow_.conclude(*invocation, invocation->completed, begin_ns, now_ns(), shard, true);
  op.give_back(invocation);
  leave();
  send(flow_, targets_, item, true);
}

namespace {

/// Each is a sample of its own until they are joined again; one that is masked is so on every branch.
void enter_copies(Ledger& ledger, const Item& item, std::int64_t copies) {
  if (!item.in_play()) return;
  const bool is_masked = item.outcome == Outcome::masked;
  const std::int64_t samples = copies * (is_masked ? static_cast<std::int64_t>(item.real) : item.in_flight());
  ledger.enter(item.sample.epoch, samples);
  if (is_masked) ledger.end(item.sample.epoch, Outcome::masked, samples);
}

}  // namespace

void Stage::send(Flow& flow, const std::vector<Target>& targets, Item* item, bool inside) {
  const auto deliver = [&](const Target& target, Item* to) {
    if (target.stage != nullptr) {
      target.stage->put(to);
    } else {
      target.exchange->arrive(target.port, to, inside);
      flow.work_end();
    }
  };
  if (targets.size() > 1) {
    const auto copies_made = static_cast<std::int64_t>(targets.size()) - 1;
    flow.work_begin(copies_made);
    enter_copies(flow.ledger(), *item, copies_made);
    // All copies are made before the first is sent: from then on an item belongs to somebody else.
    Item* copies = nullptr;
    for (std::size_t i = targets.size() - 1; i > 0; --i) {
      Item* copy = copy_of(*item);
      if (targets[i].takes_row && item->row.slot != nullptr) item->row.slots->hand_over(item, copy);
      copy->next = std::exchange(copies, copy);
    }
    for (std::size_t i = 1; i < targets.size(); ++i) {
      Item* copy = std::exchange(copies, copies->next);
      copy->next = nullptr;
      deliver(targets[i], copy);
    }
  }
  deliver(targets.front(), item);
}

}  // namespace headrace
