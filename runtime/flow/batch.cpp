// SPDX-License-Identifier: Apache-2.0

#include "runtime/flow/batch.h"

#include <fmt/format.h>

#include "runtime/flow/flow.h"
#include "runtime/flow/op.h"

namespace headrace {

namespace {

/// A record that is part of a batch lives by the batch's token, of which it is no copy.
void release_member(Item* member) {
  if (member->row.slot != nullptr) member->row.slots->give_back(member, true);
  member->home->give_back(member);
}

}  // namespace

Batch::Batch(Flow& flow, OpInstance& op, Segment& out, ItemPool& batches, Slots* slots, FrameWiring collated)
    : Exchange(flow, &op, &out),
      batches_(batches),
      slots_(slots),
      wiring_(std::move(collated)),
      size_(static_cast<std::size_t>(op.first().batch_size)) {}

bool Batch::assign(Item* item, std::uint64_t& group) {
  group = 0;
  if (op()->table().assign == nullptr) return true;
  Status why;
  Invocation* v = op()->lease(why);
  if (v == nullptr) {
    flow().fail(std::move(why));
    return false;
  }
  FrameWiring inputs_only;
  inputs_only.op = op();
  inputs_only.inputs = wiring_.inputs;
  OpInstance::bind(*v, inputs_only, item, item);
  const headrace_status status = op()->table().assign(op()->self(), &v->call, &group);
  if (status != HEADRACE_OK) {
    flow().fail({status < 0 ? static_cast<Code>(status) : Code::internal,
                 fmt::format("{}, {}: no group: {}", op()->title(0), item->title(), v->text)});
  }
  op()->give_back(v);
  return status == HEADRACE_OK;
}

void Batch::seen(Item& item) {
  if (strict() && item.alive() && item.row.slot != nullptr) slots_->done(&item);
}

void Batch::turn() {
  for (;;) {
    if (held_ != nullptr) {
      if (!admit(held_)) break;
      held_ = nullptr;
    }
    bool stuck = false;
    for (auto& [key, group] : groups_) {
      if (group.members.size() == size_ && !deliver(key, group)) stuck = true;
      if (stuck || held_ != nullptr) break;
    }
    if (held_ != nullptr) continue;
    Item* item = intake(0).front();
    if (stuck || item == nullptr) break;
    if (item->state == Item::State::dead) {
      discard(intake(0).pop());
    } else if (item->state == Item::State::mark ? !take_mark(item) : !take(item)) {
      break;
    }
  }
  if (slots_ != nullptr) slots_->wake_upstream();
}

bool Batch::take(Item* item) {
  if (!strict() && item->row.slot != nullptr) return take_row(item);
  std::uint64_t key = 0;
  if (item->row.slot != nullptr) {
    key = item->row.slot->group;
  } else if (!assign(item, key)) {
    return false;
  }
  Group& group = groups_[key];
  Token* token = item->row.slot != nullptr ? item->row.slot->token : group.token;
  if (token == nullptr) {
    token = group.token = borrow(false);
    if (token == nullptr) return false;
  }
  intake(0).pop();
  Segment::give_back(exchange_token(item, token), true);
  group.members.push_back(item);
  return true;
}

/// Order any: the batch is whichever slot has all its rows done.
bool Batch::take_row(Item* item) {
  intake(0).pop();
  Slot& slot = *item->row.slot;
  Segment::give_back(exchange_token(item, slot.token), true);
  Group& group = groups_[slot.group];
  if (!slots_->done(item)) return true;
  for (const Slot::Lent& row : slot.rows) group.members.push_back(row.item);
  send(slot.group, group, &slot);
  return true;
}

bool Batch::deliver(std::uint64_t key, Group& group) {
  Slot* slot = nullptr;
  if (slots_ != nullptr) {
    slot = slots_->front(key, group.members.front()->sample.epoch);
    // A row of this slot that a failure gave back may be lent to a younger item. It needs nothing more to
    // end: wait for it.
    if (!slots_->settled(*slot)) return false;
    flow().add_rows_moved(slots_->arrange(*slot, group.members));
  }
  send(key, group, slot);
  return true;
}

void Batch::send(std::uint64_t key, Group& group, Slot* slot) {
  Item* batch = batches_.take();
  batch->is_batch = true;
  batch->members.swap(group.members);
  if (slot != nullptr) {
    slots_->seal(*slot, batch);
  } else {
    batch->token = std::exchange(group.token, nullptr);
  }
  for (Item* member : batch->members) exchange_token(member, batch->token);
  batch->sample = {};
  batch->sample.size = sizeof(headrace_sample);
  batch->sample.epoch = batch->members.front()->sample.epoch;
  batch->sample.position = count_;
  batch->ordinal = count_++;
  batch->rows = 0;
  for (const Item* member : batch->members) batch->rows += member->rows;
  batch->index = key;
  batch->ready_ns = now_ns();
  if (!admit(batch)) held_ = batch;
}

bool Batch::flush(std::uint32_t epoch) {
  for (auto& [key, group] : groups_) {
    if (slots_ != nullptr && !strict() && group.members.empty()) {
      std::vector<Item*> rest;
      slots_->done_items(key, epoch, rest);
      // Full batches first: failures can leave their records spread over several slots.
      while (rest.size() >= size_ && held_ == nullptr) {
        group.members.assign(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(size_));
        rest.erase(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(size_));
        if (!deliver(key, group)) return false;
      }
      if (held_ != nullptr) return false;
      group.members = std::move(rest);
    }
    if (!group.members.empty()) {
      if (op()->first().last == HEADRACE_LAST_DROP) {
        drop_rest(group);
      } else if (!deliver(key, group) || held_ != nullptr) {
        return false;
      }
    }
  }
  if (slots_ != nullptr) slots_->close_empty(epoch);
  return true;
}

bool Batch::take_mark(Item* mark) {
  const std::uint32_t epoch = mark->sample.epoch;
  if (!flush(epoch)) return false;
  Token* token = borrow(true);
  if (token == nullptr) return false;
  discard(intake(0).pop());
  count_ = 0;
  admit_mark(new_mark(batches_, epoch, token));
  return true;
}

void Batch::drop_rest(Group& group) {
  op()->counters().add_dropped(flow().shard(), group.members.size());
  for (Item* member : group.members) {
    flow().ledger().end(member->sample.epoch, Outcome::rest, static_cast<std::int64_t>(member->rows));
    release_member(member);
  }
  group.members.clear();
  if (group.token != nullptr) Segment::give_back(std::exchange(group.token, nullptr), true);
}

std::string Batch::waiting() const {
  std::string text = Exchange::waiting();
  for (const auto& [key, group] : groups_) {
    if (group.members.empty()) continue;
    text += fmt::format("{}{} of {} records gathered", text.empty() ? "" : ", ", group.members.size(), size_);
  }
  return text;
}

}  // namespace headrace
