// SPDX-License-Identifier: Apache-2.0

#include "runtime/flow/merge.h"

#include <fmt/format.h>

#include "runtime/flow/flow.h"
#include "runtime/flow/op.h"

namespace headrace {

Merge::Merge(Flow& flow, OpInstance& op, Segment& out, ItemPool& items, std::vector<CellMap> maps,
             std::uint32_t first_epoch, std::uint64_t served)
    : Exchange(flow, &op, &out),
      items_(items),
      maps_(std::move(maps)),
      all_((std::uint64_t{1} << maps_.size()) - 1),
      live_(all_),
      numbers_(served),
      epoch_(first_epoch) {}

void Merge::turn() {
  for (;;) {
    if (held_ != nullptr) {
      if (!admit(held_)) return;
      held_ = nullptr;
    }
    if (ending_ || live_ == 0) {
      ending_ = true;
      if (!end_epoch()) return;
      continue;
    }
    if (choice_ < 0 && !choose()) return;
    Intake& chosen = intake(static_cast<std::uint32_t>(choice_));
    Item* item = chosen.front();
    if (item == nullptr) return;
    if (item->state == Item::State::dead) {
      discard(chosen.pop());
    } else if (item->state == Item::State::mark) {
      live_ &= ~(std::uint64_t{1} << choice_);
      ending_ = op()->first().ends == HEADRACE_ENDS_FIRST;
      choice_ = -1;
    } else if (!give(item)) {
      return;
    }
  }
}

bool Merge::choose() {
  Scope scope;
  scope.flow = &flow();
  scope.op = op();
  headrace_choice choice{};
  choice.context = OpInstance::context(&scope, sizeof(choice));
  choice.ordinal = ordinal_;
  choice.live = live_;
  choice.epoch = epoch_;
  choice.count = intake_count();
  const headrace_status status = op()->table().choose(op()->self(), &choice);
  if (status != HEADRACE_OK || choice.choice >= intake_count() || ((live_ >> choice.choice) & 1U) == 0) {
    flow().fail({Code::internal, fmt::format("{}: chose input {}, which has none: {}", op()->title(0),
                                             choice.choice, scope.text)});
    return false;
  }
  choice_ = static_cast<std::int32_t>(choice.choice);
  return true;
}

bool Merge::give(Item* item) {
  Token* token = out()->try_borrow();
  if (token == nullptr) return false;
  const auto input = static_cast<std::uint32_t>(choice_);
  intake(input).pop();
  const std::size_t shard = flow().shard();
  op()->counters().add_in(shard, item->waited_ns(now_ns()));
  op()->counters().add_out(shard);
  held_ = items_.take();
  held_->token = token;
  held_->sample = item->sample;
  held_->index = item->index;
  held_->rows = item->rows;
  held_->real = item->real;
  held_->padding = item->padding;
  held_->outcome = item->outcome;
  held_->state = item->state;
  held_->is_batch = item->is_batch;
  held_->ready_ns = now_ns();
  for (const auto& [from, to] : maps_[input]) share_cell(item->cells[from], held_->cells[to], token);
  discard(item);
  ++ordinal_;
  choice_ = -1;
  if (numbers_.was_served(*held_)) discard_served(std::exchange(held_, nullptr));
  return true;
}

/// Empties every input up to its own end of the epoch.
bool Merge::end_epoch() {
  for (std::uint32_t p = 0; p < intake_count(); ++p) {
    while (intake(p).front() != nullptr && intake(p).front()->state != Item::State::mark) {
      Item* item = intake(p).pop();
      if (item->in_play()) {
        op()->counters().add_dropped(flow().shard());
        end_samples(*item, Outcome::dropped);
      }
      discard(item);
    }
    if (intake(p).front() == nullptr) return false;
  }
  Token* token = out()->try_borrow_mark();
  if (token == nullptr) return false;
  std::uint64_t dealt = 0;
  for (std::uint32_t p = 0; p < intake_count(); ++p) {
    dealt += intake(p).front()->dealt;
    discard(intake(p).pop());
  }
  // Where it ends with the first, how many there are is what the choices came to.
  if (op()->first().ends == HEADRACE_ENDS_FIRST) dealt = ordinal_;
  admit_mark(new_mark(items_, epoch_, token, dealt));
  ++epoch_;
  ordinal_ = 0;
  numbers_.end_epoch();
  live_ = all_;
  ending_ = false;
  choice_ = -1;
  return true;
}

std::string Merge::waiting() const {
  return choice_ < 0 ? Exchange::waiting() : fmt::format("waits for input {}", choice_);
}

}  // namespace headrace
