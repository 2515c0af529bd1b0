// SPDX-License-Identifier: Apache-2.0
//
// The C API's graph: text to plan, and what can be asked of it. Called by the embedding program, one thread
// at a time for a graph.
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "runtime/embed/border.h"
#include "runtime/embed/handles.h"
#include "runtime/graph/parse.h"
#include "runtime/plugin/loader.h"
#include "runtime/watch/machine.h"

namespace headrace {
namespace {

constexpr std::string_view kNamelessText = "graph";

Status check_options(const headrace_graph_options* options) {
  if (options == nullptr) return {Code::invalid_argument, "headrace_graph_load() needs options"};
  if (!HEADRACE_HAS(options, plugin_count)) {
    return {Code::invalid_argument, "options.size is not sizeof(headrace_graph_options)"};
  }
  if (options->path == nullptr && options->text == nullptr)
    return {Code::invalid_argument, "give a path or a text in the options"};
  if ((options->set_count > 0 && options->sets == nullptr) ||
      (options->plugin_count > 0 && options->plugins == nullptr)) {
    return {Code::invalid_argument, "options count settings or plugins that are not there"};
  }
  return {};
}

std::optional<GraphSpec> parse(const headrace_graph_options& options, const std::string& path,
                               Diagnostics& diagnostics) {
  ParseOptions parse_options;
  if (options.profile != nullptr) parse_options.profile = options.profile;
  for (std::uint32_t i = 0; i < options.set_count; ++i) parse_options.sets.emplace_back(options.sets[i]);
  return options.text == nullptr ? parse_file(path, parse_options, diagnostics)
                                 : parse_text(options.text, path, parse_options, diagnostics);
}

Status load(const headrace_graph_options& options, headrace_graph& graph) {
  graph.path = options.path != nullptr ? options.path : kNamelessText;
  std::optional<GraphSpec> spec = parse(options, graph.path, graph.diagnostics);
  Registry& registry = graph.loaded->registry;
  for (std::uint32_t i = 0; i < options.plugin_count; ++i) {
    const Status added = registry.add(options.plugins[i], "memory of this program");
    if (added.ok()) continue;
    graph.diagnostics.error({graph.path, 0, 0},
                            "a plugin from the memory of this program: " + added.message());
  }
  if (spec) {
    load_plugins(spec->plugins, std::filesystem::path(graph.path).parent_path(), plugin_places(), registry,
                 graph.diagnostics);
    std::optional<Plan> plan = make_plan(std::move(*spec), registry, this_machine(), graph.diagnostics);
    if (plan && !graph.diagnostics.has_errors()) graph.loaded->plan = std::move(plan);
  }
  graph.error_text = graph.diagnostics.render();
  return graph.is_usable() ? Status() : Status(Code::invalid_argument, "");
}

std::string list_json(const Diagnostics& diagnostics) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Diagnostic& diagnostic : diagnostics.sorted()) {
    const char* severity = diagnostic.severity == Severity::error     ? "error"
                           : diagnostic.severity == Severity::warning ? "warning"
                                                                      : "note";
    list.push_back({{"file", diagnostic.where.file},
                    {"line", diagnostic.where.line},
                    {"column", diagnostic.where.column},
                    {"severity", severity},
                    {"text", diagnostic.text}});
  }
  return list.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

/// A failure that is of no place in the file.
void say(headrace_graph& graph, const Status& status) {
  if (status.message().empty()) return;
  graph.diagnostics.error({graph.path, 0, 0}, status.message());
  graph.error_text = graph.diagnostics.render();
}

}  // namespace

Location place_of(const Plan& plan, std::string_view message) {
  constexpr std::string_view kStart = "node '";
  if (message.starts_with(kStart)) {
    const std::string_view name =
        message.substr(kStart.size(), message.find('\'', kStart.size()) - kStart.size());
    for (const PlanNode& node : plan.nodes) {
      if (node.name == name) return node.where;
    }
  }
  return {plan.spec.where.file, 0, 0};
}

}  // namespace headrace

headrace_status headrace_graph_load(const headrace_graph_options* options, headrace_graph** graph) {
  if (graph == nullptr) return HEADRACE_INVALID_ARGUMENT;
  *graph = nullptr;
  return headrace::guarded(
      [&]() -> headrace::Status {
        auto made = std::make_unique<headrace_graph>();
        *graph = made.release();
        const headrace::Status checked = headrace::check_options(options);
        return checked.ok() ? headrace::load(*options, **graph) : checked;
      },
      [&](const headrace::Status& status) {
        if (*graph != nullptr) headrace::say(**graph, status);
      });
}

const char* headrace_graph_error(const headrace_graph* graph) {
  if (graph == nullptr) return "";
  return headrace::is_forked(graph) ? headrace::kForkedText : graph->error_text.c_str();
}

const char* headrace_graph_diagnostics(headrace_graph* graph) {
  if (graph == nullptr || headrace::is_forked(graph)) return "[]";
  return headrace::guarded_text([&] {
    graph->diagnostics_json = headrace::list_json(graph->diagnostics);
    return graph->diagnostics_json.c_str();
  });
}

const char* headrace_graph_plan(headrace_graph* graph) {
  if (graph == nullptr || headrace::is_forked(graph) || !graph->is_usable()) return "";
  return headrace::guarded_text([&] {
    graph->plan_text = headrace::print_plan(*graph->loaded->plan);
    return graph->plan_text.c_str();
  });
}

const char* headrace_graph_plan_json(headrace_graph* graph) {
  if (graph == nullptr || headrace::is_forked(graph) || !graph->is_usable()) return "";
  return headrace::guarded_text([&] {
    graph->plan_json = headrace::plan_json(*graph->loaded->plan);
    return graph->plan_json.c_str();
  });
}

headrace_status headrace_graph_check_data(headrace_graph* graph, const headrace_progress* progress) {
  if (graph == nullptr) return HEADRACE_INVALID_ARGUMENT;
  if (headrace::is_forked(graph)) return HEADRACE_FORKED;
  if (!graph->is_usable()) return HEADRACE_FAILED_PRECONDITION;
  const headrace::Plan& plan = *graph->loaded->plan;
  return headrace::guarded(
      [&]() -> headrace::Status {
        if (!headrace::may_start_threads()) return {headrace::Code::forked, headrace::kForkedFromOpenText};
        return headrace::Pipeline::check_data(plan, progress);
      },
      [&](const headrace::Status& status) {
        if (status.code() == headrace::Code::cancelled) return;
        graph->diagnostics.error(headrace::place_of(plan, status.message()), status.message());
        graph->error_text = graph->diagnostics.render();
      });
}

void headrace_graph_free(headrace_graph* graph) {
  // A child leaves its parent's ops alone: their locks and threads are not here.
  if (graph != nullptr && !headrace::is_forked(graph)) delete graph;
}
