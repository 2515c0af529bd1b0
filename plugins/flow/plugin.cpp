// SPDX-License-Identifier: Apache-2.0
//
// The plugin "flow": streams shuffled, joined, mixed and thinned out.

#include <headrace/cpp/op.hpp>

#include "filter.h"
#include "mix.h"
#include "shuffle.h"
#include "zip.h"

HEADRACE_PLUGIN("flow", HEADRACE_BUNDLED_VERSION, "Streams shuffled, joined, mixed and thinned out.",
                headrace::flow::Shuffle, headrace::flow::Zip, headrace::flow::Mix, headrace::flow::Filter)
