// SPDX-License-Identifier: Apache-2.0
//
// The exchange of a window (shuffle): holds records under tokens of the segment it begins and has the op
// choose which goes next. It is full with `window` records, or when the next would pass the segment's cap in
// bytes; sizes alone decide, so the order is the same whatever is taken out when.

#pragma once

#include <vector>

#include "runtime/flow/exchange.h"
#include "runtime/flow/numbers.h"

namespace headrace {

class Window : public Exchange {
 public:
  /// `feeds_join`: a join further on must learn of dropped records; else they end here. `served`: how many of
  /// the first epoch were delivered before this run.
  Window(Flow& flow, OpInstance& op, Segment& out, bool feeds_join, std::uint64_t served);
  std::string waiting() const override;

 protected:
  void turn() override;

 private:
  bool take(Item* item);
  bool take_dead(Item* item);
  bool take_mark(Item* mark);
  bool let_one_go(std::uint32_t epoch);
  static std::int64_t bytes_of(const Item& item);

  const std::size_t size_;
  const bool feeds_join_;
  std::vector<Item*> held_;  ///< oldest first
  std::int64_t held_bytes_ = 0;
  Item* chosen_ = nullptr;  ///< waits for a row
  std::uint64_t ordinal_ = 0;
  Numbers numbers_;
};

}  // namespace headrace
