// SPDX-License-Identifier: Apache-2.0
//
// The plan made into segments, stages and exchanges of a flow whose ops are open. Called once by the
// pipeline.

#pragma once

#include "runtime/flow/flow.h"

namespace headrace {

void build(Flow& flow);

}  // namespace headrace
