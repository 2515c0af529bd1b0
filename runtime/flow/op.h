// SPDX-License-Identifier: Apache-2.0
//
// One frame of the plan made alive: its op instance, the worker states it leases, and what calls it. Created
// and opened by build, called by stages and exchanges, destroyed when the flow ends.

#pragma once

#include <headrace/host.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/flow/item.h"
#include "runtime/flow/running_call.h"
#include "runtime/graph/plan.h"
#include "runtime/state/checkpoint.h"
#include "runtime/state/deal.h"
#include "runtime/state/sampling.h"
#include "runtime/status.h"
#include "runtime/watch/counters.h"

namespace headrace {

class Flow;
class OpInstance;
class SerialCall;
class Stage;
struct FrameWiring;

/// What a context's handle points at: who is calling, and what was said to be wrong. One thread at a time,
/// but for flow->complete().
struct Scope {
  Flow* flow = nullptr;
  OpInstance* op = nullptr;
  std::uint32_t failed_member = 0;
  Code failure = Code::ok;
  std::string text;  ///< first failure of this call; keeps its capacity
  struct Span {
    const char* name;
    std::uint64_t begin_ns;
  };
  std::vector<Span> spans;  ///< open ones, innermost last
  headrace_status fail(std::uint32_t member, headrace_status status, std::string_view what);
  void reset() {
    failed_member = 0;
    failure = Code::ok;
    text.clear();
  }
};

/// A call of process(): leased with a worker state, used for one record, given back. Its arrays keep their
/// capacity.
struct Invocation : Scope {
  headrace_call call{};
  std::vector<const headrace_value*> inputs;
  std::vector<const headrace_value*> outputs;
  std::vector<const headrace_sample*> samples;
  const FrameWiring* wiring = nullptr;
  Item* from = nullptr;  ///< whose cells are read; a reduce reads its members
  Item* item = nullptr;  ///< whose cells are written
  std::int32_t dropping_member = -1;
  std::vector<bool> written;  ///< outputs set so far

  // For PENDING: complete() and the return of process() meet here, whichever comes last goes on.
  std::atomic<int> meeting{0};
  headrace_status completed = HEADRACE_OK;
  Stage* stage = nullptr;  ///< who goes on; or
  SerialCall* serial = nullptr;
  std::uint64_t begin_ns = 0;
  RunningCall running;
  std::uint64_t warned_of_ns = 0;  ///< when the call began that a warning was given of; the watchdog's own
  Invocation* next = nullptr;
};

/// A node's counters and what may still go wrong at it.
struct Member {
  const PlanNode* node = nullptr;
  std::uint64_t key = 0;  ///< of its random numbers
  std::unique_ptr<NodeCounters> counters;
};

class OpInstance {
 public:
  OpInstance(Flow& flow, const Plan& plan, std::size_t frame, std::size_t shards);
  ~OpInstance();
  OpInstance(const OpInstance&) = delete;
  OpInstance& operator=(const OpInstance&) = delete;

  Status create();
  /// Sets length() and fingerprint().
  Status open();

  const headrace_op& table() const { return *table_; }
  void* self() const { return self_; }
  const PlanFrame& frame() const { return frame_; }
  const PlanNode& first() const { return *members_.front()->node; }
  const PlanNode& last() const { return *members_.back()->node; }
  const std::vector<std::unique_ptr<Member>>& members() const { return members_; }
  std::vector<std::unique_ptr<Member>>& members() { return members_; }
  NodeCounters& counters() { return *members_.front()->counters; }
  std::int64_t length() const { return length_; }
  /// Of an indexed source, once it is open: which samples make an epoch, and which of them are this rank's.
  const Sampling& sampling() const { return *sampling_; }
  const Deal& deal() const { return *deal_; }
  /// Of a source, once it is open: records that this rank is dealt in an epoch, or -1 where nobody knows.
  std::int64_t epoch_records() const;
  /// Of what a source gives, as its op found it: 32 hexadecimal digits; "" where it said none.
  std::string fingerprint() const;
  static headrace_context context(Scope* scope, std::uint32_t size);

  /// An invocation with a worker state, or nullptr after `why` was set. [any worker or I/O thread]
  Invocation* lease(Status& why);
  void give_back(Invocation* invocation);
  /// Fills the arrays of a call that reads `from` and writes `to`.
  static void bind(Invocation& v, const FrameWiring& wiring, Item* from, Item* to);
  /// Fills them for a batch whose members are to->members.
  static void bind_rows(Invocation& v, const FrameWiring& wiring, Item* to);
  /// Whichever of the two the op's rate asks for, in place.
  static void bind_in_place(Invocation& v, const FrameWiring& wiring, Item* item);
  /// The call, which others may look at until it ends: here, or where a PENDING one is resumed.
  headrace_status process(Invocation& invocation) const;
  /// Calls see(invocation, since_ns, thread, is_pending) for each call that runs, which does not end
  /// meanwhile. One thread at a time for a flow. [any thread]
  void look_at_calls(const std::function<void(Invocation&, std::uint64_t since_ns, pid_t thread,
                                              bool is_pending)>& see) const;

  /// Has the op save its state as it is before the record at `position` of `epoch`. Only for an op with
  /// save(). [whoever calls the op, between calls]
  Status keep_state(std::uint64_t epoch, std::uint64_t position);
  /// The last state kept at or before that place in its epoch; none: the op began there as it was created.
  /// [any]
  std::optional<OpState> kept_state(std::uint64_t epoch, std::uint64_t position) const;
  /// Gives the op what it saved once. [after open(), before the first call]
  Status restore(const OpState& state);
  /// Where the state that was restored was saved; 0 without one.
  std::uint64_t restored_position() const { return restored_position_; }

  std::string describe() const;
  /// Adds to a counter that the op named itself.
  void count(const char* name, std::int64_t delta);
  std::vector<std::pair<std::string, std::int64_t>> counts() const;
  /// "node 'crop'" or, in a frame, "node 'crop' (in frame 'decode')".
  std::string title(std::uint32_t member) const;

 private:
  Status deal_epoch();

  Flow& flow_;
  const Plan& plan_;
  const PlanFrame& frame_;
  const headrace_op* table_;
  std::vector<const headrace_node*> nodes_;
  std::vector<headrace_field_spec> port_specs_;  ///< inputs, then outputs
  std::vector<const headrace_field_spec*> ports_;
  headrace_config config_{};
  Scope own_scope_;
  void* self_ = nullptr;
  std::int64_t length_ = -1;
  std::optional<Sampling> sampling_;
  std::optional<Deal> deal_;
  std::array<std::uint64_t, 2> fingerprint_{};
  std::vector<std::unique_ptr<Member>> members_;
  mutable oneapi::tbb::spin_mutex mutex_;
  std::vector<std::pair<const char*, std::int64_t>> counts_;
  std::deque<OpState> states_;  ///< oldest first; under the mutex
  std::uint64_t restored_position_ = 0;
  Invocation* free_ = nullptr;
  std::vector<std::unique_ptr<Invocation>> invocations_;
};

/// The host that every op of this process is given.
const headrace_host* host();

}  // namespace headrace
