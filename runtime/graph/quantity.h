// SPDX-License-Identifier: Apache-2.0
//
// Sizes and durations as graph files write them: 64MiB, 1.5GiB, 500MB, 1000000; 500ms, 30s, 2min. Called by
// spec.cpp for `memory` and `tokens`, by check for parameters of these types, and by print to show them.
// Pure.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/graph/value.h"
#include "runtime/status.h"

namespace headrace {

/// Bytes of "64MiB", "1.5GiB", "500MB" or "4096": a decimal number and one of B, kB, MB, GB, TB (powers of
/// 1000), KiB, MiB, GiB, TiB (powers of 1024), or a whole number of bytes. Fractions of a byte are dropped.
/// Fails with what a size must look like, as in "a size such as 64MiB or 500MB, not 'many'".
Result<std::int64_t> parse_size(std::string_view text);

/// Seconds of "500ms", "30s", "2min", "1.5h", "250us"; a bare number is seconds.
Result<double> parse_seconds(std::string_view text);

/// The same for a value of a graph file, which may be a plain number too. Fails with the end of a sentence
/// that begins "must be".
Result<std::int64_t> size_of(const Value& value);
Result<double> seconds_of(const Value& value);

/// For people: "64 MiB", "1.5 GiB", "117 B": the largest binary unit with at most two decimals.
std::string size_text(std::int64_t bytes);

}  // namespace headrace
