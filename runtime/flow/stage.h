// SPDX-License-Identifier: Apache-2.0
//
// A stage: one or several map frames run one after the other on the same item by the same worker, as one
// function_node of the oneTBB graph. Between two exchanges an item passes stages only. Blocking and async
// frames, and frames with a concurrency of their own, are stages of their own behind a gate.

#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/flow/item.h"
#include "runtime/graph/plan.h"

namespace headrace {

class Exchange;
class Flow;
class OpInstance;
class Stage;
struct Invocation;

/// Where an output port of a frame writes to.
struct OutputWiring {
  std::uint32_t cell = 0;
  const Field* spec = nullptr;                 ///< as the op declared it
  std::int32_t row_port = -1;                  ///< the batch's output port whose row it writes, or -1
  std::int32_t in_place = -1;                  ///< the input port whose memory may be reused, or -1
  const headrace_allocator* memory = nullptr;  ///< where its reader or its op wants it; null: the host's own
};

/// What a frame does to an item's cells, by number.
struct FrameWiring {
  OpInstance* op = nullptr;
  std::vector<std::uint32_t> inputs;  ///< cell of each input port
  std::vector<OutputWiring> outputs;
  std::vector<std::uint32_t> drops;  ///< cells that nobody reads after this frame
};

/// Where an item goes next: a stage, or a port of an exchange.
struct Target {
  Stage* stage = nullptr;
  Exchange* exchange = nullptr;
  std::uint32_t port = 0;
  bool takes_row = false;  ///< of a fan-out's branches, the one that leads to the batch that lent the row
};

class Stage {
 public:
  /// How its frames are called. `concurrency`: most items at once, 0 for as many as there are workers.
  Stage(Flow& flow, headrace_runs runs, std::int64_t concurrency);
  ~Stage();
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  /// Only a cpu stage may have more than one.
  void add(FrameWiring frame) { frames_.push_back(std::move(frame)); }
  void add_target(Target target) { targets_.push_back(target); }
  std::vector<Target>& targets() { return targets_; }
  const std::vector<FrameWiring>& frames() const { return frames_; }

  /// Hands the item over; returns at once. [any worker or I/O thread]
  void put(Item* item);
  /// Sends the item to the target or, of several, a copy to each. It counts as one piece of work under way,
  /// which is passed on.
  static void send(Flow& flow, const std::vector<Target>& targets, Item* item, bool inside);
  /// A PENDING call was completed. [a worker]
  void resume(Invocation* invocation);

 private:
  struct Node;
  void run(Item* item);
  void run_blocking(Item* item, std::size_t shard);
  void start_async(Item* item);
  bool enter(Item* item);
  void leave();
  Invocation* call(const FrameWiring& frame, Item* item, std::size_t shard, headrace_status& status,
                   std::uint64_t& end_ns);

  Flow& flow_;
  const headrace_runs runs_;
  const std::int64_t concurrency_;
  std::vector<FrameWiring> frames_;
  std::vector<Target> targets_;
  std::unique_ptr<Node> node_;  ///< cpu

  // blocking and async: the gate that keeps to the concurrency
  std::mutex mutex_;
  std::int64_t active_ = 0;
  Item* first_ = nullptr;
  Item* last_ = nullptr;
};

}  // namespace headrace
