// SPDX-License-Identifier: Apache-2.0
//
// Where items arrive at an exchange: any thread puts them in, the exchange's turn takes them out, in sequence
// (order: strict) or in the order of arrival (order: any). In strict order it is the reorder buffer, as large
// as the segment's cap in items and no larger.

#pragma once

#include <atomic>
#include <bit>
#include <cassert>
#include <cstdint>
#include <vector>

#include "runtime/flow/item.h"

namespace headrace {

class Intake {
 public:
  /// `cap_items` of the segment that ends here; one more place is for the end of an epoch.
  Intake(bool strict, std::int64_t cap_items)
      : strict_(strict),
        ring_(strict ? std::bit_ceil(static_cast<std::uint64_t>(cap_items) + 1) : 0, nullptr) {}

  /// [any worker]
  void put(Item* item) {
    item->next = inbox_.load(std::memory_order_relaxed);
    while (!inbox_.compare_exchange_weak(item->next, item, std::memory_order_release,
                                         std::memory_order_relaxed)) {
    }
  }

  /// Sorts in what has arrived; call before front(). `seen(item)` is called once for each. [turn]
  template <class Seen>
  void collect(Seen&& seen) {
    Item* item = inbox_.exchange(nullptr, std::memory_order_acquire);
    Item* first = nullptr;  // the inbox is a stack: turn it round
    while (item != nullptr) {
      Item* below = item->next;
      item->next = first;
      first = item;
      item = below;
    }
    while (first != nullptr) {
      Item* next = first->next;
      first->next = nullptr;
      ++waiting_;
      if (strict_) {
        Item*& place = ring_[first->sequence & (ring_.size() - 1)];
        assert(place == nullptr && first->sequence >= head_);
        place = first;
      } else {
        *(queue_ == nullptr ? &queue_ : &queue_end_->next) = first;
        queue_end_ = first;
      }
      seen(*first);
      first = next;
    }
  }
  void collect() {
    collect([](Item&) {});
  }

  /// The next in order, or nullptr when it has not arrived yet. [turn]
  Item* front() const { return strict_ ? ring_[head_ & (ring_.size() - 1)] : queue_; }
  Item* pop() {
    Item* item = front();
    if (strict_) {
      ring_[head_++ & (ring_.size() - 1)] = nullptr;
    } else {
      queue_ = item->next;
    }
    item->next = nullptr;
    --waiting_;
    return item;
  }

  /// How many have arrived and not been taken out. [turn; a hint elsewhere]
  std::int64_t waiting() const { return waiting_.load(std::memory_order_relaxed); }

 private:
  const bool strict_;
  std::atomic<Item*> inbox_{nullptr};
  std::vector<Item*> ring_;
  std::uint64_t head_ = 0;
  Item* queue_ = nullptr;
  Item* queue_end_ = nullptr;
  std::atomic<std::int64_t> waiting_{0};
};

}  // namespace headrace
