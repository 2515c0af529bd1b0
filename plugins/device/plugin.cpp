// SPDX-License-Identifier: Apache-2.0
//
// The plugin "device": batches moved to accelerators.

#include <headrace/cpp/op.hpp>

#include "upload.h"

HEADRACE_PLUGIN("device", HEADRACE_BUNDLED_VERSION, "Batches moved to accelerators.",
                headrace::device::Upload)
