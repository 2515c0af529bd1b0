// SPDX-License-Identifier: Apache-2.0
//
// Where plugin libraries are looked for. Called by loader.cpp before anything is loaded. Reads the
// environment and the file system, keeps nothing.

#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/status.h"

namespace headrace {

/// The folders and files that finding plugins depends on, so that tests can say them.
struct PluginPlaces {
  std::vector<std::filesystem::path> search;  ///< HEADRACE_PLUGIN_PATH, in order, empty entries left out
  std::filesystem::path bundled;              ///< folder of the plugins that came with this library
  std::filesystem::path scanner;              ///< the program headrace-scan
  std::filesystem::path cache;                ///< file of scan results; empty: no cache
};

/// By the environment and by where this code lies: bundled is `headrace/plugins` beside the object file
/// (libheadrace.so, or a program that holds this code) or, where that is no folder, `../lib/headrace/plugins`
/// from it; the scanner is `headrace-scan` in the folder above bundled; the cache is
/// $XDG_CACHE_HOME/headrace/plugins.json, else $HOME/.cache/headrace/plugins.json. [any thread that may read
/// the environment]
PluginPlaces plugin_places();

/// The libraries (*.so) directly in a folder, sorted by name. A folder that is missing or unreadable has
/// none.
std::vector<std::filesystem::path> libraries_in(const std::filesystem::path& folder);

/// The library that an entry of a graph's `plugins:` means. With a '/' or the ending ".so" it is a path,
/// relative to `graph_folder`; otherwise a name: NAME.so in the folders of `places.search`, then in
/// `places.bundled`. Fails with not_found, naming where it looked.
Result<std::filesystem::path> find_library(std::string_view entry, const std::filesystem::path& graph_folder,
                                           const PluginPlaces& places);

}  // namespace headrace
