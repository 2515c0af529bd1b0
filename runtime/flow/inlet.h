// SPDX-License-Identifier: Apache-2.0
//
// The exchange a sample comes in by: a source. While its segment lends tokens it makes items: of an indexed
// source only their numbers, in the epoch's order, the op being called later by the segment's first stage; of
// a stream by calling the op, one call at a time.

#pragma once

#include <memory>

#include "runtime/flow/exchange.h"
#include "runtime/flow/serial_call.h"
#include "runtime/flow/start.h"
#include "runtime/state/permutation.h"

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
  void take_answer();
  void fill(Item* item) const;
  /// A stream can only be read from its beginning, or from where its op saved its state.
  bool keep_state();

  ItemPool& items_;
  const std::uint32_t number_;
  const FrameWiring wiring_;
  const std::int64_t epochs_;
  std::uint32_t epoch_;
  std::uint64_t position_;
  std::uint64_t served_until_;  ///< in the first epoch: samples before it were delivered before this run
  std::unique_ptr<Permutation> order_;
  Item* held_ = nullptr;  ///< has its token and waits for a row
  bool epoch_over_ = false;
  bool finished_ = false;
  SerialCall call_;  ///< of a stream
};

}  // namespace headrace
