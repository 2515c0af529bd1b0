// SPDX-License-Identifier: Apache-2.0
//
// What a node's `sampling` says, with its files read: files of indices and of weights, one number a line.
// Called when a source is opened.

#pragma once

#include <cstdint>
#include <optional>

#include "runtime/graph/spec.h"
#include "runtime/state/sampling.h"
#include "runtime/status.h"

namespace headrace {

/// `listed`: samples of the source's listing. Without a spec all of them, once. Faults of the files come back
/// as "sampling.weights: classes.txt:17: ...". A file of indices takes 8 bytes a line, one of weights 8 bytes
/// a sample of the listing, and as much again while it is opened.
Result<Sampling> open_sampling(const std::optional<SamplingSpec>& spec, bool shuffle, std::uint64_t listed);

}  // namespace headrace
