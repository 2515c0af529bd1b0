// SPDX-License-Identifier: Apache-2.0

#include "runtime/graph/seek.h"

#include <fmt/format.h>

#include <algorithm>

namespace headrace {

namespace {

headrace_rate rate_of(const Plan& plan, std::size_t frame) {
  return first_node(plan, plan.frames[frame]).op->table.rate;
}

Numbering none(const Plan& plan, std::size_t frame, std::string_view why) {
  const PlanNode& node = first_node(plan, plan.frames[frame]);
  return {std::nullopt, fmt::format("'{}' ({}) {}", node.name, node.op->table.name, why)};
}

bool is_behind_reduce(const Plan& plan, const FrameGraph& graph, std::size_t frame) {
  return rate_of(plan, frame) == HEADRACE_REDUCE ||
         std::any_of(graph.inputs[frame].begin(), graph.inputs[frame].end(),
                     [&](std::size_t input) { return is_behind_reduce(plan, graph, input); });
}

/// Batches of batches are told by their numbers, which says nothing where some get lost on the way.
bool loses_batches(const Plan& plan, const FrameGraph& graph, std::size_t frame) {
  const std::size_t input = graph.inputs[frame].front();
  return is_behind_reduce(plan, graph, input) && last_node(plan, plan.frames[input]).count.may_lose;
}

/// Partners are found by their sample: where all are numbered by position, the pair is too.
Numbering numbering_of_join(const Plan& plan, const FrameGraph& graph, std::size_t frame) {
  if (is_behind_reduce(plan, graph, frame)) return none(plan, frame, "pairs batches");
  for (const std::size_t input : graph.inputs[frame]) {
    Numbering of_input = numbering_of(plan, graph, input);
    if (!of_input.frame) return of_input;
    if (rate_of(plan, *of_input.frame) != HEADRACE_SOURCE)
      return none(plan, *of_input.frame, "changes the order before a zip");
  }
  return numbering_of(plan, graph, graph.inputs[frame].front());
}

}  // namespace

Numbering numbering_of(const Plan& plan, const FrameGraph& graph, std::size_t frame) {
  const headrace_op& op = first_node(plan, plan.frames[frame]).op->table;
  switch (op.rate) {
    case HEADRACE_MAP:
      if (op.save != nullptr) return none(plan, frame, "has a state of its own");
      return numbering_of(plan, graph, graph.inputs[frame].front());
    case HEADRACE_REDUCE:
      if (op.assign != nullptr) return none(plan, frame, "gathers several kinds of batches at once");
      if (loses_batches(plan, graph, frame))
        return none(plan, frame, "gathers batches of which some may be missing");
      return numbering_of(plan, graph, graph.inputs[frame].front());
    case HEADRACE_JOIN:
      return numbering_of_join(plan, graph, frame);
    default:
      return {frame, ""};
  }
}

std::vector<ReduceAbove> reduces_above(const Plan& plan, const FrameGraph& graph, std::size_t frame) {
  const std::optional<std::size_t> numbers = numbering_of(plan, graph, frame).frame;
  std::vector<ReduceAbove> out;
  std::uint64_t batches = 1;
  for (; numbers && frame != *numbers; frame = graph.inputs[frame].front()) {  // a join has none above
    if (rate_of(plan, frame) != HEADRACE_REDUCE) continue;
    out.push_back({frame, batches});
    batches *= static_cast<std::uint64_t>(first_node(plan, plan.frames[frame]).batch_size);
  }
  return out;
}

std::string resume_text(const Plan& plan) {
  if (!plan.strict) return "never: records come in completion order (runtime.order is any)";
  const FrameGraph graph(plan);
  std::string text = "at once: the sources begin at the first sample that was not delivered";
  for (const PlanOutput& output : plan.outputs) {
    const Numbering numbering = numbering_of(plan, graph, graph.frame_of_node[output.from]);
    if (!numbering.frame) {
      return fmt::format("the whole epoch is gone through again, up to output '{}': {}", output.name,
                         numbering.why_not);
    }
    if (rate_of(plan, *numbering.frame) != HEADRACE_SOURCE) {
      text = fmt::format("the epoch is gone through again up to '{}', and what it let out is discarded there",
                         first_node(plan, plan.frames[*numbering.frame]).name);
    }
  }
  return text;
}

}  // namespace headrace
