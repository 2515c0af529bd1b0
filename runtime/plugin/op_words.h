// SPDX-License-Identifier: Apache-2.0
//
// What an op's table says, in the words that plans, inspect and messages use for it.
#pragma once

#include <headrace/op.h>

namespace headrace {

/// "map", "source", ...; "unknown" for what is none of them.
const char* rate_name(headrace_rate rate);
/// "cpu", "blocking" or "async"; else "unknown".
const char* runs_name(headrace_runs runs);

}  // namespace headrace
