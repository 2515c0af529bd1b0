// SPDX-License-Identifier: Apache-2.0

#include "runtime/flow/slots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstring>

#include "runtime/flow/exchange.h"
#include "runtime/flow/flow.h"
#include "runtime/flow/op.h"
#include "runtime/flow/segment.h"

namespace headrace {

namespace {

std::byte* row_at(const Slot& slot, std::size_t memory, std::uint32_t index) {
  const Slot::Memory& m = slot.memory[memory];
  return static_cast<std::byte*>(m.buffer.data()) + m.row_bytes * index;
}

}  // namespace

Slots::Slots(Flow& flow, OpInstance& op, Segment& out, std::uint32_t rows, bool by_size,
             std::vector<SlotPort> ports)
    : flow_(flow), op_(op), out_(out), batch_rows_(rows), by_size_(by_size), ports_(std::move(ports)) {}

void Slots::begin_epoch(std::uint32_t epoch) {
  const std::scoped_lock lock(mutex_);
  if (epoch_) epoch_ = epoch;
}

Slots::Lend Slots::lend(Item* item, std::uint64_t group) {
  const std::scoped_lock lock(mutex_);
  if (epoch_ && item->sample.epoch > *epoch_) {
    upstream_waits_ = true;
    return Lend::full;
  }
  Slot* slot = nullptr;
  for (const auto& candidate : open_) {
    const bool has_row = !candidate->returned.empty() || candidate->fresh < batch_rows_;
    if (has_row && candidate->group == group && candidate->epoch == item->sample.epoch) {
      slot = candidate.get();
      break;
    }
  }
  bool failed = false;
  if (slot == nullptr) slot = open(group, item->sample.epoch, failed);
  if (slot == nullptr) {
    upstream_waits_ = !failed;
    return failed ? Lend::failed : Lend::full;
  }
  std::uint32_t index = slot->fresh;
  if (slot->returned.empty()) {
    ++slot->fresh;
  } else {
    const auto lowest = std::min_element(slot->returned.begin(), slot->returned.end());
    index = *lowest;
    *lowest = slot->returned.back();
    slot->returned.pop_back();
  }
  slot->rows[index] = {item, Slot::RowState::lent};
  item->row = {this, slot, index};
  return Lend::ok;
}

Slot* Slots::open(std::uint64_t group, std::uint32_t epoch, bool& failed) {
  Token* token = out_.try_borrow();
  if (token == nullptr) return nullptr;
  std::unique_ptr<Slot> slot;
  if (spare_.empty()) {
    slot = std::make_unique<Slot>();
  } else {
    slot = std::move(spare_.back());
    spare_.pop_back();
  }
  slot->token = token;
  slot->epoch = epoch;
  slot->group = group;
  slot->rows.assign(batch_rows_, {});
  slot->memory.resize(ports_.size());
  slot->returned.clear();
  slot->fresh = 0;
  slot->done = 0;
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    Slot::Memory& m = slot->memory[i];
    m.ndim = static_cast<std::int32_t>(ports_[i].spec->dims.size()) - 1;
    for (std::int32_t d = 0; d < m.ndim; ++d)
      m.shape[d] = ports_[i].spec->dims[static_cast<std::size_t>(d) + 1];
    if (by_size_ &&
        op_.table().slot_shape(op_.self(), group, ports_[i].port, m.shape, &m.ndim) != HEADRACE_OK) {
      flow_.fail({Code::internal, fmt::format("{}: no shape for group {} of '{}'", op_.title(0), group,
                                              ports_[i].spec->name)});
      failed = true;
      return nullptr;
    }
    m.row_bytes = headrace_dtype_bytes(ports_[i].spec->dtype);
    for (std::int32_t d = 0; d < m.ndim; ++d) m.row_bytes *= static_cast<std::size_t>(m.shape[d]);
    m.buffer = flow_.pool().take(m.row_bytes * batch_rows_, ports_[i].memory);
    if (!m.buffer) {
      flow_.fail({Code::out_of_memory,
                  fmt::format("{}: no memory for a batch: {} bytes of '{}'; lower its size or its tokens",
                              op_.title(0), m.row_bytes * batch_rows_, ports_[i].spec->name)});
      failed = true;
      return nullptr;
    }
    Segment::hold(token, static_cast<std::int64_t>(m.buffer.capacity()));
  }
  open_.push_back(std::move(slot));
  return open_.back().get();
}

void Slots::give_back(Item* item, bool inside) {
  bool wake = false;
  {
    const std::scoped_lock lock(mutex_);
    Slot& slot = *item->row.slot;
    if (slot.rows[item->row.index].state == Slot::RowState::done) --slot.done;
    slot.rows[item->row.index] = {};
    slot.returned.push_back(item->row.index);
    item->row = {};
    wake = std::exchange(upstream_waits_, false);
  }
  if (wake) upstream_->request(inside);
}

void Slots::hand_over(Item* item, Item* copy) {
  const std::scoped_lock lock(mutex_);
  copy->row = std::exchange(item->row, {});
  copy->row.slot->rows[copy->row.index].item = copy;
}

bool Slots::done(Item* item) {
  const std::scoped_lock lock(mutex_);
  Slot& slot = *item->row.slot;
  slot.rows[item->row.index].state = Slot::RowState::done;
  return ++slot.done == batch_rows_;
}

void* Slots::row_data(const Row& row, std::uint32_t port) const {
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    if (ports_[i].port == port) return row_at(*row.slot, i, row.index);
  }
  assert(false);
  return nullptr;
}

