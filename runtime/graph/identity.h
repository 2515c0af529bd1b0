// SPDX-License-Identifier: Apache-2.0
//
// What of a plan decides which batches come out of it, as a short hash for each node: so that a checkpoint of
// another graph is noticed and the difference can be named. Called when a pipeline is opened. Pure.

#pragma once

#include <functional>
#include <map>
#include <string>

#include "runtime/graph/plan.h"

namespace headrace {

/// By name of the node, and of the output as "output NAME": 8 hexadecimal digits over op, version, inputs,
/// parameters, what a failure does, and order. Not over what changes no batch: threads, tokens, concurrency,
/// memory, fusion. Of a source for which `lists(node)` is true the parameters do not count, since its listing
/// does: data may lie elsewhere on another machine. Of a reduce the size counts as the batch of all `world`
/// ranks, so that other numbers of ranks can go on with it.
std::map<std::string, std::string> identify_nodes(const Plan& plan, std::uint32_t world,
                                                  const std::function<bool(const PlanNode&)>& lists);

}  // namespace headrace
