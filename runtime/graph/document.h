// SPDX-License-Identifier: Apache-2.0
//
// YAML text -> one located Value, by yaml-cpp's parser events. The only file of the runtime that knows
// yaml-cpp. Called by overlay.cpp for every file and every --set. Pure; nothing is thrown but std::bad_alloc.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "runtime/graph/diagnostics.h"
#include "runtime/graph/value.h"

namespace headrace {

inline constexpr std::size_t kMaxDocumentBytes = std::size_t{16} << 20;
inline constexpr std::size_t kMaxDocumentDepth = 64;
/// Values that aliases and merge keys may add to those written: what stops an alias bomb.
inline constexpr std::size_t kMaxAliasedValues = 100'000;

/// Reads the one document in `text`, UTF-8. Handled on purpose, where YAML or yaml-cpp would let it pass:
///   - duplicate keys are errors at the second's place; the first stays;
///   - `<<` merges a map or a list of maps: keys written in place win, then earlier maps;
///   - an alias inside its own anchor, more than one document, tags other than !!str, !!map and !!seq, keys
///   that are
///     lists or maps, empty list elements ([1,,2]) and control characters are errors;
///   - scalars are typed by scalar.h; quoted and block scalars are text.
/// An empty document is null. What is at fault is reported and becomes a broken value; after a syntax error
/// the whole result is broken, since what follows cannot be trusted.
Value read_document(std::string_view text, const std::string& file, Diagnostics& diagnostics);

/// Reads the right side of `--set path=text`. All places are `source` ("--set path") without line; plain
/// scalars are untyped_scalar()s.
Value read_setting(std::string_view text, const std::string& source, Diagnostics& diagnostics);

}  // namespace headrace