void Slots::blank(const Row& row) const {
  for (std::size_t i = 0; i < ports_.size(); ++i)
    std::memset(row_at(*row.slot, i, row.index), 0, row.slot->memory[i].row_bytes);
}

Slot* Slots::front(std::uint64_t group, std::uint32_t epoch) {
  const std::scoped_lock lock(mutex_);
  for (const auto& slot : open_) {
    if (slot->group == group && slot->epoch == epoch) return slot.get();
  }
  return nullptr;
}

bool Slots::settled(const Slot& slot) {
  const std::scoped_lock lock(mutex_);
  return std::none_of(slot.rows.begin(), slot.rows.end(),
                      [](const Slot::Lent& row) { return row.state == Slot::RowState::lent; });
}

void Slots::point_at_row(Item* item, const Row& from, const Row& to) const {
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    std::byte* before = row_at(*from.slot, i, from.index);
    std::byte* after = row_at(*to.slot, i, to.index);
    for (Cell& cell : item->cells) {
      auto* data = static_cast<std::byte*>(cell.value.data);
      if (cell.present && !cell.buffer && data >= before && data < before + from.slot->memory[i].row_bytes) {
        cell.value.data = after + (data - before);
      }
    }
  }
  item->row = to;
}

/// Brings `item` to row `index` of `slot`; who is there goes where it came from.
void Slots::move_row(Slot& slot, std::uint32_t index, Item* item) {
  const Row from = item->row;
  const Row to{this, &slot, index};
  Item* other = slot.rows[index].item;
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    std::byte* a = row_at(*from.slot, i, from.index);
    std::byte* b = row_at(slot, i, index);
    const std::size_t bytes = slot.memory[i].row_bytes;
    if (other == nullptr) {
      std::memcpy(b, a, bytes);
    } else {
      std::swap_ranges(a, a + bytes, b);
    }
  }
  point_at_row(item, from, to);
  if (other != nullptr) point_at_row(other, to, from);
  Slot::Lent& old_place = from.slot->rows[from.index];
  Slot::Lent& new_place = slot.rows[index];
  std::swap(old_place, new_place);
  if (from.slot == &slot || other != nullptr) {
    if (other == nullptr) std::replace(slot.returned.begin(), slot.returned.end(), index, from.index);
    return;
  }
  // The row went from one slot to a free one of another.
  --from.slot->done;
  ++slot.done;
  from.slot->returned.push_back(from.index);
  const auto it = std::find(slot.returned.begin(), slot.returned.end(), index);
  if (it != slot.returned.end()) {
    *it = slot.returned.back();
    slot.returned.pop_back();
  }
}

std::uint64_t Slots::arrange(Slot& slot, const std::vector<Item*>& members) {
  const std::scoped_lock lock(mutex_);
  std::uint64_t moved = 0;
  for (std::uint32_t i = 0; i < members.size(); ++i) {
    Item* item = members[i];
    if (item->row.slot == &slot && item->row.index == i) continue;
    for (; slot.fresh <= i; ++slot.fresh) {
      slot.returned.push_back(slot.fresh);  // never lent: from here on it counts as returned
    }
    moved += slot.rows[i].item == nullptr ? 1 : 2;
    move_row(slot, i, item);
  }
  return moved;
}

void Slots::done_items(std::uint64_t group, std::uint32_t epoch, std::vector<Item*>& out) {
  const std::scoped_lock lock(mutex_);
  for (const auto& slot : open_) {
    if (slot->group != group || slot->epoch != epoch) continue;
    for (const Slot::Lent& row : slot->rows) {
      if (row.state == Slot::RowState::done) out.push_back(row.item);
    }
  }
}

void Slots::seal(Slot& slot, Item* batch) {
  const std::scoped_lock lock(mutex_);
  batch->token = slot.token;
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    Cell& cell = batch->cells[ports_[i].cell];
    cell.buffer = std::move(slot.memory[i].buffer);
    cell.present = true;
    cell.value = {};
    cell.value.kind = HEADRACE_TENSOR;
    cell.value.data = cell.buffer.data();
    for (std::int32_t d = 0; d < slot.memory[i].ndim; ++d) cell.value.shape[d + 1] = slot.memory[i].shape[d];
  }
  for (Item* member : batch->members) member->row = {};
  const auto it = std::find_if(open_.begin(), open_.end(), [&](const auto& s) { return s.get() == &slot; });
  spare_.push_back(std::move(*it));
  open_.erase(it);
}

void Slots::close_empty(std::uint32_t epoch) {
  std::vector<Token*> tokens;
  {
    const std::scoped_lock lock(mutex_);
    for (auto it = open_.begin(); it != open_.end();) {
      const bool empty = std::all_of((*it)->rows.begin(), (*it)->rows.end(),
                                     [](const Slot::Lent& row) { return row.state == Slot::RowState::free; });
      if (!empty || (*it)->epoch != epoch) {
        ++it;
        continue;
      }
      for (Slot::Memory& m : (*it)->memory) m.buffer.reset();
      tokens.push_back((*it)->token);
      spare_.push_back(std::move(*it));
      it = open_.erase(it);
    }
  }
  for (Token* token : tokens) Segment::give_back(token, true);
}

Token* Slots::borrow(bool mark) {
  const std::scoped_lock lock(mutex_);
  return mark ? out_.try_borrow_mark() : out_.try_borrow();
}

void Slots::wake_upstream() {
  bool wake = false;
  {
    const std::scoped_lock lock(mutex_);
    wake = std::exchange(upstream_waits_, false);
  }
  if (wake) upstream_->request(true);
}

}  // namespace headrace
