// SPDX-License-Identifier: Apache-2.0

#include "runtime/flow/inlet.h"

#include <fmt/format.h>

#include "runtime/flow/flow.h"
#include "runtime/flow/op.h"
#include "runtime/state/philox.h"

namespace headrace {

Inlet::Inlet(Flow& flow, OpInstance& op, Segment& out, ItemPool& items, std::uint32_t number,
             FrameWiring wiring, std::int64_t epochs)
    : Exchange(flow, &op, &out),
      items_(items),
      number_(number),
      wiring_(std::move(wiring)),
      epochs_(epochs),
      chosen_(flow.selection() == nullptr ? nullptr : &flow.selection()->of_source(number)),
      call_(flow, *this, op) {}

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
  admit_mark(new_mark(items_, epoch_, token));
  epoch_over_ = false;
  position_ = 0;
  order_.reset();
  ++epoch_;
  finished_ = epochs_ > 0 && epoch_ == static_cast<std::uint64_t>(epochs_);
  return true;
}

bool Inlet::take_next() {
  const bool indexed = op()->first().indexed;
  const auto length = static_cast<std::uint64_t>(op()->length());
  if (indexed ? position_ == (chosen_ == nullptr ? length : chosen_->size()) : is_past_the_chosen()) {
    epoch_over_ = true;
    return true;
  }
  Token* token = out()->try_borrow();
  if (token == nullptr) return false;
  Item* item = items_.take();
  item->token = token;
  fill(item);
  if (!indexed) {
    op()->counters().add_in(flow().shard(), 0);
    if (!call_.begin(wiring_, item, item)) discard(item);
    return true;
  }
  flow().ledger().admit(epoch_, 1);
  if (chosen_ != nullptr) {
    item->index = item->sample.position = (*chosen_)[position_].index;
  } else if (op()->first().shuffle) {
    if (order_ == nullptr)
      order_ = std::make_unique<Permutation>(length, mix(op()->members().front()->key, epoch_));
    item->index = (*order_)(position_);
  } else {
    item->index = position_;
  }
  ++position_;
  if (!admit(item)) held_ = item;
  return true;
}

void Inlet::fill(Item* item) const {
  item->ready_ns = 0;
  item->sample = {};
  item->sample.size = sizeof(headrace_sample);
  item->sample.source = number_;
  item->sample.epoch = epoch_;
  item->sample.position = position_;
  item->index = position_;
}

void Inlet::take_answer() {
  Item* item = call_.item();
  if (call_.take() == HEADRACE_END) {
    epoch_over_ = true;
    discard(item);
    return;
  }
  ++position_;
  if (is_passed_over(*item)) {
    discard(item);
    return;
  }
  flow().ledger().admit(epoch_, 1);
  if (!admit(item)) held_ = item;
}

/// Of a stream: nothing more of what this run is confined to will come.
bool Inlet::is_past_the_chosen() const {
  return chosen_ != nullptr && (chosen_->empty() || position_ > chosen_->back().index);
}

/// A stream's records come one after the other, also those that this run is not about.
bool Inlet::is_passed_over(const Item& item) const {
  return chosen_ != nullptr && item.alive() && flow().selection()->find(number_, item.index) == nullptr;
}

std::string Inlet::waiting() const {
  if (finished_) return "";
  if (held_ != nullptr) return fmt::format("has {} ready and no row for it", held_->title());
  return fmt::format("waits for a token, at position {} of epoch {}", position_, epoch_);
}

}  // namespace headrace
