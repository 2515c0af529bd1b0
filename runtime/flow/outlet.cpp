// SPDX-License-Identifier: Apache-2.0

#include "runtime/flow/outlet.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/flow/flow.h"

namespace headrace {

namespace {

// How long nothing may move while somebody holds what could make it move.
constexpr std::uint64_t kPatienceNs = 10'000'000'000;

class Handed : public Delivered {
 public:
  Handed(std::shared_ptr<Outside> outside, std::size_t fields)
      : outside_(std::move(outside)), cells_(fields) {}
  ~Handed() override {
    outside_->caller_bytes.fetch_sub(bytes_, std::memory_order_relaxed);
    cells_.clear();
    if (token_ == nullptr) return;
    outside_->lent.fetch_sub(1, std::memory_order_relaxed);
    const std::scoped_lock lock(outside_->mutex);
    if (outside_->flow != nullptr) Segment::give_back(token_, false);
  }
  Handed(const Handed&) = delete;
  Handed& operator=(const Handed&) = delete;

  void take(Item& item, const PlanOutput& output, const std::vector<std::uint32_t>& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      cells_[i].value = item.cells[cells[i]].value;
      cells_[i].buffer = item.cells[cells[i]].buffer.share();
      bytes_ += static_cast<std::int64_t>(cells_[i].buffer.capacity());
      names.emplace_back(names_.emplace_back(output.fields[i]));
      values.push_back(&cells_[i].value);
    }
  }
  void keep(Token* token) {
    token_ = token;
    bytes_ = 0;
    outside_->lent.fetch_add(1, std::memory_order_relaxed);
  }
  void count_bytes() { outside_->caller_bytes.fetch_add(bytes_, std::memory_order_relaxed); }

 private:
  std::shared_ptr<Outside> outside_;
  std::vector<Cell> cells_;
  std::deque<std::string> names_;
  Token* token_ = nullptr;
  std::int64_t bytes_ = 0;
};

}  // namespace

Outlet::Outlet(Flow& flow, const PlanOutput& output, std::vector<std::uint32_t> cells,
               std::shared_ptr<Outside> outside, const OutputPoint& start, const Served& served,
               bool counts_off)
    : Exchange(flow, nullptr, nullptr),
      output_(output),
      cells_(std::move(cells)),
      outside_(std::move(outside)),
      start_(start),
      before_(served),
      counts_off_(counts_off),
      served_(start) {}

void Outlet::turn() {
  bool any = false;
  while (intake(0).front() != nullptr) {
    Item* item = intake(0).pop();
    if (item->state == Item::State::dead || is_served(*item)) {
      discard_served(item);
      continue;
    }
    const std::scoped_lock lock(flow().mutex());
    queue_.push_back(item);
    any = true;
  }
  if (any) flow().notify_consumers();
}

/// Comes again, since the run began before what this output had delivered.
bool Outlet::is_served(const Item& item) {
  if (item.sample.epoch != start_.epoch || item.state == Item::State::mark)
    return item.sample.epoch < start_.epoch;
  if (counts_off_) return counted_off_ < start_.step && ++counted_off_ > 0;
  return before_.covers(item);
}

OutputPoint Outlet::served() const {
  const std::scoped_lock lock(flow().mutex());
  return served_;
}

