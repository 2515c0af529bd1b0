// SPDX-License-Identifier: Apache-2.0
//
// The C API's questions about the program itself: versions, ops, plugins, and where its messages go. [any
// thread but where headrace.h says otherwise]
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "runtime/embed/border.h"
#include "runtime/embed/handles.h"
#include "runtime/embed/inspect.h"
#include "runtime/embed/versions.h"
#include "runtime/plugin/loader.h"
#include "runtime/version.h"
#include "runtime/watch/log.h"

namespace headrace {
namespace {

/// JSON may quote what a file or a plugin says: text that is no UTF-8 is repaired.
template <class Json>
std::string to_text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Without a graph: the bundled ops and those of every sound library on HEADRACE_PLUGIN_PATH.
void load_everything(Registry& registry) {
  const PluginPlaces places = plugin_places();
  std::vector<LocatedName> found;
  for (const PluginReport& report : find_plugins(places)) {
    const bool bundled = report.path.parent_path() == places.bundled;
    if (!bundled && report.result.status.ok() && report.hidden_by.empty())
      found.push_back({report.path.string(), {}});
  }
  Diagnostics refused;
  load_plugins(found, {}, places, registry, refused);
}

}  // namespace
}  // namespace headrace

const char* headrace_version(void) { return headrace::kVersion.data(); }

const char* headrace_version_json(void) {
  return headrace::guarded_text([] {
    static const std::string json = headrace::versions_json();
    return json.c_str();
  });
}

headrace_status headrace_inspect(headrace_graph* graph, const char* op, const headrace_sink* sink) {
  if (sink == nullptr) return HEADRACE_INVALID_ARGUMENT;
  if (graph != nullptr && headrace::is_forked(graph)) return HEADRACE_FORKED;
  return headrace::guarded(
      [&]() -> headrace::Status {
        headrace::Registry own;
        if (graph == nullptr) headrace::load_everything(own);
        const headrace::Registry& registry = graph == nullptr ? own : graph->loaded->registry;
        const headrace::Result<nlohmann::ordered_json> json =
            op == nullptr ? headrace::inspect_all(registry) : headrace::inspect_op(registry, op);
        if (json.ok()) return headrace::write_to(sink, headrace::to_text(*json));
        const headrace::Status told =
            headrace::write_to(sink, headrace::to_text(nlohmann::json{{"error", json.status().message()}}));
        return told.ok() ? json.status() : told;
      },
      [](const headrace::Status&) {});
}

headrace_status headrace_plugins(const headrace_sink* sink) {
  if (sink == nullptr) return HEADRACE_INVALID_ARGUMENT;
  return headrace::guarded(
      [&] {
        nlohmann::json list = nlohmann::json::array();
        for (const headrace::PluginReport& report : headrace::find_plugins(headrace::plugin_places())) {
          list.push_back(headrace::to_json(report));
        }
        return headrace::write_to(sink, headrace::to_text(list));
      },
      [](const headrace::Status&) {});
}

headrace_status headrace_plugin_check(const char* path, const headrace_sink* sink) {
  if (path == nullptr || sink == nullptr) return HEADRACE_INVALID_ARGUMENT;
  return headrace::guarded(
      [&]() -> headrace::Status {
        const headrace::PluginReport report = headrace::check_plugin_file(path, headrace::plugin_places());
        const headrace::Status written =
            headrace::write_to(sink, headrace::to_text(headrace::to_json(report)));
        return written.ok() ? report.result.status : written;
      },
      [](const headrace::Status&) {});
}

void headrace_set_log(void (*write)(void* context, headrace_log_level level, headrace_text text),
                      void* context, headrace_log_level least) {
  headrace::guarded(
      [&]() -> headrace::Status {
        headrace::set_log(write, context, least);
        return {};
      },
      [](const headrace::Status&) {});
}
