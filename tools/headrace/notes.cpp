// SPDX-License-Identifier: Apache-2.0
//
// See notes.h.
#include "notes.h"

#include <algorithm>

namespace headrace::cli {
namespace {

using nlohmann::json;

std::vector<double> numbers(const json& params, const char* key) {
  if (!params.contains(key)) return {};
  const json& value = params.at(key);
  if (value.is_number()) return {value.get<double>()};
  return value.is_array() ? value.get<std::vector<double>>() : std::vector<double>{};
}

/// The nodes from which `to` gets its records, `to` included.
std::vector<bool> upstream(const PlanView& plan, std::size_t to) {
  std::vector<bool> found(plan.nodes.size(), false);
  found[to] = true;
  for (std::size_t i = plan.nodes.size(); i-- > 0;) {
    if (!found[i]) continue;
    for (const std::size_t from : plan.nodes[i].from) found[from] = true;
  }
  return found;
}

}  // namespace

std::map<std::string, Normalisation, std::less<>> normalisations(const PlanView& plan, std::size_t output) {
  std::map<std::string, Normalisation, std::less<>> known;
  const std::vector<bool> on_the_way = upstream(plan, plan.outputs.at(output).from);
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
    const NodeView& node = plan.nodes[i];
    if (!on_the_way[i] || node.op != "image.normalize") continue;
    for (const std::string& field : node.writes)
      known[field] = {numbers(node.params, "mean"), numbers(node.params, "std")};
  }
  return known;
}

std::vector<std::string> class_names(const nlohmann::ordered_json& described) {
  if (!described.is_structured()) return {};
  if (described.is_object() && described.contains("classes")) {
    const nlohmann::ordered_json& classes = described.at("classes");
    const auto is_text = [](const nlohmann::ordered_json& name) { return name.is_string(); };
    if (classes.is_array() && std::all_of(classes.begin(), classes.end(), is_text))
      return classes.get<std::vector<std::string>>();
  }
  for (const nlohmann::ordered_json& part : described) {
    std::vector<std::string> names = class_names(part);
    if (!names.empty()) return names;
  }
  return {};
}

SheetNotes notes_of(const Graph& graph, const Pipeline& pipeline, std::uint32_t output) {
  const PlanView plan = read_plan(json::parse(headrace_graph_plan_json(graph.get())));
  const nlohmann::ordered_json described =
      ask_json([&](const headrace_sink* sink) { headrace_describe(pipeline.get(), sink); });
  return {normalisations(plan, output), class_names(described)};
}

}  // namespace headrace::cli
