// SPDX-License-Identifier: Apache-2.0
//
// Where a run begins: at the beginning, or behind what a checkpoint says was served. Sources begin at
// `position` of `epoch`; what comes again, since an output was further than another or the graph can only be
// gone through from the beginning of an epoch, is discarded on the way. Made when a pipeline is opened; then
// only read.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "runtime/graph/plan.h"
#include "runtime/state/checkpoint.h"
#include "runtime/status.h"

namespace headrace {

/// A reduce begins `epoch` with batch number `ordinal`; records that end at or before `end` are in former
/// ones.
struct ReduceStart {
  std::uint64_t ordinal = 0;
  std::uint64_t end = 0;
};

struct Start {
  std::uint32_t epoch = 0;
  std::uint64_t position = 0;  ///< global, of the first sample that is made again
  bool is_replay = false;      ///< outputs count off what they delivered, from the epoch's beginning
  std::map<std::size_t, ReduceStart> reduces;  ///< by frame; others begin with nothing
  std::vector<OutputPoint> outputs;            ///< in the plan's order
};

/// `checkpoint` null: the very beginning. An output that the checkpoint does not know is an error.
Result<Start> make_start(const Plan& plan, const Checkpoint* checkpoint);

}  // namespace headrace