Pipeline::Next Outlet::next(std::int64_t timeout_ms, std::unique_ptr<Delivered>& out) {
  const std::uint64_t begin_ns = now_ns();
  const auto patience = static_cast<std::uint64_t>(timeout_ms < 0 ? 0 : timeout_ms) * 1'000'000;
  std::uint64_t idle_since_ns = 0;
  std::unique_lock lock(flow().mutex());
  for (;;) {
    if (flow().cancelled()) return Pipeline::Next::failed;
    if (!queue_.empty()) {
      Item* item = queue_.front();
      queue_.pop_front();
      const std::uint64_t step = served_.step;
      count_served(*item);
      flow().work_begin(1);  // until its token is back, which may let the graph go on
      lock.unlock();
      const Pipeline::Next next = hand_out(item, step, out);
      flow().work_end();
      return next;
    }
    const std::int64_t epochs = flow().options().epochs;
    if (epochs > 0 && served_.epoch >= static_cast<std::uint64_t>(epochs)) return Pipeline::Next::end;
    const std::uint64_t now = now_ns();
    if (timeout_ms >= 0 && now - begin_ns >= patience) return Pipeline::Next::timeout;
    if (!flow().idle()) {
      idle_since_ns = 0;
    } else if (idle_since_ns == 0) {
      idle_since_ns = now;
    }
    if (idle_since_ns != 0 && stuck(now - idle_since_ns)) {
      lock.unlock();
      flow().fail({Code::deadlock, fmt::format("output '{}': the graph can make no progress\n{}",
                                               output_.name, flow().holdings())});
      return Pipeline::Next::failed;
    }
    std::uint64_t wait_ns = kPatienceNs;
    if (timeout_ms >= 0) wait_ns = std::min(wait_ns, patience - (now - begin_ns));
    if (idle_since_ns != 0) wait_ns = std::min(wait_ns, std::uint64_t{200'000'000});
    flow().changed().wait_for(lock, std::chrono::nanoseconds(wait_ns));
  }
}

/// Nothing is under way. With nobody else in a position to change that it is over; a batch in a caller's
/// hands or another output that is full may yet change it, for a while.
bool Outlet::stuck(std::uint64_t idle_ns) {
  bool others = outside_->lent.load(std::memory_order_relaxed) > 0;
  for (const auto* outlet : flow().outlets()) others = others || (outlet != this && outlet->is_full());
  return !others || idle_ns >= kPatienceNs;
}

/// Under the flow's mutex.
void Outlet::count_served(const Item& item) {
  if (item.state == Item::State::mark) {
    served_ = {.epoch = served_.epoch + 1};
    return;
  }
  ++served_.step;
  served_.ordinal = item.ordinal + 1;
  served_.end = std::max(served_.end, item.end);
}

Pipeline::Next Outlet::hand_out(Item* item, std::uint64_t step, std::unique_ptr<Delivered>& out) {
  Token* token = item->token;
  if (item->state == Item::State::mark) {
    flow().ledger().end_epoch(item->sample.epoch);
    item->home->give_back(item);
    Segment::give_back(token, false);
    return Pipeline::Next::end;
  }
  auto handed = std::make_unique<Handed>(outside_, cells_.size());
  handed->take(*item, output_, cells_);
  handed->epoch = item->sample.epoch;
  handed->step = step;
  handed->rows = item->rows;
  batches_.fetch_add(1, std::memory_order_relaxed);
  samples_.fetch_add(item->rows, std::memory_order_relaxed);
  real_.fetch_add(item->real, std::memory_order_relaxed);
  account_for(*item);
  const bool lend = flow().options().ownership == HEADRACE_LEND;
  if (lend) {
    handed->keep(token);
    item->token = nullptr;  // what is lent stays charged to the token
  } else {
    handed->count_bytes();
  }
  item->home->give_back(item);
  if (!lend) Segment::give_back(token, false);
  flow().count_first_batch();
  out = std::move(handed);
  return Pipeline::Next::item;
}

/// Outputs of one node get copies of the same samples: the first one's count.
void Outlet::account_for(const Item& item) {
  const std::int64_t samples = item.in_flight();
  if (this == flow().outlets().front()) {
    flow().ledger().end(item.sample.epoch, Outcome::delivered, samples);
  } else {
    flow().ledger().enter(item.sample.epoch, -samples);
  }
}

std::string Outlet::waiting() const {
  return queue_.empty() ? "" : fmt::format("{} wait for the consumer", queue_.size());
}

}  // namespace headrace
