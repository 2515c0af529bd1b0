// SPDX-License-Identifier: Apache-2.0
//
// What exchanges hold back before they give anything, and whether the branches that meet again further on can
// hold as much. Called by tokens.cpp. Pure.

#pragma once

#include <cstdint>
#include <vector>

#include "runtime/graph/diagnostics.h"
#include "runtime/graph/plan.h"
#include "runtime/graph/segments.h"

namespace headrace {

/// Items that a segment must be able to hold for its own exchange to work: a window all its records, a reduce
/// a batch for each open group, everything else one.
std::int64_t least_items(const Plan& plan, const PlanSegment& segment);

/// Where a fan-out's branches meet in a join, the join's first record needs `n` records to have entered the
/// branch that holds back most; the other branch must hold those, in the segment that is fanned out (whose
/// token they share) and in segments of its own. Raises caps that the graph does not give; reports those
/// given that are too small, and merges of branches of one fan-out, since a merge may take from one branch as
/// long as it likes.
///
/// Why that is enough: a join takes what arrives without waiting for a token, pairs it, and lets go of what
/// is paired. So it stands still only while one input has nothing to give. That input's exchanges give as
/// soon as `n` records have entered; they can enter while the fanned-out segment has tokens, and those are
/// held by nothing but the other inputs' unpaired records.
void check_retention(Plan& plan, const FrameGraph& graph, Diagnostics& diagnostics);

}  // namespace headrace
