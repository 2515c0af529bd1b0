// SPDX-License-Identifier: Apache-2.0

#include "runtime/graph/join_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <vector>

namespace headrace {
namespace {

/// The windows that a frame's records have passed.
void windows_before(const Plan& plan, const FrameGraph& graph, std::size_t f,
                    std::set<std::size_t>& windows) {
  if (first_node(plan, plan.frames[f]).op->table.rate == HEADRACE_WINDOW) windows.insert(f);
  for (const std::size_t input : graph.inputs[f]) windows_before(plan, graph, input, windows);
}

}  // namespace

void choose_leaders(Plan& plan, const FrameGraph& graph, Diagnostics& diagnostics) {
  for (std::size_t f = 0; f < plan.frames.size(); ++f) {
    const PlanNode& node = first_node(plan, plan.frames[f]);
    if (node.op->table.rate != HEADRACE_JOIN) continue;
    std::vector<std::set<std::size_t>> windows(graph.inputs[f].size());
    std::set<std::size_t> all;
    for (std::size_t i = 0; i < windows.size(); ++i) {
      windows_before(plan, graph, graph.inputs[f][i], windows[i]);
      all.insert(windows[i].begin(), windows[i].end());
    }
    const auto shuffled = std::find(windows.begin(), windows.end(), all);
    if (shuffled == windows.end()) {
      diagnostics.error(
          node.where,
          fmt::format("'{}' could wait for ever: more than one of its branches is shuffled by itself "
                      "(shuffle before the fork, or one branch only)",
                      node.name));
      continue;
    }
    plan.frames[f].leader = static_cast<std::uint32_t>(shuffled - windows.begin());
  }
}

}  // namespace headrace
