// SPDX-License-Identifier: Apache-2.0
//
// The exchange of a map whose output lives under tokens of its own: a transfer to a device. The item keeps
// its former token too, until the op has copied what that guards.

#pragma once

#include "runtime/flow/exchange.h"

namespace headrace {

class Transfer : public Exchange {
 public:
  using Exchange::Exchange;

 protected:
  void turn() override;

 private:
  Item* held_ = nullptr;  ///< has its token and waits for a row
};

}  // namespace headrace
