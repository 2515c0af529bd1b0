// SPDX-License-Identifier: Apache-2.0
//
// Where a run begins: at the beginning, or behind what a checkpoint says was served. What comes again, since
// an output was further than another or something can only be gone through from the beginning of an epoch, is
// discarded on the way, as early as can be. Made when a pipeline is opened; then only read.

#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "runtime/flow/item.h"
#include "runtime/graph/plan.h"
#include "runtime/state/checkpoint.h"
#include "runtime/state/remainder.h"
#include "runtime/status.h"

namespace headrace {

/// What of the records that arrive was delivered before: of batches those below `ordinal` (made-up ones at
/// the end of an epoch have no number of their own), of other records those that end at or before `end`.
struct Served {
  std::uint64_t ordinal = 0;
  std::uint64_t end = 0;
  bool covers(const Item& item) const { return item.ordinal < ordinal || (end > 0 && item.end <= end); }
};

/// A reduce begins `epoch` with batch number `ordinal`.
struct ReduceStart {
  std::uint64_t ordinal = 0;
  Served served;
};

/// All of it holds in the epoch that the run begins with; later ones begin at their beginning.
struct Start {
  std::uint32_t epoch = 0;
  std::uint64_t position = 0;  ///< global, of the first sample that the sources make again
  Remainders rest;             ///< what is left, where other numbers of ranks began the epoch
  std::uint64_t dealt = 0;     ///< records that each rank had got when the rest was dealt
  bool is_replay = false;      ///< outputs count off what they delivered
  std::map<std::size_t, std::uint64_t> discards;  ///< by frame that numbers records: those below it
  std::map<std::size_t, ReduceStart> reduces;     ///< by frame; others begin with nothing
  std::vector<Served> served;                     ///< by output
  std::vector<OutputPoint> outputs;               ///< in the plan's order

  std::uint64_t discards_of(std::size_t frame) const {
    const auto found = discards.find(frame);
    return found == discards.end() ? 0 : found->second;
  }
};

/// `checkpoint` null: the very beginning. An output that the checkpoint does not know is an error.
Result<Start> make_start(const Plan& plan, const Checkpoint* checkpoint);

}  // namespace headrace
