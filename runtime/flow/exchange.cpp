// SPDX-License-Identifier: Apache-2.0

#include "runtime/flow/exchange.h"

#include <fmt/format.h>

#include "runtime/flow/flow.h"
#include "runtime/flow/op.h"
#include "runtime/flow/slots.h"

namespace headrace {

Exchange::Exchange(Flow& flow, OpInstance* op, Segment* out) : flow_(flow), op_(op), out_(out) {
  if (out_ != nullptr) out_->set_inlet(this);
}

std::uint32_t Exchange::add_intake(std::int64_t cap_items) {
  intakes_.emplace_back(flow_.strict(), cap_items);
  return static_cast<std::uint32_t>(intakes_.size() - 1);
}

bool Exchange::strict() const { return flow_.strict(); }

void Exchange::arrive(std::uint32_t port, Item* item, bool inside) {
  Segment* segment = item->token->segment;
  intakes_[port].put(item);
  request(inside);
  if (!is_stage()) segment->show_size(inside);
}

void Exchange::request(bool inside) {
  if (requests_.fetch_add(1, std::memory_order_acq_rel) != 0) return;
  if (inside) {
    run_turns();
  } else {
    flow_.work_begin(1);
    flow_.post(this);
  }
}

void Exchange::run_turns() {
  std::uint32_t answered = requests_.load(std::memory_order_acquire);
  for (;;) {
    for (Intake& intake : intakes_) {
      intake.collect([this](Item& item) { seen(item); });
    }
    if (!flow_.cancelled()) turn();
    const std::uint32_t before = requests_.fetch_sub(answered, std::memory_order_acq_rel);
    if (before == answered) return;
    answered = before - answered;
  }
}

bool Exchange::lend_row(Item* item) {
  if (slots_ == nullptr || item->row.slot != nullptr) return true;
  std::uint64_t group = 0;
  if (!group_of_ || group_of_(item, group)) return slots_->lend(item, group) == Slots::Lend::ok;
  return false;
}

bool Exchange::admit(Item* item) {
  if (item->in_play() && !lend_row(item)) return false;
  item->sequence = next_sequence_++;
  flow_.work_begin(1);
  Stage::send(flow_, first_, item, true);
  return true;
}

void Exchange::admit_mark(Item* mark) {
  mark->sequence = next_sequence_++;
  flow_.work_begin(1);
  Stage::send(flow_, first_, mark, true);
}

Item* Exchange::new_mark(ItemPool& pool, std::uint32_t epoch, Token* token, std::uint64_t dealt) {
  Item* mark = pool.take();
  mark->token = token;
  mark->state = Item::State::mark;
  mark->sample = {};
  mark->sample.size = sizeof(headrace_sample);
  mark->sample.epoch = epoch;
  mark->dealt = dealt;
  return mark;
}

void Exchange::discard(Item* item) {
  if (item->row.slot != nullptr) item->row.slots->give_back(item, true);
  Token* token = item->token;
  item->home->give_back(item);
  if (token != nullptr) Segment::give_back(token, true);
}

void Exchange::discard_served(Item* item) {
  flow_.ledger().enter(item->sample.epoch, -item->in_flight());
  discard(item);
}

void Exchange::end_samples(const Item& item, Outcome outcome) {
  const bool was_masked = item.outcome == Outcome::masked;
  const auto samples = was_masked ? static_cast<std::int64_t>(item.real) : item.in_flight();
  if (was_masked) flow_.ledger().end(item.sample.epoch, Outcome::masked, -samples);
  flow_.ledger().end(item.sample.epoch, outcome, samples);
}

Token* Exchange::exchange_token(Item* item, Token* token) {
  std::int64_t bytes = 0;
  for (const Cell& cell : item->cells) {
    if (cell.present) bytes += static_cast<std::int64_t>(cell.buffer.capacity());
  }
  Token* former = item->token;
  if (former != nullptr) Segment::hold(former, -bytes);
  if (token != nullptr) Segment::hold(token, bytes);
  item->token = token;
  return former;
}

Item* copy_of(const Item& item) {
  Item* copy = item.home->take();
  copy->token = item.token;
  Segment::share(copy->token);
  copy->sequence = item.sequence;
  copy->ready_ns = item.ready_ns;
  copy->sample = item.sample;
  copy->ordinal = item.ordinal;
  copy->end = item.end;
  copy->rows = item.rows;
  copy->is_batch = item.is_batch;
  copy->real = item.real;
  copy->dealt = item.dealt;
  copy->padding = item.padding;
  copy->index = item.index;
  copy->state = item.state;
  if (item.state == Item::State::blank) copy->outcome = item.outcome;
  for (std::size_t i = 0; i < item.cells.size(); ++i) share_cell(item.cells[i], copy->cells[i], copy->token);
  return copy;
}

void share_cell(const Cell& from, Cell& to, Token* token) {
  if (!from.present) return;
  to.value = from.value;
  to.buffer = from.buffer.share();
  to.present = true;
  if (token != nullptr) Segment::hold(token, static_cast<std::int64_t>(to.buffer.capacity()));
}

std::string Exchange::waiting() const {
  std::int64_t parked = 0;
  for (const Intake& intake : intakes_) parked += intake.waiting();
  return parked == 0 ? "" : fmt::format("{} parked", parked);
}

}  // namespace headrace
