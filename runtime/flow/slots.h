// SPDX-License-Identifier: Apache-2.0
//
// The open batches of a reduce that lends rows. A slot is the memory of one batch and that batch's token. An
// item entering the segment that ends in the batch borrows a row, in sequence; ops then write the row in
// place. Rows are provisional: a failure returns its row at once, the next item gets it, and before a batch
// is delivered its rows are moved into order (rows_moved; none where nothing failed).

#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "runtime/flow/item.h"
#include "runtime/graph/plan.h"

namespace headrace {

class Exchange;
class Flow;
class OpInstance;
class Segment;

/// One output port of the reduce whose rows are lent.
struct SlotPort {
  std::uint32_t port = 0;
  std::uint32_t cell = 0;  ///< of the batch's item
  const Field* spec = nullptr;
  const headrace_allocator* memory = nullptr;
};

struct Slot {
  enum class RowState : std::uint8_t { free, lent, done };
  struct Lent {
    Item* item = nullptr;
    RowState state = RowState::free;
  };
  struct Memory {
    BufferRef buffer;
    std::size_t row_bytes = 0;
    std::int64_t shape[HEADRACE_MAX_DIMS] = {};  ///< of a row
    std::int32_t ndim = 0;
  };
  Token* token = nullptr;
  std::uint32_t epoch = 0;
  std::uint64_t group = 0;
  std::vector<Lent> rows;
  std::vector<Memory> memory;  ///< by SlotPort
  std::vector<std::uint32_t> returned;
  std::uint32_t fresh = 0;  ///< rows from here on were never lent
  std::uint32_t done = 0;
};

class Slots {
 public:
  /// `op` is the reduce, which begins `out`.
  Slots(Flow& flow, OpInstance& op, Segment& out, std::uint32_t rows, bool by_size,
        std::vector<SlotPort> ports);

  /// The exchange that begins the segment before: asked to try again when a row may be had.
  void set_upstream(Exchange* upstream) { upstream_ = upstream; }
  const std::vector<SlotPort>& ports() const { return ports_; }
  std::uint32_t batch_rows() const { return batch_rows_; }

  /// From now on no row is lent to an epoch before begin_epoch() of it: batches of the one before may need
  /// tokens for rows that are made up at its end, and records of the next could hold them all. [building]
  void hold_epochs_apart(std::uint32_t first_epoch) { epoch_ = first_epoch; }
  /// Records of that epoch may have rows. [batch's turn]
  void begin_epoch(std::uint32_t epoch);

  enum class Lend { ok, full, failed };
  /// Gives the item a row; opens a slot when it must. `full`: upstream is called when that changes. `failed`:
  /// the op refused, the flow has failed. `group` as the op assigned it. [upstream's turn; batch's turn, for
  /// a record that it makes up]
  Lend lend(Item* item, std::uint64_t group);
  /// The item's row is free again. [any worker]
  void give_back(Item* item, bool inside);
  /// A fan-out's copy goes on to the batch: the row is its own now. [any worker]
  void hand_over(Item* item, Item* copy);
  /// The item has written its row. True when all rows of its slot are done. [batch's turn]
  bool done(Item* item);
  /// Where an item's row of that output port lies. [whoever has the item]
  void* row_data(const Row& row, std::uint32_t port) const;
  /// Makes all of an item's row zeros. [whoever has the item]
  void blank(const Row& row) const;

  /// The oldest open slot of a group and epoch, or nullptr. [batch's turn]
  Slot* front(std::uint64_t group, std::uint32_t epoch);
  /// True when no row of the slot is being written to: its rows may be moved. [batch's turn]
  bool settled(const Slot& slot);
  /// Moves the members' rows into order at the head of `slot`. Returns how many rows were copied. [batch's
  /// turn]
  std::uint64_t arrange(Slot& slot, const std::vector<Item*>& members);
  /// The done items of a group and epoch, slot by slot, row by row; for the end of an epoch in order any.
  /// [batch's turn]
  void done_items(std::uint64_t group, std::uint32_t epoch, std::vector<Item*>& out);
  /// Takes the slot out: its memory goes to the batch's cells, its members' rows are theirs no more. [batch's
  /// turn]
  void seal(Slot& slot, Item* batch);
  /// Closes slots that nobody uses: their tokens come back. [batch's turn, at the end of an epoch]
  void close_empty(std::uint32_t epoch);
  /// Borrows a token of the batch's segment; here since two exchanges may want one at once.
  Token* borrow(bool mark);
  /// Has the upstream exchange a turn if it waits for a row. [batch's turn]
  void wake_upstream();

 private:
  Slot* open(std::uint64_t group, std::uint32_t epoch, bool& failed);
  void move_row(Slot& slot, std::uint32_t index, Item* item);
  void point_at_row(Item* item, const Row& from, const Row& to) const;

  Flow& flow_;
  OpInstance& op_;
  Segment& out_;
  Exchange* upstream_ = nullptr;
  const std::uint32_t batch_rows_;
  const bool by_size_;
  const std::vector<SlotPort> ports_;
  mutable std::mutex mutex_;
  std::deque<std::unique_ptr<Slot>> open_;
  std::vector<std::unique_ptr<Slot>> spare_;
  bool upstream_waits_ = false;
  std::optional<std::uint32_t> epoch_;  ///< none: rows are lent to any
};

}  // namespace headrace
