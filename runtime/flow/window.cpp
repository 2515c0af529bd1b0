// SPDX-License-Identifier: Apache-2.0

#include "runtime/flow/window.h"

#include <fmt/format.h>

#include "runtime/flow/flow.h"
#include "runtime/flow/op.h"

namespace headrace {

Window::Window(Flow& flow, OpInstance& op, Segment& out, bool feeds_join, std::uint64_t served)
    : Exchange(flow, &op, &out),
      size_(static_cast<std::size_t>(op.first().window)),
      feeds_join_(feeds_join),
      numbers_(served) {
  held_.reserve(size_);
}

void Window::turn() {
  for (;;) {
    if (chosen_ != nullptr) {
      if (!admit(chosen_)) return;
      chosen_ = nullptr;
      op()->counters().add_out(flow().shard());
    }
    Item* item = intake(0).front();
    if (item == nullptr) return;
    if (item->in_play()                    ? !take(item)
        : item->state == Item::State::mark ? !take_mark(item)
                                           : !take_dead(item))
      return;
  }
}

bool Window::take_mark(Item* mark) {
  const std::uint32_t epoch = mark->sample.epoch;
  if (!held_.empty()) return let_one_go(epoch);
  Token* token = out()->try_borrow_mark();
  if (token == nullptr) return false;
  Item* next = new_mark(*mark->home, epoch, token, mark->dealt);
  discard(intake(0).pop());
  ordinal_ = 0;
  numbers_.end_epoch();
  admit_mark(next);
  return true;
}

/// Goes straight through to the join, at no charge; lint sees to it that a full window leaves it a token.
bool Window::take_dead(Item* item) {
  if (!feeds_join_) {
    discard(intake(0).pop());
    return true;
  }
  Token* token = out()->try_borrow(0);
  if (token == nullptr) return false;
  intake(0).pop();
  Segment::give_back(exchange_token(item, token), true);
  admit(item);
  return true;
}

std::int64_t Window::bytes_of(const Item& item) {
  std::int64_t bytes = 0;
  for (const Cell& cell : item.cells) {
    if (cell.present) bytes += static_cast<std::int64_t>(cell.buffer.capacity());
  }
  return bytes;
}

bool Window::take(Item* item) {
  const std::int64_t bytes = bytes_of(*item);
  const bool full = held_.size() == size_ || (!held_.empty() && held_bytes_ + bytes > out()->cap_bytes());
  if (full) return let_one_go(item->sample.epoch);
  // Charged what it holds: then the segment is full in bytes exactly when the window is, or something is
  // under way.
  Token* token = out()->try_borrow(bytes);
  if (token == nullptr) return false;
  intake(0).pop();
  op()->counters().add_in(flow().shard(), item->waited_ns(now_ns()));
  Segment::give_back(exchange_token(item, token), true);
  held_.push_back(item);
  held_bytes_ += bytes;
  return true;
}

bool Window::let_one_go(std::uint32_t epoch) {
  Scope scope;
  scope.flow = &flow();
  scope.op = op();
  headrace_choice choice{};
  choice.context = OpInstance::context(&scope, sizeof(choice));
  choice.ordinal = ordinal_;
  choice.epoch = epoch;
  choice.count = static_cast<std::uint32_t>(held_.size());
  const headrace_status status = op()->table().choose(op()->self(), &choice);
  if (status != HEADRACE_OK || choice.choice >= held_.size()) {
    flow().fail({Code::internal, fmt::format("{}: chose {} of {} records: {}", op()->title(0), choice.choice,
                                             held_.size(), scope.text)});
    return false;
  }
  ++ordinal_;
  chosen_ = held_[choice.choice];
  held_.erase(held_.begin() + choice.choice);
  held_bytes_ -= bytes_of(*chosen_);
  chosen_->ready_ns = now_ns();
  if (numbers_.was_served(*chosen_)) discard_served(std::exchange(chosen_, nullptr));
  return true;
}

std::string Window::waiting() const {
  return fmt::format("{}{}{} of {} records held", Exchange::waiting(),
                     Exchange::waiting().empty() ? "" : ", ", held_.size(), size_);
}

}  // namespace headrace
