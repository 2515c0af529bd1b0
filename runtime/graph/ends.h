// SPDX-License-Identifier: Apache-2.0
//
// How an epoch ends, and whether all ranks make the same number of steps. Called by make_plan() once all
// nodes are checked. Pure.

#pragma once

#include "runtime/graph/diagnostics.h"
#include "runtime/graph/plan.h"

namespace headrace {

/// Fills the second part of PlanNode::count: what its records must be dealt in, for each source, and which
/// batches make rows up. Reported is what cannot be: in a world of several ranks all that could give them
/// unequal numbers of steps (short batches, what makes any number of records of one, groups, losses that no
/// batch after them makes up for); batches of one source that end in different ways where that matters;
/// wrap where nobody knows the length; and on_error: mask where no batch keeps the place.
void plan_ends(Plan& plan, Diagnostics& diagnostics);

}  // namespace headrace
