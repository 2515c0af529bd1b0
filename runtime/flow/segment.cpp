// SPDX-License-Identifier: Apache-2.0

#include "runtime/flow/segment.h"

#include <algorithm>

#include "runtime/flow/exchange.h"

namespace headrace {

namespace {

// One large sample must not hold the charge up for ever: the maximum forgets after one to two generations.
constexpr std::int64_t kGeneration = 256;

template <class T>
void raise_to(std::atomic<T>& value, T least) {
  T now = value.load(std::memory_order_relaxed);
  while (now < least && !value.compare_exchange_weak(now, least, std::memory_order_relaxed)) {
  }
}

}  // namespace

Segment::Segment(bool strict, std::int64_t cap_items, std::int64_t cap_bytes,
                 std::int64_t declared_item_bytes, std::int64_t before_known)
    : strict_(strict),
      cap_items_(cap_items),
      cap_bytes_(cap_bytes),
      declared_item_bytes_(declared_item_bytes),
      before_known_(before_known),
      size_known_(declared_item_bytes >= 0) {}

void Segment::show_size(bool inside) {
  if (size_known_.load(std::memory_order_relaxed) || size_known_.exchange(true, std::memory_order_seq_cst))
    return;
  inlet_->request(inside);
}

std::int64_t Segment::expected_bytes() const {
  if (declared_item_bytes_ >= 0) return declared_item_bytes_;
  return std::max(largest_.load(std::memory_order_relaxed), largest_before_);
}

Token* Segment::try_borrow() {
  // Without this the first cap_items items would be let in at no charge, however large they turn out.
  if (items() >= before_known_ && !size_known_.load(std::memory_order_seq_cst)) return nullptr;
  return try_borrow(expected_bytes());
}

Token* Segment::try_borrow(std::int64_t charge) {
  if (!strict_ && marks_.load(std::memory_order_seq_cst) > 0) return nullptr;
  const std::int64_t items = items_.load(std::memory_order_seq_cst);
  if (items >= cap_items_) return nullptr;
  const std::int64_t bytes = bytes_.load(std::memory_order_seq_cst);
  if (items > 0 && charge > 0 && bytes + charge > cap_bytes_) return nullptr;
  if (++admissions_ % kGeneration == 0) largest_before_ = largest_.exchange(0, std::memory_order_relaxed);
  items_.fetch_add(1, std::memory_order_seq_cst);
  raise_to(items_max_, items + 1);
  raise(charge);
  return take_token(charge, false);
}

Token* Segment::try_borrow_mark() {
  if (marks_.load(std::memory_order_seq_cst) > 0) return nullptr;
  if (!strict_ && items_.load(std::memory_order_seq_cst) > 0) return nullptr;
  marks_.fetch_add(1, std::memory_order_seq_cst);
  return take_token(0, true);
}

Token* Segment::take_token(std::int64_t charge, bool is_mark) {
  Token* token = nullptr;
  {
    const oneapi::tbb::spin_mutex::scoped_lock lock(mutex_);
    if (free_ != nullptr) token = std::exchange(free_, free_->next);
  }
  if (token == nullptr) {
    auto made = std::make_unique<Token>();
    token = made.get();
    const oneapi::tbb::spin_mutex::scoped_lock lock(mutex_);
    tokens_.push_back(std::move(made));
  }
  token->segment = this;
  token->is_mark = is_mark;
  token->copies.store(1, std::memory_order_relaxed);
  token->held_bytes.store(0, std::memory_order_relaxed);
  token->charged_bytes.store(charge, std::memory_order_relaxed);
  return token;
}

void Segment::raise(std::int64_t bytes) {
  raise_to(bytes_max_, bytes_.fetch_add(bytes, std::memory_order_seq_cst) + bytes);
}

void Segment::hold(Token* token, std::int64_t delta) {
  const std::int64_t held = token->held_bytes.fetch_add(delta, std::memory_order_relaxed) + delta;
  if (delta <= 0) return;
  std::int64_t charged = token->charged_bytes.load(std::memory_order_relaxed);
  while (held > charged) {
    if (!token->charged_bytes.compare_exchange_weak(charged, held, std::memory_order_relaxed)) continue;
    token->segment->raise(held - charged);
    break;
  }
  raise_to(token->segment->largest_, held);
}

void Segment::give_back(Token* token, bool inside) {
  if (token->copies.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  Segment* segment = token->segment;
  const bool is_mark = token->is_mark;
  const std::int64_t charged = token->charged_bytes.load(std::memory_order_relaxed);
  {
    const oneapi::tbb::spin_mutex::scoped_lock lock(segment->mutex_);
    token->next = std::exchange(segment->free_, token);
  }
  segment->bytes_.fetch_sub(charged, std::memory_order_seq_cst);
  (is_mark ? segment->marks_ : segment->items_).fetch_sub(1, std::memory_order_seq_cst);
  segment->inlet_->request(inside);
}

}  // namespace headrace
