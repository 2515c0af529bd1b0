// SPDX-License-Identifier: Apache-2.0
//
// What exchanges hold back, and whether the branches that meet again further on can hold as much. Called by
// tokens.cpp. Pure.

#pragma once

#include <cstdint>

#include "runtime/graph/diagnostics.h"
#include "runtime/graph/plan.h"
#include "runtime/graph/segments.h"

namespace headrace {

/// Items that a segment must be able to hold for its own exchange to work: a window all its records, a reduce
/// a batch for each open group, everything else one.
std::int64_t least_items(const Plan& plan, const PlanSegment& segment);

/// Joins that would wait for ever. Raises caps that the graph does not give; reports those given that are too
/// small, joins of batches of different sizes out of one fan-out, and merges of branches of one fan-out.
///
/// Why the caps it leaves are enough. A join pairs what arrives without waiting for a token, so a record
/// waits in it only while a partner has not come. A partner that does not come is held back by an exchange of
/// its branch: a window may keep any of its records as long as it likes, everything else gives what it gets.
/// So at most R records of a branch are held back, R being the sum over the exchanges of that branch alone;
/// and from one branch at most U records wait in the join, U being the sum of R over the other branches. They
/// live by tokens of the segment that ends in the join. If that has room for U and one more, the branch
/// always has a token for its next record, so every branch goes on giving, and every window gets the records
/// by which it lets go of others. One segment may wait in several joins at once: their U add up.
///
/// In order any the end of an epoch goes on only when its segment is empty. A window lets go of its last
/// records when that end comes, so their partners must not wait in a segment above it.
///
/// A merge may take from one input as long as it likes. While it does, the records of another input keep
/// their tokens, and where both come from one fan-out those are the tokens that the first input's records
/// need.
void check_retention(Plan& plan, const FrameGraph& graph, Diagnostics& diagnostics);

}  // namespace headrace
