// SPDX-License-Identifier: Apache-2.0
//
// Cutting the graph at its exchanges.

#include "runtime/graph/segments.h"

#include <fmt/format.h>

#include <algorithm>

namespace headrace {

const PlanNode& first_node(const Plan& plan, const PlanFrame& frame) {
  return plan.nodes[frame.members.front()];
}
const PlanNode& last_node(const Plan& plan, const PlanFrame& frame) {
  return plan.nodes[frame.members.back()];
}

FrameGraph::FrameGraph(const Plan& plan)
    : frame_of_node(plan.nodes.size()),
      inputs(plan.frames.size()),
      readers(plan.frames.size()),
      feeds_output(plan.frames.size()) {
  for (std::size_t f = 0; f < plan.frames.size(); ++f) {
    for (const std::size_t node : plan.frames[f].members) frame_of_node[node] = f;
  }
  for (std::size_t f = 0; f < plan.frames.size(); ++f) {
    for (const std::size_t node : first_node(plan, plan.frames[f]).from) {
      const std::size_t input = frame_of_node[node];
      inputs[f].push_back(input);
      if (readers[input].empty() || readers[input].back() != f) readers[input].push_back(f);
    }
  }
  for (const PlanOutput& output : plan.outputs) feeds_output[frame_of_node[output.from]] = true;
}

namespace {

void add_once(std::vector<std::size_t>& list, std::size_t value) {
  if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
}

/// How many ordinals a record of each frame carries: one for each expand since its source or its last reduce.
/// Joins pair records by epoch, position and ordinals, so records with different numbers of ordinals never
/// meet.
void check_joins(const Plan& plan, const FrameGraph& graph, Diagnostics& diagnostics) {
  std::vector<std::size_t> ordinals(plan.frames.size());
  for (std::size_t f = 0; f < plan.frames.size(); ++f) {
    const PlanNode& node = first_node(plan, plan.frames[f]);
    const headrace_rate rate = node.op->table.rate;
    if (rate == HEADRACE_SOURCE || rate == HEADRACE_REDUCE) continue;
    const std::vector<std::size_t>& inputs = graph.inputs[f];
    ordinals[f] = ordinals[inputs.front()] + (rate == HEADRACE_EXPAND ? 1 : 0);
    if (ordinals[f] > HEADRACE_MAX_DEPTH) {
      diagnostics.error(node.where, fmt::format("node '{}': records can be expanded {} times at most",
                                                node.name, HEADRACE_MAX_DEPTH));
    }
    for (std::size_t i = 1; rate == HEADRACE_JOIN && i < inputs.size(); ++i) {
      if (ordinals[inputs[i]] == ordinals[inputs.front()]) continue;
      const std::string first = last_node(plan, plan.frames[inputs.front()]).name;
      const std::string other = last_node(plan, plan.frames[inputs[i]]).name;
      diagnostics.error(
          node.where, fmt::format("node '{}' pairs records of one sample, but those of '{}' and of '{}' were "
                                  "expanded a different number of times and never pair",
                                  node.name, first, other));
    }
  }
}

}  // namespace

void cut_segments(Plan& plan, const FrameGraph& graph, Diagnostics& diagnostics) {
  for (std::size_t f = 0; f < plan.frames.size(); ++f) {
    PlanFrame& frame = plan.frames[f];
    if (frame.is_exchange) {
      frame.segment = plan.segments.size();
      plan.segments.emplace_back().exchange = f;
    } else {
      frame.segment = plan.frames[graph.inputs[f].front()].segment;
    }
    plan.segments[frame.segment].frames.push_back(f);
  }
  for (std::size_t f = 0; f < plan.frames.size(); ++f) {
    if (!plan.frames[f].is_exchange) continue;
    for (const std::size_t input : graph.inputs[f])
      add_once(plan.segments[plan.frames[input].segment].ends, f);
  }
  check_joins(plan, graph, diagnostics);
}

}  // namespace headrace
