// SPDX-License-Identifier: Apache-2.0

#include "runtime/flow/batch.h"

#include <fmt/format.h>

#include <algorithm>

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

Batch::Batch(Flow& flow, OpInstance& op, Segment& out, ItemPool& batches, Slots* slots, FrameWiring collated,
             BlankRows blanks, const ReduceStart& start)
    : Exchange(flow, &op, &out),
      batches_(batches),
      slots_(slots),
      wiring_(std::move(collated)),
      blanks_(std::move(blanks)),
      size_(static_cast<std::size_t>(op.first().batch_size)),
      count_(start.ordinal),
      gathered_(start.ordinal * size_),
      end_(start.served.end),
      served_(start.served) {}

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
  if (strict() && item.in_play() && item.row.slot != nullptr) slots_->done(&item);
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
    if (is_no_member(*item)) {
      discard_served(intake(0).pop());
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
  ++gathered_;
  return item->alive() || blanks_.write(item);
}

/// Order any: the batch is whichever slot has all its rows done.
bool Batch::take_row(Item* item) {
  intake(0).pop();
  Slot& slot = *item->row.slot;
  Segment::give_back(exchange_token(item, slot.token), true);
  Group& group = groups_[slot.group];
  ++gathered_;
  if (!item->alive() && !blanks_.write(item)) return false;
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
  batch->rows = batch->real = 0;
  for (const Item* member : batch->members) {
    batch->rows += member->rows;
    batch->real += static_cast<std::uint64_t>(member->in_flight());
    end_ = std::max(end_, member->end);
  }
  batch->end = end_;
  batch->index = key;
  if (!blanks_.write_masks(batch)) return;
  batch->ready_ns = now_ns();
  if (!admit(batch)) held_ = batch;
}

bool Batch::flush(const Item& mark) {
  if (slots_ != nullptr && !strict()) {
    for (auto& [key, group] : groups_) {
      if (group.members.empty() && !gather_done(key, group, mark.sample.epoch)) return false;
    }
  }
  if (op()->first().count.fills && !fill_up(mark)) return false;
  for (auto& [key, group] : groups_) {
    if (group.members.empty()) continue;
    if (op()->first().last == HEADRACE_LAST_PARTIAL) {
      if (!deliver(key, group) || held_ != nullptr) return false;
    } else {
      drop_rest(group);
    }
  }
  if (slots_ != nullptr) slots_->close_empty(mark.sample.epoch);
  return true;
}

/// Order any: what stands done in several slots. False when a batch of it waits for something.
bool Batch::gather_done(std::uint64_t key, Group& group, std::uint32_t epoch) {
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
  return true;
}

/// Rows of an epoch of `dealt` records: so many that every rank has whole batches, and as many of them.
std::uint64_t Batch::rows_due(std::uint64_t dealt) const {
  const headrace_last last = op()->first().last;
  const bool goes_on = last == HEADRACE_LAST_PAD || last == HEADRACE_LAST_WRAP;
  return (dealt / size_ + (goes_on && dealt % size_ != 0 ? 1 : 0)) * size_;
}

/// Makes up what was skipped or dropped, and the rest of a last batch whose length nobody knew; of groups the
/// rest alone, since nobody knows how many records each has. False when it waits for something.
bool Batch::fill_up(const Item& mark) {
  if (op()->table().assign == nullptr) {
    const std::uint64_t due = rows_due(mark.dealt);
    while (gathered_ < due) {
      Group& group = groups_[0];
      if (!fill(0, group, std::min<std::uint64_t>(due - gathered_, size_ - group.members.size()), mark))
        return false;
    }
    return true;
  }
  for (auto& [key, group] : groups_) {
    if (!group.members.empty() && !fill(key, group, size_ - group.members.size(), mark)) return false;
  }
  return true;
}

bool Batch::fill(std::uint64_t key, Group& group, std::uint64_t missing, const Item& mark) {
  for (; missing > 0; --missing) {
    if (!add_blank(key, group, mark)) return false;
  }
  return group.members.size() < size_ || (deliver(key, group) && held_ == nullptr);
}

bool Batch::add_blank(std::uint64_t key, Group& group, const Item& mark) {
  Item* blank = blanks_.make(*mark.home, mark.sample.epoch);
  Token* token = nullptr;
  if (slots_ == nullptr) {
    if (group.token == nullptr) group.token = borrow(false);
    token = group.token;
  } else if (slots_->lend(blank, key) == Slots::Lend::ok) {
    slots_->done(blank);
    token = blank->row.slot->token;
  }
  if (token == nullptr) {
    blank->home->give_back(blank);
    return false;
  }
  exchange_token(blank, token);
  group.members.push_back(blank);
  ++gathered_;
  const auto rows = static_cast<std::int64_t>(blank->rows);
  flow().ledger().enter(mark.sample.epoch, rows);
  flow().ledger().end(mark.sample.epoch, Outcome::padded, rows);
  return blanks_.write(blank);
}

bool Batch::take_mark(Item* mark) {
  const std::uint32_t epoch = mark->sample.epoch;
  if (!flush(*mark)) return false;
  Token* token = borrow(true);
  if (token == nullptr) return false;
  discard(intake(0).pop());
  const std::uint64_t batches = std::exchange(count_, 0);
  gathered_ = 0;
  end_ = 0;
  served_ = {};
  if (slots_ != nullptr) slots_->begin_epoch(epoch + 1);
  admit_mark(new_mark(batches_, epoch, token, batches));
  return true;
}

void Batch::drop_rest(Group& group) {
  op()->counters().add_dropped(flow().shard(), group.members.size());
  for (Item* member : group.members) {
    end_samples(*member, Outcome::rest);
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
