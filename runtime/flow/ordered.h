// SPDX-License-Identifier: Apache-2.0
//
// A stage in the middle of a segment whose op wants the stream in order, one record at a time. No tokens
// change hands; the port is the reorder buffer and the turns keep it serial.

#pragma once

#include "runtime/flow/exchange.h"
#include "runtime/flow/serial_call.h"

namespace headrace {

class Ordered : public Exchange {
 public:
  Ordered(Flow& flow, OpInstance& op, FrameWiring wiring)
      : Exchange(flow, &op, nullptr), wiring_(std::move(wiring)), call_(flow, *this, op) {}
  void set_targets(std::vector<Target> targets) { targets_ = std::move(targets); }

 protected:
  void turn() override;
  bool is_stage() const override { return true; }

 private:
  bool keep_state(const Item& mark);
  void send_on(Item* item);

  const FrameWiring wiring_;
  std::vector<Target> targets_;
  SerialCall call_;
};

}  // namespace headrace
