// SPDX-License-Identifier: Apache-2.0
//
// What a graph knows about the pictures of an output: how they were normalised, what their labels are called.
// Main thread.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "handles.h"
#include "plan_view.h"
#include "sheet.h"

namespace headrace::cli {

SheetNotes notes_of(const Graph& graph, const Pipeline& pipeline, std::uint32_t output);

/// By field: what the last image.normalize on the way to an output did to it.
std::map<std::string, Normalisation, std::less<>> normalisations(const PlanView& plan, std::size_t output);
/// The first list of texts called `classes` in what headrace_describe() wrote.
std::vector<std::string> class_names(const nlohmann::ordered_json& described);

}  // namespace headrace::cli
