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
      entry.dead = entry.dead || !item->alive();
      ++entry.reported;
      if (item->alive()) op()->counters().add_in(flow().shard(), item->waited_ns(now_ns()));
      if (strict() ? p == leader_ : complete(entry)) queue(key, entry);
    }
  }
}

/// Order any: what waited for an input that has ended need not hold its tokens until all have, since their ends may
/// be waiting for these.
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
  item->index = entry.items[0]->index;
  item->rows = entry.items[0]->rows;
  item->is_batch = entry.items[0]->is_batch;
  item->ready_ns = now_ns();
  for (std::size_t p = 0; p < maps_.size(); ++p) {
    for (const auto& [from, to] : maps_[p]) share_cell(entry.items[p]->cells[from], item->cells[to], token);
    if (p > 0) flow().ledger().enter(item->sample.epoch, -static_cast<std::int64_t>(entry.items[p]->rows));
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
    if (item == nullptr || (item->alive() && entry.dead)) continue;
    const bool was_counted = item->alive() || item->outcome != Outcome::in_flight;
    if (was_counted && (ended == nullptr || ended->outcome == Outcome::dropped)) ended = item;
  }
  for (Item* item : entry.items) {
    if (item == nullptr) continue;
    if (item->alive() && !entry.dead) op()->counters().add_dropped(flow().shard());
    settle(*item, item == ended);
    discard(item);
  }
}

/// The one that `is_end` of its sample keeps its outcome, or is dropped here; any other was a copy.
void Join::settle(const Item& item, bool is_end) {
  const auto rows = static_cast<std::int64_t>(item.rows);
  Ledger& ledger = flow().ledger();
  if (is_end) {
    if (item.alive()) ledger.end(item.sample.epoch, Outcome::dropped, rows);
    return;
  }
  const bool was_counted = item.alive() || item.outcome != Outcome::in_flight;
  if (!was_counted) return;
  ledger.enter(item.sample.epoch, -rows);
  if (!item.alive()) ledger.end(item.sample.epoch, item.outcome, -rows);
}

bool Join::end_epoch() {
  Token* token = out()->try_borrow_mark();
  if (token == nullptr) return false;
  for (auto& [key, entry] : entries_) release(entry);
  entries_.clear();
  order_.clear();
  const std::uint32_t epoch = intake(0).front()->sample.epoch;
  for (std::uint32_t p = 0; p < intake_count(); ++p) {
    discard(intake(p).pop());
    ended_[p] = false;
  }
  admit_mark(new_mark(items_, epoch, token));
  return true;
}

std::string Join::waiting() const {
  const std::string parked = Exchange::waiting();
  return fmt::format("{}{}{} samples without all their partners", parked, parked.empty() ? "" : ", ",
                     entries_.size());
}

}  // namespace headrace
