// SPDX-License-Identifier: Apache-2.0
//
// Ops as their plugins declare them, as JSON: what headrace_inspect() writes. Pure but for calls of
// declare().
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "runtime/plugin/registry.h"
#include "runtime/status.h"

namespace headrace {

/// {"ops": [...]}, sorted by name, each as inspect_op() gives it.
Result<nlohmann::ordered_json> inspect_all(const Registry& registry);

/// name, plugin, plugin_version, version, doc, rate, runs, serial, ordered, absorbs, inputs {min, max (null:
/// no bound)}, params [{name, type, list, one_or_list, required, nullable, default (as written in a graph
/// file; null: none), unit, minimum, maximum, above (the minimum itself is excluded), choices, list_min,
/// list_max, doc}]. not_found with the nearest name when there is no such op.
Result<nlohmann::ordered_json> inspect_op(const Registry& registry, std::string_view name);

}  // namespace headrace
