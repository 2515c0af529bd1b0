// SPDX-License-Identifier: Apache-2.0
//
// The exchange a sample comes in by: a source. While its segment lends tokens it makes items: of an indexed
// source only their numbers, in the epoch's order, the op being called later by the segment's first stage; of
// a stream by calling the op, one call at a time.

#pragma once

#include <memory>

#include "runtime/flow/exchange.h"
#include "runtime/flow/serial_call.h"
#include "runtime/state/permutation.h"
#include "runtime/state/selection.h"

namespace headrace {

class Inlet : public Exchange {
 public:
  /// `number` of the source among the graph's sources; `wiring` of its frame. `epochs` 0: without end.
  Inlet(Flow& flow, OpInstance& op, Segment& out, ItemPool& items, std::uint32_t number, FrameWiring wiring,
        std::int64_t epochs);
  std::string waiting() const override;

 protected:
  void turn() override;

 private:
  bool next_epoch();
  bool take_next();
  void take_answer();
  void fill(Item* item) const;
  bool is_past_the_chosen() const;
  bool is_passed_over(const Item& item) const;

  ItemPool& items_;
  const std::uint32_t number_;
  const FrameWiring wiring_;
  const std::int64_t epochs_;
  const std::vector<Selection::Chosen>*
      chosen_;  ///< stands in for the epoch's order; null: the run is about all
  std::uint32_t epoch_ = 0;
  std::uint64_t position_ = 0;
  std::unique_ptr<Permutation> order_;
  Item* held_ = nullptr;  ///< has its token and waits for a row
  bool epoch_over_ = false;
  bool finished_ = false;
  SerialCall call_;  ///< of a stream
};

}  // namespace headrace
