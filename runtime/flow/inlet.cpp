// SPDX-License-Identifier: Apache-2.0

#include "runtime/flow/inlet.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "runtime/flow/flow.h"
#include "runtime/flow/op.h"
#include "runtime/state/philox.h"

namespace headrace {

namespace {
// What a restored stream reads again at most, beyond what was under way.
constexpr std::uint64_t kRecordsBetweenStates = 256;
}  // namespace

Inlet::Inlet(Flow& flow, OpInstance& op, Segment& out, ItemPool& items, std::uint32_t number,
             FrameWiring wiring, std::int64_t epochs, const Start& start)
    : Exchange(flow, &op, &out),
      items_(items),
      number_(number),
      wiring_(std::move(wiring)),
      epochs_(epochs),
      chosen_(flow.selection() == nullptr ? nullptr : &flow.selection()->of_source(number)),
      stream_(flow.plan().ranks, op.first().count.ending),
      epoch_(start.epoch),
      dealt_before_(start.dealt),
      served_until_(start.position),
      taken_(op.restored_position()),
      finished_(epochs > 0 && start.epoch >= static_cast<std::uint64_t>(epochs)),
      call_(flow, *this, op) {
  if (!op.first().indexed) return;
  deal_ = start.rest.empty() ? op.deal() : op.deal().of_rest(start.rest);
  taken_ = std::min(deal_->before(start.position), deal_->count());
}

void Inlet::turn() {
  while (!finished_ && !flow().cancelled() && !call_.is_running()) {
    if (call_.is_answered()) {
      take_answer();
    } else if (held_ != nullptr) {
      if (!admit(held_)) return;
      held_ = nullptr;
    } else if (epoch_over_ ? !next_epoch() : !take_next()) {
      return;
    }
  }
}

bool Inlet::next_epoch() {
  Token* token = out()->try_borrow_mark();
  if (token == nullptr) return false;
  const std::uint64_t dealt = op()->first().indexed ? dealt_before_ + taken_ : stream_.count(taken_);
  admit_mark(new_mark(items_, epoch_, token, dealt));
  epoch_over_ = false;
  if (deal_) deal_ = op()->deal();
  dealt_before_ = 0;
  served_until_ = 0;
  taken_ = 0;
  order_.reset();
  ++epoch_;
  finished_ = epochs_ > 0 && epoch_ == static_cast<std::uint64_t>(epochs_);
  return true;
}

bool Inlet::take_next() {
  if (!op()->first().indexed) return call_for_next();
  return chosen_ == nullptr ? take_listed() : take_chosen();
}

/// Of the samples that the run is confined to every rank takes its share, whatever the batches are then.
bool Inlet::take_chosen() {
  const Ranks ranks = flow().plan().ranks;
  const std::uint64_t at = taken_ * ranks.world + ranks.rank;
  if (at >= chosen_->size()) {
    epoch_over_ = true;
    return true;
  }
  Token* token = out()->try_borrow();
  if (token == nullptr) return false;
  Item* item = new_item((*chosen_)[at].index, token);
  ++taken_;
  flow().ledger().admit(epoch_, 1);
  let_in(item);
  return true;
}

bool Inlet::take_listed() {
  if (taken_ == deal_->count()) {
    epoch_over_ = true;
    return true;
  }
  Token* token = out()->try_borrow();
  if (token == nullptr) return false;
  if (order_ == nullptr) order_ = op()->sampling().epoch(mix(op()->members().front()->key, epoch_));
  const std::uint64_t position = deal_->global(taken_++);
  Item* item = new_item(position, token);
  item->index = (*order_)(deal_->place(position));
  item->padding = deal_->is_padding(position);
  flow().ledger().admit(epoch_, 1);
  if (item->padding) {
    item->real = 0;
    flow().ledger().end(epoch_, Outcome::padded, 1);
  }
  let_in(item);
  return true;
}

/// What other ranks get is read without a token: it is one record, which is let go of at once.
bool Inlet::call_for_next() {
  if (is_past_the_chosen()) {
    end_stream();
    return true;
  }
  const bool is_mine = stream_.is_mine(taken_);
  Token* token = is_mine ? out()->try_borrow() : nullptr;
  if (is_mine && token == nullptr) return false;
  Item* item = new_item(taken_, token);
  if (is_mine) op()->counters().add_in(flow().shard(), 0);
  if (!keep_state() || !call_.begin(wiring_, item, item)) discard(item);
  return true;
}

Item* Inlet::new_item(std::uint64_t position, Token* token) const {
  Item* item = items_.take();
  item->token = token;
  item->ready_ns = 0;
  item->sample = {};
  item->sample.size = sizeof(headrace_sample);
  item->sample.source = number_;
  item->sample.epoch = epoch_;
  item->sample.position = position;
  item->end = position + 1;
  item->index = position;
  return item;
}

void Inlet::let_in(Item* item) {
  if (!admit(item)) held_ = item;
}

void Inlet::take_answer() {
  Item* item = call_.item();
  const bool is_mine = stream_.is_mine(taken_);
  // A record of another rank that is at fault is that rank's to report, unless it ends the run.
  const bool is_fatal = call_.answered() < 0 && op()->first().on_error.action == ErrorAction::fail;
  const headrace_status answer = is_mine || is_fatal ? call_.take() : call_.abandon();
  if (answer == HEADRACE_END) {
    discard(item);
    end_stream();
    return;
  }
  ++taken_;
  if (!is_mine || is_passed_over(*item)) {
    discard(item);
  } else if (taken_ <= served_until_) {
    if (item->outcome != Outcome::in_flight) flow().ledger().admit(epoch_, 1);
    discard(item);
  } else {
    flow().ledger().admit(epoch_, 1);
    if (stream_.keeps_back()) {
      kept_ = item;
    } else {
      let_in(item);
    }
  }
  if (kept_ != nullptr && stream_.is_whole(taken_)) let_in(std::exchange(kept_, nullptr));
}

void Inlet::end_stream() {
  epoch_over_ = true;
  if (kept_ == nullptr) return;
  if (kept_->in_play()) {
    op()->counters().add_dropped(flow().shard());
    end_samples(*kept_, Outcome::dropped);
  }
  discard(std::exchange(kept_, nullptr));
}

/// A stream can only be read from its beginning, or from where its op saved its state.
bool Inlet::keep_state() {
  if (op()->table().save == nullptr || taken_ % kRecordsBetweenStates != 0) return true;
  if (Status status = op()->keep_state(epoch_, taken_); !status.ok()) {
    flow().fail(std::move(status));
    return false;
  }
  return true;
}

/// Of a stream: nothing more of what this run is confined to will come.
bool Inlet::is_past_the_chosen() const {
  return chosen_ != nullptr && (chosen_->empty() || taken_ > chosen_->back().index);
}

/// A stream's records come one after the other, also those that this run is not about.
bool Inlet::is_passed_over(const Item& item) const {
  return chosen_ != nullptr && item.alive() && flow().selection()->find(number_, item.index) == nullptr;
}

std::string Inlet::waiting() const {
  if (finished_) return "";
  if (held_ != nullptr) return fmt::format("has {} ready and no row for it", held_->title());
  return fmt::format("waits for a token, {} taken of epoch {}", taken_, epoch_);
}

}  // namespace headrace
