// SPDX-License-Identifier: Apache-2.0
//
// How far back a run has to begin to go on in the middle of an epoch. Some exchanges number their records:
// a source by position in the epoch's global order, a window, a mix and an expanding op by how many they let
// out before. What follows a numbering exchange and depends on its own records alone can go on at a number.
// Asked by `plan` and when a checkpoint is restored. Pure.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/graph/plan.h"
#include "runtime/graph/segments.h"

namespace headrace {

/// The exchange whose numbers tell where an output stands, or none and why not: the epoch then has to be gone
/// through again from its beginning up to the output.
struct Numbering {
  std::optional<std::size_t> frame;
  std::string why_not;  ///< "'total' (acme.total) has a state of its own"
};
Numbering numbering_of(const Plan& plan, const FrameGraph& graph, std::size_t frame);

/// The reduces between a frame and the exchange that numbers it, the frame itself included, each with how
/// many of its batches make one record of the frame. From the frame upwards.
struct ReduceAbove {
  std::size_t frame = 0;
  std::uint64_t batches = 1;
};
std::vector<ReduceAbove> reduces_above(const Plan& plan, const FrameGraph& graph, std::size_t frame);

/// What going on costs, for people, of the output that costs most: "at once: ...", "what comes before 'mix'
/// is gone through again: ...".
std::string resume_text(const Plan& plan);

}  // namespace headrace
