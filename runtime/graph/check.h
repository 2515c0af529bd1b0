// SPDX-License-Identifier: Apache-2.0
//
// Spec and registry -> the nodes and outputs of a plan: names resolved (links.h), parameters bound
// (bind_params.h), ops heard (declare.h), fields that nobody reads marked. The first step of make_plan().
// Pure.

#pragma once

#include "runtime/graph/diagnostics.h"
#include "runtime/graph/plan.h"
#include "runtime/plugin/registry.h"

namespace headrace {

/// Fills plan.nodes and plan.outputs from plan.spec. Everything wrong is reported; a node that cannot be
/// heard because of an error before it is passed over. True when all nodes and outputs are there, so that
/// frames can be made of them.
bool check(Plan& plan, const Registry& registry, Diagnostics& diagnostics);

}  // namespace headrace
