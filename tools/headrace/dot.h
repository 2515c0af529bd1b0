// SPDX-License-Identifier: Apache-2.0
//
// A plan as a picture: DOT text, and SVG drawn from it by Graphviz. Used by `graph`. Main thread.
#pragma once

#include <string>

#include "plan_view.h"

namespace headrace::cli {

/// Top to bottom: a box for each node, nodes that run as one in a common box, segments as areas whose first
/// node says the caps of their tokens, the fields that somebody reads on the edges, a mark where a row is
/// written straight into its batch. Elements have the classes source, node, output, frame, segment, zerocopy,
/// inside, edge, for a style sheet.
std::string to_dot(const PlanView& plan);

/// Runs Graphviz's `dot` and adds a style sheet with colours for light and dark surroundings. Throws
/// std::runtime_error: dot is not installed, or refused.
std::string to_svg(const std::string& dot);

}  // namespace headrace::cli
