// SPDX-License-Identifier: Apache-2.0

#include "runtime/flow/inlet.h"

#include <fmt/format.h>

#include <algorithm>

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
      epoch_(start.epoch),
      position_(op.first().indexed ? std::min(start.position, static_cast<std::uint64_t>(op.length()))
                                   : op.restored_position()),
      served_until_(start.position),
      finished_(epochs > 0 && start.epoch >= static_cast<std::uint64_t>(epochs)),
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
  served_until_ = 0;
  ++epoch_;
  finished_ = epochs_ > 0 && epoch_ == static_cast<std::uint64_t>(epochs_);
  return true;
}

bool Inlet::take_next() {
  const bool indexed = op()->first().indexed;
  const auto length = static_cast<std::uint64_t>(op()->length());
  if (indexed && position_ == length) {
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
    if (!keep_state() || !call_.begin(wiring_, item, item)) discard(item);
    return true;
  }
  if (op()->first().shuffle) {
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
  item->end = position_ + 1;
}

void Inlet::take_answer() {
  Item* item = call_.item();
  if (call_.take() == HEADRACE_END) {
    epoch_over_ = true;
    discard(item);
    return;
  }
  ++position_;
  if (position_ <= served_until_) {
    discard(item);
  } else if (!admit(item)) {
    held_ = item;
  }
}

bool Inlet::keep_state() {
  if (op()->table().save == nullptr || position_ % kRecordsBetweenStates != 0) return true;
  if (Status status = op()->keep_state(epoch_, position_); !status.ok()) {
    flow().fail(std::move(status));
    return false;
  }
  return true;
}

std::string Inlet::waiting() const {
  if (finished_) return "";
  if (held_ != nullptr) return fmt::format("has {} ready and no row for it", held_->title());
  return fmt::format("waits for a token, at position {} of epoch {}", position_, epoch_);
}

}  // namespace headrace
