// SPDX-License-Identifier: Apache-2.0
//
// A record on its way: cells for its fields, who it is, the token it lives by and the row it may write to.
// Pointer-sized in messages, pooled, touched by one thread at a time.

#pragma once

#include <headrace/record.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "runtime/flow/tbb.h"
#include "runtime/memory/pool.h"
#include "runtime/state/ledger.h"

namespace headrace {

class Segment;
class Slots;
struct Slot;

/// The right to keep one item alive in one segment, shared by the copies that a fan-out made. The last copy
/// to leave gives it back.
struct Token {
  Segment* segment = nullptr;
  bool is_mark = false;
  std::atomic<std::uint32_t> copies{1};
  std::atomic<std::int64_t> held_bytes{0};     ///< memory its copies hold now
  std::atomic<std::int64_t> charged_bytes{0};  ///< what the segment counts for it
  Token* next = nullptr;
};

/// One field of a record. `buffer` keeps the value's memory; without one the memory is a row of a batch.
struct Cell {
  headrace_value value{};
  BufferRef buffer;
  bool present = false;
};

/// Where the record writes its fields that go into a batch.
struct Row {
  Slots* slots = nullptr;
  Slot* slot = nullptr;
  std::uint32_t index = 0;
};

class ItemPool;

struct Item {
  enum class State : std::uint8_t {
    alive,
    blank,  ///< failed, and on_error said mask: goes on to its batch without fields, and no op is called for
            ///< it
    dead,   ///< dropped or failed; keeps its place in the sequence until it has passed the segment's end
    mark    ///< the end of an epoch, in its place in the sequence
  };

  Item* next = nullptr;
  ItemPool* home = nullptr;
  Token* token = nullptr;
  Token* former = nullptr;  ///< device transfer: the upstream token, until what it guards was copied
  std::uint64_t sequence = 0;
  std::uint64_t ready_ns = 0;  ///< when the last node was done with it
  headrace_sample sample{};
  Row row;
  std::uint64_t ordinal = 0;  ///< a batch: its number in the epoch
  std::uint64_t end =
      0;  ///< number after the last record that it is made of; graph/seek.h says whose numbers
  std::uint64_t rows = 1;   ///< a batch: its samples, also where batches are batched
  std::uint64_t real = 1;   ///< of those, samples that are neither padding nor blank; one that failed keeps
                            ///< its count, which the blank rows of its batch then have not
  std::uint64_t dealt = 0;  ///< a mark: records that the epoch had before any was skipped or dropped
  std::uint64_t index = 0;  ///< of an indexed source; the group of a batch
  std::vector<Item*> members;  ///< a batch before it is collated; keeps its capacity
  State state = State::alive;
  bool is_batch = false;
  bool padding = false;                  ///< beyond the epoch's order, at a position that pad or wrap added
  Outcome outcome = Outcome::in_flight;  ///< dead or blank: what its samples were counted as, if they were
  std::span<Cell> cells;

  bool alive() const { return state == State::alive; }
  /// Samples of it that have not ended yet, for the ledger: padding has, from the beginning, and what is
  /// masked.
  std::int64_t in_flight() const {
    return in_play() && outcome == Outcome::in_flight ? static_cast<std::int64_t>(real) : 0;
  }
  /// Has a place in its batch.
  bool in_play() const { return state == State::alive || state == State::blank; }
  /// How long it has stood ready at `until_ns`.
  std::uint64_t waited_ns(std::uint64_t until_ns) const {
    return ready_ns == 0 || ready_ns > until_ns ? 0 : until_ns - ready_ns;
  }
  /// Lets go of one field's memory, and of the bytes its token holds for it.
  void clear(Cell& cell) const;
  void clear_cells();
  /// What names it to people, made printable: its path or key; "" where it has none.
  std::string name() const;
  /// "sample 17 of epoch 0", "batch 3 of epoch 0"
  std::string number() const;
  /// "sample 17 of epoch 0 (photos/cat/1.jpg)"
  std::string title() const;
};

/// Items of one layout. Grows when it must, never shrinks; in steady state it allocates nothing. [any thread]
class ItemPool {
 public:
  /// `name_cell`: the cell that names a record to people (its path or key), or -1.
  explicit ItemPool(std::size_t cells, std::int32_t name_cell) : cells_(cells), name_cell_(name_cell) {}
  ~ItemPool();
  ItemPool(const ItemPool&) = delete;
  ItemPool& operator=(const ItemPool&) = delete;

  Item* take();
  /// The item must have given up its token and row.
  void give_back(Item* item);
  std::int32_t name_cell() const { return name_cell_; }

 private:
  struct Block {
    Item item;
    std::unique_ptr<Cell[]> cells;
  };
  const std::size_t cells_;
  const std::int32_t name_cell_;
  oneapi::tbb::spin_mutex mutex_;
  Item* free_ = nullptr;
  std::vector<std::unique_ptr<Block>> blocks_;
};

}  // namespace headrace
