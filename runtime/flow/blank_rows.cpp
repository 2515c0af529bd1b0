// SPDX-License-Identifier: Apache-2.0

#include "runtime/flow/blank_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "runtime/flow/flow.h"
#include "runtime/flow/segment.h"
#include "runtime/flow/slots.h"

namespace headrace {

namespace {

/// What the data of an empty text points at.
constexpr char kNoText = 0;

void describe(headrace_value& value, const Field& spec) {
  value = {};
  value.kind = spec.kind;
  value.dtype = spec.dtype;
  value.layout = spec.layout;
  value.device = {HEADRACE_CPU, 0};
  value.ndim = static_cast<std::int32_t>(spec.dims.size());
  for (std::size_t d = 0; d < spec.dims.size(); ++d) value.shape[d] = spec.dims[d];
}

}  // namespace

Item* BlankRows::make(ItemPool& pool, std::uint32_t epoch) const {
  Item* item = pool.take();
  item->state = Item::State::blank;
  item->sample = {};
  item->sample.size = sizeof(headrace_sample);
  item->sample.epoch = epoch;
  item->sample.position = std::numeric_limits<std::uint64_t>::max();
  item->rows = samples_;
  item->real = 0;
  item->ready_ns = 0;
  return item;
}

bool BlankRows::take(Item* item, Cell& cell, std::size_t bytes) const {
  cell.buffer = flow_.pool().take(bytes);
  if (!cell.buffer) {
    flow_.fail(
        {Code::out_of_memory, fmt::format("no memory for a row that does not count: {} bytes", bytes)});
    return false;
  }
  if (item->token != nullptr) Segment::hold(item->token, static_cast<std::int64_t>(cell.buffer.capacity()));
  cell.value.data = cell.buffer.data();
  cell.present = true;
  return true;
}

bool BlankRows::write(Item* item) const {
  if (item->row.slot != nullptr) item->row.slots->blank(item->row);
  for (const BlankField& field : fields_) {
    Cell& cell = item->cells[field.cell];
    describe(cell.value, *field.spec);
    if (field.spec->kind != HEADRACE_TENSOR) {
      cell.value.shape[0] = 0;
      cell.value.data = const_cast<char*>(&kNoText);  // there is nothing to write to
      cell.present = true;
    } else if (field.row_port >= 0 && item->row.slot != nullptr) {
      cell.value.data = item->row.slots->row_data(item->row, static_cast<std::uint32_t>(field.row_port));
      cell.present = true;
    } else {
      const auto bytes = static_cast<std::size_t>(field.spec->known_bytes());
      if (!take(item, cell, bytes)) return false;
      std::memset(cell.value.data, 0, bytes);
    }
  }
  return true;
}

bool BlankRows::write_masks(Item* batch) const {
  for (const MaskWiring& mask : masks_) {
    Cell& cell = batch->cells[mask.cell];
    const std::size_t rows = batch->members.size();
    std::size_t row_bytes = 1;
    for (std::size_t d = 1; d < mask.spec->dims.size(); ++d)
      row_bytes *= static_cast<std::size_t>(mask.spec->dims[d]);
    describe(cell.value, *mask.spec);
    cell.value.shape[0] = static_cast<std::int64_t>(rows);
    if (!take(batch, cell, rows * row_bytes)) return false;
    auto* to = static_cast<std::uint8_t*>(cell.value.data);
    for (const Item* member : batch->members) {
      if (mask.from >= 0 && member->alive()) {
        std::memcpy(to, member->cells[static_cast<std::size_t>(mask.from)].value.data, row_bytes);
      } else {
        std::memset(to, is_counted(*member) ? 1 : 0, row_bytes);
      }
      to += row_bytes;
    }
  }
  return true;
}

}  // namespace headrace
