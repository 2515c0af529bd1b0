// SPDX-License-Identifier: Apache-2.0
//
// Rows of a batch that do not count: where there may be any, and the host's field `mask` that says which.
// Called by check.cpp for every node, in topological order. Pure.

#pragma once

#include <vector>

#include "runtime/graph/diagnostics.h"
#include "runtime/graph/plan.h"

namespace headrace {

inline constexpr const char* kMaskField = "mask";

/// What the op of a REDUCE is shown of its input: all but the masks of batches that are batched again, which
/// the host gathers.
Schema without_masks(const Schema& schema);

/// Whether a REDUCE sorts its records into groups, so that nobody knows how many batches an epoch makes.
inline bool has_groups(const PlanNode& reduce) { return reduce.op->table.assign != nullptr; }

/// Whether a batch of `reduce` may hold blank rows: all zeros, their texts empty. They stand for samples that
/// failed (on_error: mask above it) and for those that were skipped or dropped where every rank must make the
/// same number of steps, or fill the last batch of what has no known length. `input` is what it gathers.
bool may_hold_blanks(const PlanNode& reduce, const PlanNode& input, Ranks ranks);

/// Fills the first part of `node.count`, and adds the mask to what a REDUCE gives where a row may not count:
/// with last: pad, where rows may be blank, and where its records are batches with a mask. `node` has
/// declared and knows its inputs. False when the mask finds its name taken, or a field that may be blank has
/// no fixed shape, which was reported.
bool follow_records(const Plan& plan, PlanNode& node, Diagnostics& diagnostics);

}  // namespace headrace
