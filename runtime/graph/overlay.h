// SPDX-License-Identifier: Apache-2.0
//
// Laying one document over another: include < file < profile < --set. Maps merge key by key, everything else
// is replaced. Called by parse.cpp before anything is substituted. Pure.

#pragma once

#include <string>

#include "runtime/graph/diagnostics.h"
#include "runtime/graph/value.h"

namespace headrace {

/// `over` laid over `base`: where both are maps, key by key and deeply, base's keys first and in their order;
/// otherwise `over` takes base's place. A broken `over` leaves `base`.
Value overlay(Value base, Value over);

/// Applies "a.b.c=yaml" to a graph document (a map), which keeps what it was when the text is at fault. Maps
/// on the way are made where they are missing, except that nodes, outputs and vars must be there: a setting
/// adds no node and no var. All places in what is set are "--set a.b.c".
void apply_setting(Value& document, const std::string& setting, Diagnostics& diagnostics);

}  // namespace headrace
