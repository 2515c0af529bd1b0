// SPDX-License-Identifier: Apache-2.0
//
// The host's side of an op's declare(): it gives the op the schemas of its inputs and turns what it says into
// ports, settings and the schema of the edge that its node feeds. Called by check.cpp, node after node in
// topological order. Pure.

#pragma once

#include <headrace/host.h>

#include <memory>
#include <string>
#include <vector>

#include "runtime/graph/diagnostics.h"
#include "runtime/graph/plan.h"
#include "runtime/graph/spec.h"

namespace headrace {

/// The host that ops see while a graph is planned: it lends no suite, since declare() and absorb() are pure.
const headrace_host* planning_host();

/// Has the op of `node` declare, with `inputs` the schemas of what it reads, in the order of `from`, and
/// their nodes' names beside them. Fills the declared part of `node`. False when something was wrong, which
/// was reported: missing fields, what the op itself objects to, and declarations that break the ABI's rules.
bool declare(PlanNode& node, const NodeSpec& spec, const std::vector<const Schema*>& inputs,
             const std::vector<std::string>& input_names, Diagnostics& diagnostics);

}  // namespace headrace
