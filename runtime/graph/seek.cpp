// SPDX-License-Identifier: Apache-2.0

#include "runtime/graph/seek.h"

#include <fmt/format.h>

#include <algorithm>

namespace headrace {

namespace {

bool is_behind_reduce(const Plan& plan, const FrameGraph& graph, std::size_t frame) {
  return first_node(plan, plan.frames[frame]).op->table.rate == HEADRACE_REDUCE ||
         std::any_of(graph.inputs[frame].begin(), graph.inputs[frame].end(),
                     [&](std::size_t input) { return is_behind_reduce(plan, graph, input); });
}

std::string why_not_itself(const Plan& plan, const FrameGraph& graph, std::size_t frame) {
  const PlanNode& node = first_node(plan, plan.frames[frame]);
  const headrace_op& op = node.op->table;
  switch (op.rate) {
    case HEADRACE_EXPAND:
      return "makes several records of one";
    case HEADRACE_WINDOW:
      return "chooses from a window";
    case HEADRACE_MERGE:
      return "mixes its inputs";
    case HEADRACE_REDUCE:
      return op.assign != nullptr ? "gathers several kinds of batches at once" : "";
    case HEADRACE_JOIN:
      return is_behind_reduce(plan, graph, frame) ? "pairs batches" : "";
    case HEADRACE_MAP:
      return op.save != nullptr ? "has a state of its own" : "";
    default:
      return "";
  }
}

}  // namespace

std::string why_not_seekable(const Plan& plan, const FrameGraph& graph, std::size_t frame) {
  for (const std::size_t input : graph.inputs[frame]) {
    std::string why = why_not_seekable(plan, graph, input);
    if (!why.empty()) return why;
  }
  const std::string why = why_not_itself(plan, graph, frame);
  if (why.empty()) return "";
  const PlanNode& node = first_node(plan, plan.frames[frame]);
  return fmt::format("'{}' ({}) {}", node.name, node.op->table.name, why);
}

std::string why_not_seekable(const Plan& plan) {
  const FrameGraph graph(plan);
  for (const PlanOutput& output : plan.outputs) {
    std::string why = why_not_seekable(plan, graph, graph.frame_of_node[output.from]);
    if (!why.empty()) return why;
  }
  return "";
}

std::vector<ReduceAbove> reduces_above(const Plan& plan, const FrameGraph& graph, std::size_t frame) {
  std::vector<ReduceAbove> out;
  std::uint64_t batches = 1;
  for (;;) {
    const PlanNode& node = first_node(plan, plan.frames[frame]);
    if (node.op->table.rate == HEADRACE_REDUCE) {
      out.push_back({frame, batches});
      batches *= static_cast<std::uint64_t>(node.batch_size);
    }
    if (graph.inputs[frame].empty()) return out;
    frame = graph.inputs[frame].front();  // of several inputs (a join) none has a reduce above
  }
}

}  // namespace headrace
