// SPDX-License-Identifier: Apache-2.0
//
// The exchange of an expand: each record that arrives becomes any number of children. One token is taken for
// each child before the op writes it, so a full segment suspends the record in the middle.

#pragma once

#include "runtime/flow/exchange.h"
#include "runtime/flow/numbers.h"
#include "runtime/flow/serial_call.h"

namespace headrace {

class Expand : public Exchange {
 public:
  Expand(Flow& flow, OpInstance& op, Segment& out, FrameWiring wiring, std::uint64_t served);
  ~Expand() override;

 protected:
  void turn() override;

 private:
  bool take_mark(Item* mark);
  bool next_child(Item* parent);
  void take_answer();
  void account_for(const Item& child, headrace_status answer);
  void end_parent();

  const FrameWiring wiring_;
  Item* held_ = nullptr;  ///< a child that waits for a row
  std::uint32_t ordinal_ = 0;
  std::uint64_t children_ = 0;  ///< of this epoch
  void* item_state_ = nullptr;
  Numbers numbers_;
  SerialCall call_;
};

}  // namespace headrace
