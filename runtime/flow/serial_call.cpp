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
  invocation_->serial = this;
  if (op_.first().runs == HEADRACE_RUNS_CPU) {
    answer(op_.process(*invocation_));
    return true;
  }
  state_.store(State::running, std::memory_order_release);
  flow_.work_begin(1);
  if (op_.first().runs == HEADRACE_RUNS_BLOCKING) {
    flow_.io().put({.body = &SerialCall::run_blocking, .a = this, .b = invocation_});
    return true;
  }
  Invocation* invocation = invocation_;  // once both have met it may be gone
  const headrace_status status = op_.process(*invocation);
  if (status != HEADRACE_PENDING) {
    invocation->completed = status;
    flow_.post(invocation);
  } else if (invocation->meeting.fetch_add(1, std::memory_order_acq_rel) == 1) {
    flow_.post(invocation);
  }
  return true;
}

void SerialCall::answer(headrace_status status) {
  answer_ = status;
  answered_ns_ = now_ns();
  state_.store(State::answered, std::memory_order_release);
}

void SerialCall::resume() {
  Flow& flow = flow_;
  Exchange& owner = owner_;
  invocation_->running.end();
  answer(invocation_->completed);
  owner.request(true);
  flow.work_end();
}

void SerialCall::run_blocking(void* self, void* invocation, std::size_t) {
  auto* call = static_cast<SerialCall*>(self);
  const headrace_status status = call->op_.process(*static_cast<Invocation*>(invocation));
  Flow& flow = call->flow_;
  Exchange& owner = call->owner_;
  call->answer(status);
  owner.request(false);
  flow.work_end();
}

Item* SerialCall::item() const { return invocation_->item; }

headrace_status SerialCall::abandon() {
  state_.store(State::idle, std::memory_order_relaxed);
  Invocation* invocation = std::exchange(invocation_, nullptr);
  op_.counters().add_busy(flow_.shard(), answered_ns_ - invocation->begin_ns);
  op_.give_back(invocation);
  return answer_;
}

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
