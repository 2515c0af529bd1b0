// SPDX-License-Identifier: Apache-2.0
//
// What this process may use of the machine: cores by affinity and control-group quota, memory by
// control-group limit. Called once by the C API's border when a graph is loaded.
#pragma once

#include <filesystem>

#include "runtime/graph/plan.h"

namespace headrace {

/// Cores: what the affinity mask holds, at most the CPU quota rounded up (a quota of 1.5 cores is used by two
/// threads, not by one). Memory: the machine's, at most the least limit of the control groups above this
/// process. Both are those of Linux control groups version 2 (cpu.max, memory.max) and version 1
/// (cpu.cfs_quota_us, memory.limit_in_bytes), each group up to the root being asked. What cannot be read does
/// not limit; cores are at least 1. `root` is "/" but in tests. [any thread]
Machine this_machine(const std::filesystem::path& root = "/");

}  // namespace headrace
