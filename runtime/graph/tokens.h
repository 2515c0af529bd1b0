// SPDX-License-Identifier: Apache-2.0
//
// How many items and bytes each segment may hold: what the graph gives, what the ops need, and the rest so
// that `memory` holds it all. Called by make_plan() as its last step. Pure.

#pragma once

#include <cstdint>
#include <vector>

#include "runtime/graph/diagnostics.h"
#include "runtime/graph/plan.h"
#include "runtime/graph/segments.h"

namespace headrace {

/// Fills the caps of plan.segments. `known_bytes` is what measure_items() gave. Caps that the graph gives
/// stay as they are; the others begin at what keeps every thread busy and go down towards least_items() until
/// `memory` holds all, then the bytes left over are shared out, so that the caps in bytes add up to
/// plan.memory_bytes. Reported: two nodes that give one segment tokens, caps below what an op must hold,
/// forks and joins that would deadlock, and a memory that cannot hold what is given or the least.
void size_tokens(Plan& plan, const FrameGraph& graph, const std::vector<std::int64_t>& known_bytes,
                 Diagnostics& diagnostics);

}  // namespace headrace
