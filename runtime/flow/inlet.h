// SPDX-License-Identifier: Apache-2.0
//
// The exchange a sample comes in by: a source. While its segment lends tokens it makes items: of an indexed
// source only their numbers, this rank's share of the epoch's order, the op being called later by the
// segment's first stage; of a stream by calling the op, one call at a time, for every record of every rank.

#pragma once

#include <memory>
#include <optional>

#include "runtime/flow/exchange.h"
#include "runtime/flow/serial_call.h"
#include "runtime/flow/start.h"
#include "runtime/state/deal.h"
#include "runtime/state/sampling.h"
#include "runtime/state/selection.h"

namespace headrace {

class Inlet : public Exchange {
 public:
  /// `number` of the source among the graph's sources; `wiring` of its frame. `epochs` 0: without end, else
  /// counted from epoch 0, wherever the run begins.
  Inlet(Flow& flow, OpInstance& op, Segment& out, ItemPool& items, std::uint32_t number, FrameWiring wiring,
        std::int64_t epochs, const Start& start);
  std::string waiting() const override;

 protected:
  void turn() override;

 private:
  bool next_epoch();
  bool take_next();
  bool take_listed();
  bool take_chosen();
  bool call_for_next();
  void take_answer();
  void end_stream();
  bool keep_state();
  void let_in(Item* item);
  Item* new_item(std::uint64_t position, Token* token) const;
  bool is_past_the_chosen() const;
  bool is_passed_over(const Item& item) const;

  ItemPool& items_;
  const std::uint32_t number_;
  const FrameWiring wiring_;
  const std::int64_t epochs_;
  const std::vector<Selection::Chosen>*
      chosen_;  ///< stands in for the epoch's order; null: the run is about all
  const StreamDeal stream_;
  std::uint32_t epoch_;
  std::optional<Deal> deal_;    ///< of this epoch; of an indexed source
  std::uint64_t dealt_before_;  ///< records that this rank had before its epoch was dealt anew
  std::uint64_t served_until_;  ///< of a stream: records before that were delivered before this run
  std::uint64_t taken_;         ///< in this epoch: of an indexed source this rank's records, of a stream all
  std::unique_ptr<const EpochOrder> order_;
  Item* held_ = nullptr;  ///< has its token and waits for a row
  Item* kept_ = nullptr;  ///< of a stream: has its token and waits for its round to be whole
  bool epoch_over_ = false;
  bool finished_ = false;
  SerialCall call_;  ///< of a stream
};

}  // namespace headrace
