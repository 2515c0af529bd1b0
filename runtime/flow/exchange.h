// SPDX-License-Identifier: Apache-2.0
//
// Where tokens change hands. Each kind of exchange (inlet, batch, shuffle, zip, mix, expand, transfer,
// outlet) has its turn(): it looks at what has arrived and what tokens there are, moves what can be moved and
// returns. Turns of one exchange never overlap: whoever asks while one is running has it run once more. So a
// turn needs no lock, nobody waits, and no call for a turn is lost.

#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "runtime/flow/intake.h"
#include "runtime/flow/segment.h"
#include "runtime/flow/stage.h"

namespace headrace {

class Flow;
class OpInstance;

class Exchange {
 public:
  /// `op` may be null (an outlet). `out` is the segment this exchange begins, null for an outlet.
  Exchange(Flow& flow, OpInstance* op, Segment* out);
  virtual ~Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  /// Adds the end of a segment; the number that arrive() takes. [building]
  std::uint32_t add_intake(std::int64_t cap_items);
  /// Where the items go that this exchange lets into its segment. [building]
  void set_first(std::vector<Target> first) { first_ = std::move(first); }
  /// The segment ends in a batch that lends rows: its items get one on entering. `group_of` is empty where
  /// there is one group; it returns false when the op refused and the flow has failed. [building]
  void set_slots(Slots* slots, std::function<bool(Item*, std::uint64_t&)> group_of) {
    slots_ = slots;
    group_of_ = std::move(group_of);
  }
  Segment* out() const { return out_; }
  OpInstance* op() const { return op_; }

  /// An item has come to the end of its segment. [any worker or I/O thread; `inside`: a worker]
  void arrive(std::uint32_t port, Item* item, bool inside);
  /// Have a turn soon. [any thread; `inside`: it is one of the flow's workers, which may then run the turn
  /// itself]
  void request(bool inside);
  /// Runs the turns that were asked for. [a worker of the flow]
  void run_turns();

  /// For the report of a deadlock: what stands here and what it waits for.
  virtual std::string waiting() const;

 protected:
  virtual void turn() = 0;
  /// Called for each arrival before turn(), in no order. [turn]
  virtual void seen(Item&) {}

  /// True in the middle of a segment.
  virtual bool is_stage() const { return false; }

  bool strict() const;
  Intake& intake(std::uint32_t i) { return intakes_[i]; }
  const Intake& intake(std::uint32_t i) const { return intakes_[i]; }
  std::uint32_t intake_count() const { return static_cast<std::uint32_t>(intakes_.size()); }

  /// Lets an item that has its token into the segment: gives it its row and number and sends it on. False,
  /// and nothing is done, when there is no row; then this exchange has a turn when there is. [turn]
  bool admit(Item* item);
  /// The first half of admit(), for an op that writes before the item is let in. [turn]
  bool lend_row(Item* item);
  /// The end of an epoch goes on; `mark` has its token from try_borrow_mark(). [turn]
  void admit_mark(Item* mark);
  /// `dealt`: see Item.
  static Item* new_mark(ItemPool& pool, std::uint32_t epoch, Token* token, std::uint64_t dealt);
  /// Lets go of an item: token, row, memory. [turn]
  static void discard(Item* item);
  /// The same of one that was delivered before this run: it is no sample of this run's account.
  void discard_served(Item* item);
  /// The record's samples end here as `outcome`; what was masked ends so too, since no row stands in its
  /// place.
  void end_samples(const Item& item, Outcome outcome);
  /// Gives `item` the token instead of the one it has, with the bytes it holds. The former comes back.
  static Token* exchange_token(Item* item, Token* token);

  Flow& flow() const { return flow_; }

 private:
  Flow& flow_;
  OpInstance* op_;
  Segment* out_;
  Slots* slots_ = nullptr;
  std::function<bool(Item*, std::uint64_t&)> group_of_;
  std::vector<Target> first_;
  std::deque<Intake> intakes_;
  std::uint64_t next_sequence_ = 0;
  std::atomic<std::uint32_t> requests_{0};
};

/// A copy for another branch of a fan-out: shares token and memory, has no row.
Item* copy_of(const Item& item);
/// `to` holds the same memory as `from`, on account of `token`.
void share_cell(const Cell& from, Cell& to, Token* token);

}  // namespace headrace
