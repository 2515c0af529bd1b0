// SPDX-License-Identifier: Apache-2.0

#include "runtime/flow/serial_call.h"

#include "runtime/flow/exchange.h"
#include "runtime/flow/flow.h"
#include "runtime/flow/io_threads.h"
#include "runtime/flow/op.h"

namespace headrace {

bool SerialCall::begin(const FrameWiring& wiring, Item* from, Item* to, std::uint32_t ordinal,
                       void* item_state) {
  Status why;
  invocation_ = op_.lease(why);
  if (invocation_ == nullptr) {
    flow_.fail(std::move(why));
    return false;
  }
  OpInstance::bind(*invocation_, wiring, from, to);
  invocation_->call.ordinal = ordinal;
  invocation_->call.item_state = item_state;
  invocation_->begin_ns = now_ns();
  if (op_.first().runs == HEADRACE_RUNS_BLOCKING) {
    state_.store(State::running, std::memory_order_release);
    flow_.work_begin(1);
    flow_.io().put({.body = &SerialCall::run_blocking, .a = this, .b = invocation_});
    return true;
  }
  answer_ = op_.process(*invocation_);
  answered_ns_ = now_ns();
  state_.store(State::answered, std::memory_order_release);
  return true;
}

void SerialCall::run_blocking(void* self, void* invocation, std::size_t) {
  auto* call = static_cast<SerialCall*>(self);
  call->answer_ = call->op_.process(*static_cast<Invocation*>(invocation));
  call->answered_ns_ = now_ns();
  Flow& flow = call->flow_;
  Exchange& owner = call->owner_;
  call->state_.store(State::answered, std::memory_order_release);
  owner.request(false);
  flow.work_end();
}

Item* SerialCall::item() const { return invocation_->item; }

headrace_status SerialCall::take(void** item_state) {
  state_.store(State::idle, std::memory_order_relaxed);
  Invocation* invocation = std::exchange(invocation_, nullptr);
  if (item_state != nullptr) *item_state = invocation->call.item_state;
  const headrace_status answer = answer_;
  if (answer != HEADRACE_END) {
    flow_.conclude(*invocation, answer, invocation->begin_ns, answered_ns_, flow_.shard(), true);
  }
  op_.give_back(invocation);
  return answer;
}

}  // namespace headrace
