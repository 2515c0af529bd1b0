// SPDX-License-Identifier: Apache-2.0
//
// Plugins from name to registry: found by search.h, scanned by scan.h or known by cache.h, loaded for good.
// The C API's border calls it before a graph is checked, and for the `plugins` command. One thread at a time
// for one registry.

#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runtime/graph/diagnostics.h"
#include "runtime/graph/spec.h"
#include "runtime/plugin/registry.h"
#include "runtime/plugin/scan_result.h"
#include "runtime/plugin/search.h"

namespace headrace {

/// Loads what a graph lists under `plugins:`, in its order, then the bundled plugins. A plugin whose name is
/// in the registry already (handed in from memory, or listed by the graph) takes the place of the bundled one
/// of that name. What is listed and cannot be had is an error at its place in the graph; a bundled plugin
/// that cannot be had is in registry.refused(). Libraries stay loaded until the process ends.
void load_plugins(const std::vector<LocatedName>& listed, const std::filesystem::path& graph_folder,
                  const PluginPlaces& places, Registry& registry, Diagnostics& diagnostics);

/// A library as the `plugins` command shows it.
struct PluginReport {
  std::filesystem::path path;
  std::string found_in;  ///< "bundled", "HEADRACE_PLUGIN_PATH", or "" for a path that was given
  bool from_cache = false;
  std::filesystem::path
      hidden_by;  ///< the library that is found in its stead under its file name; empty: none
  ScanResult result;
};

/// Every library in the search folders and among the bundled plugins, in the order in which names are looked
/// up. Loads none.
std::vector<PluginReport> find_plugins(const PluginPlaces& places);
/// Scans one library, whatever the cache says, and keeps the result there.
PluginReport check_plugin_file(const std::filesystem::path& library, const PluginPlaces& places);

/// An object: path, found_in, from_cache, hidden_by (a path or null), and: ok, reason, may_heal; or name,
/// version, doc, abi ("1.0": major and least minor), ops (name, doc, version).
nlohmann::json to_json(const PluginReport& report);

}  // namespace headrace
