// SPDX-License-Identifier: Apache-2.0
//
// Whose order a join keeps. Called by tokens.cpp. Pure.

#pragma once

#include <cstddef>

#include "runtime/graph/diagnostics.h"
#include "runtime/graph/plan.h"
#include "runtime/graph/segments.h"

namespace headrace {

/// A join in strict order keeps the order of its shuffled branch: its partners then wait no longer than the
/// window is. In the order of another branch a record could stay in the window for as long as chance wills,
/// while what it pairs with fills every token. So branches that are shuffled apart are refused.
void choose_leaders(Plan& plan, const FrameGraph& graph, Diagnostics& diagnostics);

/// True when a join has inputs that passed this frame and inputs that did not: it must learn of what is
/// dropped before the frame. (Where all passed, what is dropped before is missing on every branch alike.)
bool feeds_join(const Plan& plan, std::size_t frame);

}  // namespace headrace
