// SPDX-License-Identifier: Apache-2.0
//
// Whether a run can begin in the middle of an epoch, or has to go through its beginning again and discard
// what was delivered. Asked by `plan` and when a checkpoint is restored. Pure.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/graph/plan.h"
#include "runtime/graph/segments.h"

namespace headrace {

/// "" when what comes out of the frame depends on the samples of its own batch alone, so that the sources may
/// begin at that batch's first sample. Else why not: "'shuffle' (flow.shuffle) chooses from a window".
std::string why_not_seekable(const Plan& plan, const FrameGraph& graph, std::size_t frame);
/// The same of the whole plan: of the first output that is not.
std::string why_not_seekable(const Plan& plan);

/// The reduces between the sources and a frame that is seekable, the frame itself included, each with how
/// many of its batches make one record of the frame. From the frame upwards.
struct ReduceAbove {
  std::size_t frame = 0;
  std::uint64_t batches = 1;
};
std::vector<ReduceAbove> reduces_above(const Plan& plan, const FrameGraph& graph, std::size_t frame);

}  // namespace headrace
