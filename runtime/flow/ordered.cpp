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

void Ordered::send_on(Item* item) {
  flow().work_begin(1);
  Stage::send(flow(), targets_, item, true);
}

}  // namespace headrace
