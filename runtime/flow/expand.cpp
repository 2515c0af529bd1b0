// SPDX-License-Identifier: Apache-2.0

#include "runtime/flow/expand.h"

#include "runtime/flow/flow.h"
#include "runtime/flow/op.h"

namespace headrace {

Expand::Expand(Flow& flow, OpInstance& op, Segment& out, FrameWiring wiring, std::uint64_t served)
    : Exchange(flow, &op, &out), wiring_(std::move(wiring)), numbers_(served), call_(flow, *this, op) {}

Expand::~Expand() {
  if (item_state_ != nullptr && op()->table().end_item != nullptr)
    op()->table().end_item(op()->self(), item_state_);
}

void Expand::turn() {
  while (!call_.is_running()) {
    if (call_.is_answered()) {
      take_answer();
      continue;
    }
    if (held_ != nullptr) {
      if (held_->row.slot == nullptr && !lend_row(held_)) return;
      Item* child = std::exchange(held_, nullptr);
      if (call_.begin(wiring_, intake(0).front(), child, ordinal_, item_state_)) continue;
      discard(child);
      return;
    }
    Item* parent = intake(0).front();
    if (parent == nullptr) return;
    if (parent->state == Item::State::mark) {
      if (!take_mark(parent)) return;
    } else if (!parent->alive()) {
      end_parent();
    } else if (!next_child(parent)) {
      return;
    }
  }
}

bool Expand::take_mark(Item* mark) {
  Token* token = out()->try_borrow_mark();
  if (token == nullptr) return false;
  Item* next = new_mark(*mark->home, mark->sample.epoch, token, std::exchange(children_, 0));
  discard(intake(0).pop());
  numbers_.end_epoch();
  admit_mark(next);
  return true;
}

bool Expand::next_child(Item* parent) {
  Token* token = out()->try_borrow();
  if (token == nullptr) return false;
  if (ordinal_ == 0) op()->counters().add_in(flow().shard(), parent->waited_ns(now_ns()));
  Item* child = parent->home->take();
  child->token = token;
  child->sample = parent->sample;
  child->real = parent->real;
  child->padding = parent->padding;
  child->index = parent->index;
  if (child->sample.depth < HEADRACE_MAX_DEPTH) child->sample.ordinals[child->sample.depth++] = ordinal_;
  for (std::size_t i = 0; i < parent->cells.size(); ++i) share_cell(parent->cells[i], child->cells[i], token);
  held_ = child;
  return true;
}

void Expand::take_answer() {
  Item* child = call_.item();
  const headrace_status answer = call_.take(&item_state_);
  account_for(*child, answer);
  if (answer == HEADRACE_MORE) {
    ++ordinal_;
  } else {
    end_parent();
  }
  if (answer != HEADRACE_DROP) ++children_;
  if (child->alive() && !numbers_.was_served(*child)) {
    admit(child);  // has its row already
  } else {
    discard_served(child);
  }
}

/// A parent is one sample until its last child is there; then its children are samples in its stead, and what
/// of it failed or gave none is one too.
void Expand::account_for(const Item& child, headrace_status answer) {
  const Item& parent = *intake(0).front();
  const std::int64_t samples = parent.in_flight();
  Ledger& ledger = flow().ledger();
  if (child.alive()) ledger.enter(parent.sample.epoch, child.in_flight());
  if (answer == HEADRACE_MORE) return;
  if (answer == HEADRACE_DROP && ordinal_ == 0) ledger.end(parent.sample.epoch, Outcome::dropped, samples);
  const bool goes_on_as_children = answer == HEADRACE_OK || (answer == HEADRACE_DROP && ordinal_ > 0);
  if (goes_on_as_children) ledger.enter(parent.sample.epoch, -samples);
}

void Expand::end_parent() {
  if (item_state_ != nullptr) {
    if (op()->table().end_item != nullptr) op()->table().end_item(op()->self(), item_state_);
    item_state_ = nullptr;
  }
  ordinal_ = 0;
  discard(intake(0).pop());
}

}  // namespace headrace
