// SPDX-License-Identifier: Apache-2.0
//
// The plugin "batch": records made into batches, and batches mixed.

#include <headrace/cpp/op.hpp>

#include "mix_ops.h"
#include "stack.h"

HEADRACE_PLUGIN("batch", HEADRACE_BUNDLED_VERSION, "Records made into batches, and batches mixed.",
                headrace::batch::Stack, headrace::batch::MixUp, headrace::batch::CutMix)
