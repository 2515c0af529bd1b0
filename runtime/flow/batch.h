// SPDX-License-Identifier: Apache-2.0
//
// The exchange of a reduce: gathers records into batches. Batch b of a group holds the successes bB ...
// bB+B-1 in sequence, whatever threads and slots there are (order: any: in completion order). The batch's
// item, with its records as members, then enters the segment that the reduce begins, whose first stage calls
// the op to collate it.

#pragma once

#include <map>
#include <memory>

#include "runtime/flow/blank_rows.h"
#include "runtime/flow/exchange.h"
#include "runtime/flow/slots.h"
#include "runtime/flow/start.h"

namespace headrace {

class Batch : public Exchange {
 public:
  /// `slots` is null where no field's rows are lent. `collated` is the reduce's wiring: its inputs are cells
  /// of the arriving items.
  Batch(Flow& flow, OpInstance& op, Segment& out, ItemPool& batches, Slots* slots, FrameWiring collated,
        BlankRows blanks, const ReduceStart& start);
  /// The group an item belongs to, as the op assigns it. False when it refused: the flow has failed. [turn of
  /// this or of upstream]
  bool assign(Item* item, std::uint64_t& group);
  std::string waiting() const override;

 protected:
  void turn() override;
  void seen(Item& item) override;

 private:
  struct Group {
    std::vector<Item*> members;
    Token* token = nullptr;  ///< without slots: of the open batch
  };

  /// Dropped, failed, or part of a batch that was delivered before this run began.
  bool is_no_member(const Item& item) const {
    return item.state == Item::State::dead || (item.in_play() && served_.covers(item));
  }
  bool take(Item* item);
  bool take_mark(Item* mark);
  bool take_row(Item* item);
  bool deliver(std::uint64_t key, Group& group);
  void send(std::uint64_t key, Group& group, Slot* slot);
  bool gather_done(std::uint64_t key, Group& group, std::uint32_t epoch);
  bool flush(const Item& mark);
  bool fill_up(const Item& mark);
  bool fill(std::uint64_t key, Group& group, std::uint64_t missing, const Item& mark);
  bool add_blank(std::uint64_t key, Group& group, const Item& mark);
  void drop_rest(Group& group);
  std::uint64_t rows_due(std::uint64_t dealt) const;
  Token* borrow(bool mark) {
    return slots_ != nullptr ? slots_->borrow(mark) : mark ? out()->try_borrow_mark() : out()->try_borrow();
  }

  ItemPool& batches_;
  Slots* slots_;
  const FrameWiring wiring_;
  BlankRows blanks_;
  const std::size_t size_;
  std::map<std::uint64_t, Group> groups_;
  Item* held_ = nullptr;    ///< a batch that waits for a row of the next reduce
  std::uint64_t count_;     ///< batches of this epoch so far
  std::uint64_t gathered_;  ///< records of this epoch so far, made-up ones among them
  std::uint64_t end_;       ///< number after the last record of those batches
  Served served_;           ///< as a checkpoint says, in the epoch that the run begins with
};

}  // namespace headrace
