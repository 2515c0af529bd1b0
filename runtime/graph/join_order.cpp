// SPDX-License-Identifier: Apache-2.0
//
// Which input of a join has passed every window that any of them has.

#include "runtime/graph/join_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <vector>

namespace headrace {
namespace {

using Windows = std::set<std::size_t>;

/// By frame: the windows that its records have passed, its own among them.
std::vector<Windows> windows_passed(const Plan& plan, const FrameGraph& graph) {
  std::vector<Windows> passed(plan.frames.size());
  for (std::size_t f = 0; f < plan.frames.size(); ++f) {
    for (const std::size_t input : graph.inputs[f])
      passed[f].insert(passed[input].begin(), passed[input].end());
    if (first_node(plan, plan.frames[f]).op->table.rate == HEADRACE_WINDOW) passed[f].insert(f);
  }
  return passed;
}

}  // namespace

void choose_leaders(Plan& plan, const FrameGraph& graph, Diagnostics& diagnostics) {
  const std::vector<Windows> passed = windows_passed(plan, graph);
  for (std::size_t f = 0; f < plan.frames.size(); ++f) {
    const PlanNode& node = first_node(plan, plan.frames[f]);
    if (node.op->table.rate != HEADRACE_JOIN) continue;
    const std::vector<std::size_t>& inputs = graph.inputs[f];
    std::size_t leader = 0;
    while (leader < inputs.size() && passed[inputs[leader]] != passed[f]) ++leader;
    if (leader == inputs.size()) {
      diagnostics.error(
          node.where,
          fmt::format("'{}' could wait for ever: more than one of its branches is shuffled by itself "
                      "(shuffle before the fork, or one branch only)",
                      node.name));
      continue;
    }
    plan.frames[f].leader = static_cast<std::uint32_t>(leader);
  }
}

namespace {

/// True when a node's records have come through node `through`.
bool comes_through(const Plan& plan, std::size_t node, std::size_t through, std::set<std::size_t>& seen) {
  if (node == through) return true;
  if (!seen.insert(node).second) return false;
  const auto& from = plan.nodes[node].from;
  return std::any_of(from.begin(), from.end(),
                     [&](std::size_t input) { return comes_through(plan, input, through, seen); });
}

}  // namespace

bool feeds_join(const Plan& plan, std::size_t frame) {
  const std::size_t window = plan.frames[frame].members.front();
  return std::any_of(plan.nodes.begin(), plan.nodes.end(), [&](const PlanNode& node) {
    if (node.op->table.rate != HEADRACE_JOIN) return false;
    const auto passed = std::count_if(node.from.begin(), node.from.end(), [&](std::size_t input) {
      std::set<std::size_t> seen;
      return comes_through(plan, input, window, seen);
    });
    return passed > 0 && passed < static_cast<std::ptrdiff_t>(node.from.size());
  });
}

}  // namespace headrace
