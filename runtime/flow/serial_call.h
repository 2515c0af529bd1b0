// SPDX-License-Identifier: Apache-2.0
//
// One call at a time of an op by an exchange's turn: at once on the worker when the op computes, on an I/O
// thread when it may block, and then the exchange has another turn when the answer is there.

#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/flow/stage.h"

namespace headrace {

class SerialCall {
 public:
  SerialCall(Flow& flow, Exchange& owner, OpInstance& op) : flow_(flow), owner_(owner), op_(op) {}

  /// Begins a call that reads `from` and writes `to`; `ordinal` and `item_state` as headrace_call has them.
  /// False when the op gave no worker state: the flow has failed. Only while idle. [turn]
  bool begin(const FrameWiring& wiring, Item* from, Item* to, std::uint32_t ordinal = 0,
             void* item_state = nullptr);
  bool is_running() const { return state_.load(std::memory_order_acquire) == State::running; }
  bool is_answered() const { return state_.load(std::memory_order_acquire) == State::answered; }
  /// What process() returned, with what it means for the written item already done (Flow::conclude) unless it
  /// is END. [turn]
  headrace_status take(void** item_state = nullptr);
  /// The same for a record that nobody wants, which counts for nothing but the time it took: to be discarded,
  /// whatever came of it. [turn]
  headrace_status abandon();
  /// What process() returned; nothing is done yet. [turn]
  headrace_status answered() const { return answer_; }
  /// A PENDING call was completed. [a worker]
  void resume();
  /// The item being written. [turn]
  Item* item() const;

 private:
  enum class State { idle, running, answered };
  void answer(headrace_status status);
  static void run_blocking(void* self, void* invocation, std::size_t shard);

  Flow& flow_;
  Exchange& owner_;
  OpInstance& op_;
  std::atomic<State> state_{State::idle};
  Invocation* invocation_ = nullptr;
  headrace_status answer_ = HEADRACE_OK;
  std::uint64_t answered_ns_ = 0;
};

}  // namespace headrace
