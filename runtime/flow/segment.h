// SPDX-License-Identifier: Apache-2.0
//
// A segment's budget: how many items and bytes may be alive in it. Borrowed from by the exchange that begins
// the segment, one thread at a time; given back by whoever lets the last copy of an item go. Nobody ever
// waits here: who finds it full parks what it has, and every token that comes back calls that exchange again.
//
// Why the graph always progresses. Take the oldest record (smallest sequence in the most downstream segment
// that holds anything). Inside a segment it needs no token: its stages run to the segment's end. There it
// needs a token of the next segment. In strict order a segment lends in sequence only, so no younger record
// can have taken the one it needs: tokens there are held by elders, which are further on, and by what
// consumers hold. In order any the inlet serves whoever has waited longest first. A record that is dropped
// keeps its place but needs nothing. So by induction from the outlet upwards everything moves whenever the
// consumer takes something. What can break the argument (a cap below what one op must hold, a branch that
// cannot hold what its sibling retains) is refused by lint.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/flow/item.h"

namespace headrace {

class Exchange;

class Segment {
 public:
  /// `declared_item_bytes` -1: no bound is known; then at most `before_known` items are admitted until one
  /// has shown its size.
  Segment(bool strict, std::int64_t cap_items, std::int64_t cap_bytes, std::int64_t declared_item_bytes,
          std::int64_t before_known);
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;

  /// The exchange that begins this segment and is called when a token comes back.
  void set_inlet(Exchange* inlet) { inlet_ = inlet; }
  Exchange* inlet() const { return inlet_; }

  /// Borrows one token, or nullptr when the segment is full. The item is charged its declared bound, else the
  /// largest charge seen lately; one larger than the cap is admitted when it is alone. [the inlet]
  Token* try_borrow();
  /// The same for a record whose size is known: 0 for one that was dropped, which takes a place and no bytes.
  Token* try_borrow(std::int64_t charge);
  /// A token for the end of an epoch, outside the caps; one at a time, so nullptr while the last one is still
  /// in the segment. In order any it needs the segment to be empty, and nothing is lent until it has left: so
  /// marks keep their place there too. [the inlet]
  Token* try_borrow_mark();
  /// One more copy shares the token (a fan-out). [whoever holds a copy]
  static void share(Token* token) { token->copies.fetch_add(1, std::memory_order_relaxed); }
  /// One copy is gone; with the last the token is back and the inlet is called. [any thread; `inside`: it is
  /// one of the flow's workers]
  static void give_back(Token* token, bool inside);
  /// A first item has come to the segment's end: how large items are is known from now on. [any thread]
  void show_size(bool inside);
  /// The copies hold `delta` bytes more. More than was charged is charged at once, without waiting: it delays
  /// the next admission.
  static void hold(Token* token, std::int64_t delta);

  std::int64_t items() const { return items_.load(std::memory_order_seq_cst); }
  std::int64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
  std::int64_t items_max() const { return items_max_; }
  std::int64_t bytes_max() const { return bytes_max_.load(std::memory_order_relaxed); }
  std::int64_t cap_items() const { return cap_items_; }
  std::int64_t cap_bytes() const { return cap_bytes_; }

 private:
  std::int64_t expected_bytes() const;
  void raise(std::int64_t bytes);

  Token* take_token(std::int64_t charge, bool is_mark);

  const bool strict_;
  const std::int64_t cap_items_;
  const std::int64_t cap_bytes_;
  const std::int64_t declared_item_bytes_;  ///< -1: unknown
  const std::int64_t before_known_;
  std::atomic<bool> size_known_;
  Exchange* inlet_ = nullptr;
  std::atomic<std::int64_t> items_{0};
  std::atomic<std::int64_t> marks_{0};
  std::atomic<std::int64_t> bytes_{0};
  std::atomic<std::int64_t> bytes_max_{0};
  std::atomic<std::int64_t> items_max_{0};
  // The running maximum of an item's bytes, over this generation of admissions and the last.
  std::atomic<std::int64_t> largest_{0};
  std::int64_t largest_before_ = 0;
  std::int64_t admissions_ = 0;
  oneapi::tbb::spin_mutex mutex_;
  Token* free_ = nullptr;
  std::vector<std::unique_ptr<Token>> tokens_;
};

}  // namespace headrace
