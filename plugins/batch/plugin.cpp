// SPDX-License-Identifier: Apache-2.0
//
// The plugin "batch": records made into batches.

#include <headrace/cpp/op.hpp>

#include "stack.h"

HEADRACE_PLUGIN("batch", HEADRACE_BUNDLED_VERSION, "Records made into batches.", headrace::batch::Stack)
