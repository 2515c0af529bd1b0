// SPDX-License-Identifier: Apache-2.0
//
// Names to ops and edges: what each node is, what it reads, in which order nodes can be looked at. The first
// half of the check, called by check.cpp. Pure.

#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "runtime/graph/diagnostics.h"
#include "runtime/graph/spec.h"
#include "runtime/plugin/registry.h"

namespace headrace {

struct NodeLink {
  const RegisteredOp* op = nullptr;  ///< null: there is no such op
  std::vector<std::size_t> from;     ///< nodes of the spec, in order; those that are not there are left out
  bool is_sound = true;  ///< the op and all that it reads are there, in a number that the op takes
};

struct Links {
  std::vector<NodeLink> nodes;  ///< by their place in the spec
  std::vector<std::size_t>
      order;  ///< topological, sources first, else as the file has them; without those in circles
  std::vector<std::optional<std::size_t>> outputs;  ///< by their place in the spec: the node each reads
};

/// Reports ops, nodes and plugins that are not there, wrong numbers of inputs, circles, and nodes that nobody
/// reads.
Links link_nodes(const GraphSpec& spec, const Registry& registry, Diagnostics& diagnostics);

}  // namespace headrace
