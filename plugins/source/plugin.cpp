// SPDX-License-Identifier: Apache-2.0
//
// The plugin "source": where samples come from.

#include <headrace/cpp/op.hpp>

#include "files.h"
#include "range.h"
#include "read.h"

HEADRACE_PLUGIN("source", HEADRACE_BUNDLED_VERSION, "Files found and read, and numbers in a row.",
                headrace::source::Files, headrace::source::Read, headrace::source::Range)
