// SPDX-License-Identifier: Apache-2.0

#include "runtime/flow/start.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "runtime/graph/seek.h"
#include "runtime/graph/segments.h"

namespace headrace {

namespace {

/// Of the outputs that stand in the first epoch the one that is behind decides where each reduce begins.
void set_reduces(const Plan& plan, Start& start) {
  const FrameGraph graph(plan);
  for (std::size_t o = 0; o < plan.outputs.size(); ++o) {
    const OutputPoint& point = start.outputs[o];
    if (point.epoch != start.epoch) continue;
    for (const ReduceAbove& reduce : reduces_above(plan, graph, graph.frame_of_node[plan.outputs[o].from])) {
      const ReduceStart here{point.ordinal * reduce.batches, point.end};
      const auto [known, is_new] = start.reduces.try_emplace(reduce.frame, here);
      if (!is_new && here.ordinal < known->second.ordinal) known->second = here;
    }
  }
}

}  // namespace

Result<Start> make_start(const Plan& plan, const Checkpoint* checkpoint) {
  Start start;
  start.outputs.resize(plan.outputs.size());
  if (checkpoint == nullptr) return start;
  std::uint64_t epoch = std::numeric_limits<std::uint64_t>::max();
  for (std::size_t o = 0; o < plan.outputs.size(); ++o) {
    const auto found = checkpoint->outputs.find(plan.outputs[o].name);
    if (found == checkpoint->outputs.end()) {
      return Status(Code::data_error,
                    fmt::format("the checkpoint knows nothing of output '{}'", plan.outputs[o].name));
    }
    start.outputs[o] = found->second;
    epoch = std::min(epoch, found->second.epoch);
  }
  if (epoch > std::numeric_limits<std::uint32_t>::max())
    return Status(Code::data_error, "the checkpoint's epoch is beyond 2^32 - 1");
  start.epoch = static_cast<std::uint32_t>(epoch);
  start.is_replay = !why_not_seekable(plan).empty();
  if (start.is_replay) return start;
  start.position = std::numeric_limits<std::uint64_t>::max();
  for (const OutputPoint& point : start.outputs) {
    if (point.epoch == epoch) start.position = std::min(start.position, point.end);
  }
  set_reduces(plan, start);
  return start;
}

}  // namespace headrace
