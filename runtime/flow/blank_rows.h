// SPDX-License-Identifier: Apache-2.0
//
// Rows that do not count: the fields of a record that failed or was made up, all zeros with empty texts, and
// the masks of a batch. Used by the exchange of a reduce, in its turns.

#pragma once

#include <cstdint>
#include <vector>

#include "runtime/flow/item.h"
#include "runtime/flow/layout.h"

namespace headrace {

class Flow;

/// A field that a reduce reads.
struct BlankField {
  std::uint32_t cell = 0;       ///< of the record
  const Field* spec = nullptr;  ///< of a fixed shape, unless it is a text
  std::int32_t row_port = -1;   ///< the batch's output port whose row it is, or -1
};

class BlankRows {
 public:
  /// `pads`: a record at a position beyond the epoch's order does not count (last: pad). `samples`: in one
  /// record.
  BlankRows(Flow& flow, std::vector<BlankField> fields, std::vector<MaskWiring> masks, bool pads,
            std::uint64_t samples)
      : flow_(flow), fields_(std::move(fields)), masks_(std::move(masks)), pads_(pads), samples_(samples) {}

  /// A record that never was, of `epoch`. It has no token and no row.
  Item* make(ItemPool& pool, std::uint32_t epoch) const;
  /// Gives a blank item the fields that the reduce reads, in its row where it has one. False: the flow has
  /// failed, since there is no memory.
  bool write(Item* item) const;
  /// Gives a batch its masks, by its members. False as above.
  bool write_masks(Item* batch) const;

 private:
  bool is_counted(const Item& member) const { return member.alive() && !(pads_ && member.padding); }
  bool take(Item* item, Cell& cell, std::size_t bytes) const;

  Flow& flow_;
  std::vector<BlankField> fields_;
  std::vector<MaskWiring> masks_;
  bool pads_;
  std::uint64_t samples_;
};

}  // namespace headrace
