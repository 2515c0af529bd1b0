// SPDX-License-Identifier: Apache-2.0

#include "runtime/flow/join.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/flow/flow.h"
#include "runtime/flow/op.h"
#include "runtime/state/philox.h"

namespace headrace {

std::size_t Join::Hash::operator()(const Key& key) const {
  std::uint64_t h = mix(key.position, (std::uint64_t{key.epoch} << 32U) | key.depth);
  for (std::uint32_t d = 0; d < key.depth; ++d) h = mix(h, key.ordinals[d]);
  return h;
}

Join::Join(Flow& flow, OpInstance& op, Segment& out, ItemPool& items, std::vector<CellMap> maps,
           std::uint32_t leader)
    : Exchange(flow, &op, &out),
      items_(items),
      maps_(std::move(maps)),
      leader_(leader),
      ended_(maps_.size(), false) {}

Join::Key Join::key_of(const Item& item) {
  Key key;
  key.epoch = item.sample.epoch;
  key.depth = item.sample.depth;
  key.position = item.sample.position;
  std::copy_n(item.sample.ordinals, item.sample.depth, key.ordinals.begin());
  return key;
}

void Join::turn() {
  for (;;) {
    if (held_ != nullptr) {
      if (!admit(held_)) return;
      held_ = nullptr;
    }
    gather();
    if (!emit()) return;
    if (held_ != nullptr) continue;
    if (std::find(ended_.begin(), ended_.end(), false) != ended_.end() || !end_epoch()) return;
  }
}

/// Takes in whatever has come in order; the end of an epoch stays at the head of its port until all inputs
/// have ended.
void Join::gather() {
  for (std::uint32_t p = 0; p < intake_count(); ++p) {
    while (!ended_[p] && intake(p).front() != nullptr) {
      if (intake(p).front()->state == Item::State::mark) {
        ended_[p] = true;
        if (!strict()) queue_partnerless();
        break;
      }
      Item* item = intake(p).pop();
      const Key key = key_of(*item);
      Entry& entry = entries_[key];
      entry.items[p] = item;
      entry.dead = entry.dead || item->state == Item::State::dead;
      entry.blank = entry.blank || item->state == Item::State::blank;
      ++entry.reported;
      if (item->in_play()) op()->counters().add_in(flow().shard(), item->waited_ns(now_ns()));
      if (strict() ? p == leader_ : complete(entry)) queue(key, entry);
    }
  }
}

/// Order any: what waited for an input that has ended need not hold its tokens until all have, since their
/// ends may be waiting for these.
void Join::queue_partnerless() {
  for (auto& [key, entry] : entries_) {
    if (complete(entry)) queue(key, entry);
  }
}

void Join::queue(const Key& key, Entry& entry) {
  if (!std::exchange(entry.is_queued, true)) order_.push_back(key);
}

bool Join::complete(const Entry& entry) const {
  for (std::uint32_t p = 0; p < maps_.size(); ++p) {
    if (entry.items[p] == nullptr && !ended_[p]) return false;
  }
  return true;
}

/// False when it waits for something; true when all that is complete went out, or one item is held.
bool Join::emit() {
  while (!order_.empty() && held_ == nullptr) {
    const auto found = entries_.find(order_.front());
    Entry& entry = found->second;
    if (!complete(entry)) return true;
    if (entry.dead || entry.reported < maps_.size()) {
      release(entry);
    } else {
      Token* token = out()->try_borrow();
      if (token == nullptr) return false;
      held_ = join(entry, token);
    }
    entries_.erase(found);
    order_.pop_front();
  }
  return true;
}

Item* Join::join(Entry& entry, Token* token) {
  Item* item = items_.take();
  item->token = token;
  item->sample = entry.items[0]->sample;
  item->end = entry.items[0]->end;
  item->index = entry.items[0]->index;
  item->rows = entry.items[0]->rows;
  item->real = entry.items[0]->real;
  item->state = entry.blank ? Item::State::blank : Item::State::alive;
  const bool is_masked = std::any_of(entry.items.begin(), entry.items.end(), [](const Item* one) {
    return one != nullptr && one->outcome == Outcome::masked;
  });
  item->outcome = is_masked ? Outcome::masked : Outcome::in_flight;
  item->is_batch = entry.items[0]->is_batch;
  item->ready_ns = now_ns();
  for (std::size_t p = 0; p < maps_.size(); ++p) {
    item->real = std::min(item->real, entry.items[p]->real);
    item->padding = item->padding || entry.items[p]->padding;
    if (!entry.blank) {
      for (const auto& [from, to] : maps_[p]) share_cell(entry.items[p]->cells[from], item->cells[to], token);
    }
  }
  make_one(entry, *item);
  for (std::size_t p = 0; p < maps_.size(); ++p) {
    discard(entry.items[p]);
  }
  op()->counters().add_out(flow().shard());
  return item;
}

/// A record without all its partners. What died was counted where it died; a sample that did so on several
/// branches ended once, by a failure if there was one.
void Join::release(Entry& entry) {
  const Item* ended = nullptr;
  for (const Item* item : entry.items) {
    if (item == nullptr || (item->in_play() && entry.dead)) continue;
    const bool was_counted = item->in_play() || item->outcome != Outcome::in_flight;
    if (was_counted && (ended == nullptr || ended->outcome == Outcome::dropped)) ended = item;
  }
  for (Item* item : entry.items) {
    if (item == nullptr) continue;
    if (item->in_play() && !entry.dead) op()->counters().add_dropped(flow().shard());
    settle(*item, item == ended);
    discard(item);
  }
}

/// The partners are one sample from here on; one that was masked on several branches was so once.
void Join::make_one(const Entry& entry, const Item& joined) {
  std::int64_t running = 0;
  std::int64_t masked = 0;
  for (const Item* item : entry.items) {
    if (item == nullptr) continue;
    running += item->in_flight();
    masked += item->outcome == Outcome::masked ? static_cast<std::int64_t>(item->real) : 0;
  }
  Ledger& ledger = flow().ledger();
  const std::uint32_t epoch = joined.sample.epoch;
  const std::int64_t doubles = masked > 0 ? masked - static_cast<std::int64_t>(joined.real) : 0;
  ledger.enter(epoch, joined.in_flight() - running - doubles);
  ledger.end(epoch, Outcome::masked, -doubles);
}

/// The one that `is_end` of its sample keeps its outcome, or is dropped here; any other was a copy.
void Join::settle(const Item& item, bool is_end) {
  const auto samples = static_cast<std::int64_t>(item.real);
  if (is_end) {
    if (item.in_play()) end_samples(item, Outcome::dropped);
    return;
  }
  if (!item.in_play() && item.outcome == Outcome::in_flight) return;
  flow().ledger().enter(item.sample.epoch, -samples);
  if (item.outcome != Outcome::in_flight) flow().ledger().end(item.sample.epoch, item.outcome, -samples);
}

bool Join::end_epoch() {
  Token* token = out()->try_borrow_mark();
  if (token == nullptr) return false;
  for (auto& [key, entry] : entries_) release(entry);
  entries_.clear();
  order_.clear();
  const std::uint32_t epoch = intake(0).front()->sample.epoch;
  std::uint64_t dealt = intake(0).front()->dealt;
  for (std::uint32_t p = 0; p < intake_count(); ++p) {
    dealt = std::min(dealt, intake(p).front()->dealt);
    discard(intake(p).pop());
    ended_[p] = false;
  }
  admit_mark(new_mark(items_, epoch, token, dealt));
  return true;
}

std::string Join::waiting() const {
  const std::string parked = Exchange::waiting();
  return fmt::format("{}{}{} samples without all their partners", parked, parked.empty() ? "" : ", ",
                     entries_.size());
}

}  // namespace headrace
