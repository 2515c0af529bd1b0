// SPDX-License-Identifier: Apache-2.0
//
// Frames -> segments: where tokens change hands, what one item of a segment holds, and whether rows of a
// batch are written in place. Called by make_plan() after fuse. Pure.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/graph/diagnostics.h"
#include "runtime/graph/plan.h"

namespace headrace {

/// How the frames of a plan hang together.
struct FrameGraph {
  explicit FrameGraph(const Plan& plan);

  std::vector<std::size_t> frame_of_node;
  std::vector<std::vector<std::size_t>> inputs;   ///< by frame: those it reads, in the order of `from`
  std::vector<std::vector<std::size_t>> readers;  ///< by frame: those that read it, without doubles
  std::vector<bool> feeds_output;                 ///< by frame
};

/// Fills plan.segments with their frames and ends, and PlanFrame::segment; caps are not set yet. Reports
/// joins whose inputs can never hold the same sample.
void cut_segments(Plan& plan, const FrameGraph& graph, Diagnostics& diagnostics);

/// Fills plan.rows: one for each output of each reduce.
void lend_rows(Plan& plan, const FrameGraph& graph);

/// Fills PlanSegment::item_bytes from the fields that an item holds at once, rows lent to it left out. Gives
/// by segment the bytes that are known, those of fields of unknown size not counted.
std::vector<std::int64_t> measure_items(Plan& plan, const FrameGraph& graph);

/// The node that a frame begins with, and the one it ends with.
const PlanNode& first_node(const Plan& plan, const PlanFrame& frame);
const PlanNode& last_node(const Plan& plan, const PlanFrame& frame);

}  // namespace headrace
