// SPDX-License-Identifier: Apache-2.0

#include "runtime/flow/start.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "runtime/graph/seek.h"
#include "runtime/graph/segments.h"

namespace headrace {

namespace {

constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();

/// Fills what depends on the numbers of the outputs that stand in the first epoch; of several behind one
/// exchange the one that is furthest back decides. False when an output has no number.
bool go_by_numbers(const Plan& plan, Start& start) {
  const FrameGraph graph(plan);
  std::uint64_t position = kNone;
  for (std::size_t o = 0; o < plan.outputs.size(); ++o) {
    const std::size_t frame = graph.frame_of_node[plan.outputs[o].from];
    const std::optional<std::size_t> numbers = numbering_of(plan, graph, frame).frame;
    if (!numbers) return false;
    const OutputPoint& point = start.outputs[o];
    const bool by_position = first_node(plan, plan.frames[*numbers]).op->table.rate == HEADRACE_SOURCE;
    const std::vector<ReduceAbove> reduces = reduces_above(plan, graph, frame);
    start.served[o] = reduces.empty() ? Served{0, point.end} : Served{point.ordinal, 0};
    if (point.epoch != start.epoch) continue;
    position = std::min(position, by_position ? point.end : 0);
    const auto [known, is_new] = start.discards.try_emplace(*numbers, point.end);
    if (!is_new) known->second = std::min(known->second, point.end);
    for (const ReduceAbove& reduce : reduces) {
      const std::uint64_t ordinal = point.ordinal * reduce.batches;
      const auto size = static_cast<std::uint64_t>(first_node(plan, plan.frames[reduce.frame]).batch_size);
      const bool gathers_batches = &reduce != &reduces.back();
      const ReduceStart here{ordinal, gathers_batches ? Served{ordinal * size, 0} : Served{0, point.end}};
      const auto [begins, is_first] = start.reduces.try_emplace(reduce.frame, here);
      if (!is_first && here.ordinal < begins->second.ordinal) begins->second = here;
    }
  }
  start.position = position;
  return true;
}

/// Records that one record of the frame is made of.
std::uint64_t records_in(const Plan& plan, std::size_t frame) {
  const FrameGraph graph(plan);
  const std::vector<ReduceAbove> reduces = reduces_above(plan, graph, frame);
  if (reduces.empty()) return 1;
  const PlanNode& last = first_node(plan, plan.frames[reduces.back().frame]);
  return reduces.back().batches * static_cast<std::uint64_t>(last.batch_size);
}

void set_rest(const Plan& plan, const Checkpoint& checkpoint, Start& start) {
  start.rest = Remainders(checkpoint.dealt);
  if (start.rest.empty()) return;
  const FrameGraph graph(plan);
  const PlanOutput& output = plan.outputs.front();
  const auto at = checkpoint.dealt_at.find(output.name);
  if (at != checkpoint.dealt_at.end())
    start.dealt = at->second * records_in(plan, graph.frame_of_node[output.from]);
}

}  // namespace

Result<Start> make_start(const Plan& plan, const Checkpoint* checkpoint) {
  Start start;
  start.outputs.resize(plan.outputs.size());
  start.served.resize(plan.outputs.size());
  if (checkpoint == nullptr) return start;
  std::uint64_t epoch = kNone;
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
  set_rest(plan, *checkpoint, start);
  Start by_numbers = start;
  if (go_by_numbers(plan, by_numbers)) return by_numbers;
  start.is_replay = true;
  return start;
}

}  // namespace headrace
