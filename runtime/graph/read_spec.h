// SPDX-License-Identifier: Apache-2.0
//
// A merged and substituted document -> GraphSpec: the fixed structure of the graph file, key by key. Called
// by parse.cpp. Pure.

#pragma once

#include <cstddef>
#include <string>

#include "runtime/graph/diagnostics.h"
#include "runtime/graph/spec.h"
#include "runtime/graph/value.h"

namespace headrace {

/// Largest `threads`, `io_threads`, `concurrency`.
inline constexpr int kMaxThreads = 1024;
inline constexpr std::size_t kMaxNodes = 4096;
/// Largest `world`.
inline constexpr std::int64_t kMaxWorld = 1 << 20;

/// Reads all of `document`, a map. Unknown keys, wrong types, values out of range and missing keys are
/// reported; what is at fault is left out of the spec, so that the rest can be checked further. The keys
/// `include` and `profiles` are gone by now. `default_name` is the graph's name when it has none.
GraphSpec read_spec(const Value& document, const std::string& default_name, Diagnostics& diagnostics);

}  // namespace headrace
