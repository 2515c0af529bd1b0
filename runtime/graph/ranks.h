// SPDX-License-Identifier: Apache-2.0
//
// Which rank of how many this process is: what the graph says, else what the launcher put into the
// environment. Called by parse.cpp. Pure but for the reader of the environment, which tests replace.

#pragma once

#include <functional>
#include <optional>
#include <string>

#include "runtime/graph/diagnostics.h"
#include "runtime/graph/spec.h"

namespace headrace {

/// runtime.rank and runtime.world when both are given. Else the first of these pairs of which anything is
/// set: RANK and WORLD_SIZE (torchrun, and what follows it), SLURM_PROCID and SLURM_NTASKS,
/// OMPI_COMM_WORLD_RANK and OMPI_COMM_WORLD_SIZE. Else rank 0 of 1. A pair of which half is there, or which
/// makes no sense, is reported and counts as rank 0 of 1; what is wrong with the environment is reported at
/// `otherwise`.
RanksSpec find_ranks(const RuntimeSpec& runtime, const Location& otherwise,
                     const std::function<std::optional<std::string>(const std::string& name)>& getenv,
                     Diagnostics& diagnostics);

}  // namespace headrace
