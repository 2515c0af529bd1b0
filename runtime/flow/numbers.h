// SPDX-License-Identifier: Apache-2.0
//
// The numbers that an exchange gives to what it lets out, within an epoch, so that a run that goes on in the
// middle of one knows what was delivered. Used by the turns of windows, mixes and expands.

#pragma once

#include <cstdint>

#include "runtime/flow/item.h"

namespace headrace {

class Numbers {
 public:
  /// `served`: in the first epoch, how many were delivered before this run.
  explicit Numbers(std::uint64_t served) : served_(served) {}

  /// Numbers the record; true when it was delivered before and is to be discarded.
  bool was_served(Item& item) {
    item.end = ++count_;
    return count_ <= served_;
  }
  void end_epoch() { count_ = served_ = 0; }

 private:
  std::uint64_t count_ = 0;
  std::uint64_t served_;
};

}  // namespace headrace
