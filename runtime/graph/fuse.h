// SPDX-License-Identifier: Apache-2.0
//
// Nodes -> frames: each op is offered the op that follows, and may absorb it. Called by make_plan() once all
// nodes are checked. Pure: calls only absorb() of ops.

#pragma once

#include "runtime/graph/diagnostics.h"
#include "runtime/graph/plan.h"

namespace headrace {

/// Fills plan.frames, in topological order. A follower is offered when it is the only one that reads the
/// frame's last member, is a map and no exchange, sets neither tokens nor concurrency, reads only what the
/// last member writes, and replaces or makes needless all that the frame writes; otherwise not_fused says
/// which of these it is not. An op that answers an offer with neither OK nor UNSUPPORTED is reported.
void fuse(Plan& plan, Diagnostics& diagnostics);

}  // namespace headrace
