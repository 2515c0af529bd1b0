// SPDX-License-Identifier: Apache-2.0

#include "runtime/flow/transfer.h"

#include "runtime/flow/flow.h"

namespace headrace {

void Transfer::turn() {
  for (;;) {
    if (held_ != nullptr) {
      if (!admit(held_)) return;
      held_ = nullptr;
    }
    Item* item = intake(0).front();
    if (item == nullptr) return;
    const bool is_mark = item->state == Item::State::mark;
    Token* token = is_mark ? out()->try_borrow_mark() : out()->try_borrow();
    if (token == nullptr) return;
    intake(0).pop();
    Token* former = exchange_token(item, token);
    if (is_mark) {
      Segment::give_back(former, true);
      admit_mark(item);
      continue;
    }
    if (item->alive()) {
      item->former = former;
    } else {
      Segment::give_back(former, true);
    }
    if (!admit(item)) held_ = item;
  }
}

}  // namespace headrace
