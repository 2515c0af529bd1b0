// SPDX-License-Identifier: Apache-2.0
//
// What fields an edge has once a node has declared: what rides along, what is replaced, taken or new. Called
// by declare.cpp. Pure.

#pragma once

#include <string>
#include <vector>

#include "runtime/graph/diagnostics.h"
#include "runtime/graph/plan.h"

namespace headrace {

/// Turns `node.schema` from the fields that the node writes into the fields of the edge it feeds, by its op's
/// rate:
///   SOURCE, REDUCE       what it writes
///   MAP, EXPAND, WINDOW  its input's fields, without the removed ones; what it writes replaces or follows
///   JOIN, MERGE          what it takes
/// False when that breaks a rule, which was reported.
bool make_edge_schema(PlanNode& node, const std::vector<const Schema*>& inputs,
                      const std::vector<std::string>& input_names, Diagnostics& diagnostics);

}  // namespace headrace
