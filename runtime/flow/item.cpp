// SPDX-License-Identifier: Apache-2.0

#include "runtime/flow/item.h"

#include <fmt/format.h>

#include "runtime/flow/segment.h"
#include "runtime/printable.h"

namespace headrace {

void Item::clear(Cell& cell) const {
  if (!cell.present) return;
  cell.present = false;
  cell.value.kind = 0;
  if (!cell.buffer) return;
  if (token != nullptr) Segment::hold(token, -static_cast<std::int64_t>(cell.buffer.capacity()));
  cell.buffer.reset();
}

void Item::clear_cells() {
  for (Cell& cell : cells) clear(cell);
}

std::string Item::name() const {
  const std::int32_t name = home->name_cell();
  if (name < 0 || !cells[static_cast<std::size_t>(name)].present) return {};
  const headrace_value& value = cells[static_cast<std::size_t>(name)].value;
  return printable({static_cast<const char*>(value.data), static_cast<std::size_t>(value.shape[0])});
}

std::string Item::number() const {
  std::string number = fmt::format("{} {}", is_batch ? "batch" : "sample", sample.position);
  for (std::uint32_t d = 0; d < sample.depth; ++d) number += fmt::format(".{}", sample.ordinals[d]);
  return number + fmt::format(" of epoch {}", sample.epoch);
}

std::string Item::title() const {
  const std::string named = name();
  return named.empty() ? number() : fmt::format("{} ({})", number(), named);
}

ItemPool::~ItemPool() = default;

Item* ItemPool::take() {
  {
    const oneapi::tbb::spin_mutex::scoped_lock lock(mutex_);
    if (free_ != nullptr) {
      Item* item = std::exchange(free_, free_->next);
      item->next = nullptr;
      return item;
    }
  }
  auto block = std::make_unique<Block>();
  block->cells = std::make_unique<Cell[]>(cells_);
  block->item.cells = {block->cells.get(), cells_};
  block->item.home = this;
  Item* item = &block->item;
  const oneapi::tbb::spin_mutex::scoped_lock lock(mutex_);
  blocks_.push_back(std::move(block));
  return item;
}

void ItemPool::give_back(Item* item) {
  item->clear_cells();
  item->token = nullptr;
  item->former = nullptr;
  item->row = {};
  item->members.clear();
  item->state = Item::State::alive;
  item->ordinal = 0;
  item->end = 0;
  item->rows = 1;
  item->real = 1;
  item->dealt = 0;
  item->is_batch = false;
  item->padding = false;
  item->outcome = Outcome::in_flight;
  item->index = 0;
  const oneapi::tbb::spin_mutex::scoped_lock lock(mutex_);
  item->next = std::exchange(free_, item);
}

}  // namespace headrace
