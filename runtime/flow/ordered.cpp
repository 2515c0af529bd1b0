// SPDX-License-Identifier: Apache-2.0

#include "runtime/flow/ordered.h"

#include "runtime/flow/flow.h"
#include "runtime/flow/op.h"

namespace headrace {

void Ordered::turn() {
  while (!call_.is_running()) {
    if (call_.is_answered()) {
      Item* item = call_.item();
      call_.take();
      send_on(item);
      continue;
    }
    if (intake(0).front() == nullptr) return;
    Item* item = intake(0).pop();
    if (!item->alive()) {
      if (item->state == Item::State::mark && !keep_state(*item)) return;
      send_on(item);
      continue;
    }
    op()->counters().add_in(flow().shard(), item->waited_ns(now_ns()));
    if (!call_.begin(wiring_, item, item)) {
      item->state = Item::State::dead;
      send_on(item);
    }
  }
}

/// An op's state goes on from one epoch to the next.
bool Ordered::keep_state(const Item& mark) {
  if (op()->table().save == nullptr) return true;
  if (Status status = op()->keep_state(mark.sample.epoch + 1, 0); !status.ok()) {
    flow().fail(std::move(status));
    return false;
  }
  return true;
}

void Ordered::send_on(Item* item) {
  flow().work_begin(1);
  Stage::send(flow(), targets_, item, true);
}

}  // namespace headrace
