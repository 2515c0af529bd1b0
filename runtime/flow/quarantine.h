// SPDX-License-Identifier: Apache-2.0
//
// The end of a flow, whatever its ops do (docs/decisions/0008-quarantine.md). Called by the pipeline.

#pragma once

#include <memory>

namespace headrace {

class Flow;

/// Stops the flow and frees it. When calls of its ops do not come back within 2 s each is named in the log,
/// and the flow stays behind with all that they may touch, until they do. [the owner]
void close_flow(std::unique_ptr<Flow> flow);

}  // namespace headrace
