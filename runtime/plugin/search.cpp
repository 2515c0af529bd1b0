// SPDX-License-Identifier: Apache-2.0
//
// dladdr1() says which object this code was linked into: the one thing that every way of installing has in
// common.

#include "runtime/plugin/search.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <system_error>

namespace headrace {
namespace {

namespace fs = std::filesystem;

bool is_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

fs::path object_file() {
  Dl_info info{};
  link_map* map = nullptr;
  if (dladdr1(reinterpret_cast<const void*>(&object_file), &info, reinterpret_cast<void**>(&map),
              RTLD_DL_LINKMAP) == 0) {
    return {};
  }
  std::error_code error;
  // The program itself has no name in its link map, and argv[0] says little.
  if (map == nullptr || map->l_name == nullptr || *map->l_name == '\0')
    return fs::read_symlink("/proc/self/exe", error);
  return fs::canonical(map->l_name, error);
}

fs::path bundled_folder() {
  const fs::path folder = object_file().parent_path();
  fs::path beside = folder / "headrace" / "plugins";
  if (is_folder(beside)) return beside;
  return (folder / ".." / "lib" / "headrace" / "plugins").lexically_normal();
}

std::string environment(const char* name) {
  const char* value =
      std::getenv(name);  // NOLINT(concurrency-mt-unsafe): the header says what the caller needs
  return value == nullptr ? "" : value;
}

std::vector<fs::path> split(const std::string& list) {
  std::vector<fs::path> parts;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(':', at), list.size());
    if (end > at) parts.emplace_back(list.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

fs::path cache_file() {
  const fs::path cache_home = environment("XDG_CACHE_HOME");
  // The XDG base directory specification: a relative path there is invalid and ignored.
  if (cache_home.is_absolute()) return cache_home / "headrace" / "plugins.json";
  const fs::path home = environment("HOME");
  return home.is_absolute() ? home / ".cache" / "headrace" / "plugins.json" : fs::path();
}

fs::path whole_path(const fs::path& path) {
  std::error_code error;
  const fs::path whole = fs::absolute(path, error);
  return (error ? path : whole).lexically_normal();
}

std::string looked_in(const std::vector<fs::path>& folders) {
  std::string text;
  for (const fs::path& folder : folders) text += (text.empty() ? "" : ", ") + folder.string();
  return text;
}

}  // namespace

PluginPlaces plugin_places() {
  PluginPlaces places;
  places.search = split(environment("HEADRACE_PLUGIN_PATH"));
  places.bundled = bundled_folder();
  places.scanner = places.bundled.parent_path() / "headrace-scan";
  places.cache = cache_file();
  return places;
}

std::vector<fs::path> libraries_in(const fs::path& folder) {
  std::vector<fs::path> libraries;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->path().extension() == ".so" && !is_folder(entry->path()))
      libraries.push_back(whole_path(entry->path()));
  }
  std::sort(libraries.begin(), libraries.end());
  return libraries;
}

Result<fs::path> find_library(std::string_view entry, const fs::path& graph_folder,
                              const PluginPlaces& places) {
  if (entry.find('/') != std::string_view::npos || entry.ends_with(".so")) {
    const fs::path path = whole_path(graph_folder / entry);
    if (is_file(path)) return path;
    return {Code::not_found, "plugin '" + std::string(entry) + "' is not there: no file " + path.string() +
                                 " (a relative path is relative to the graph file)"};
  }
  std::vector<fs::path> folders = places.search;
  folders.push_back(places.bundled);
  const std::string file = std::string(entry) + ".so";
  for (const fs::path& folder : folders) {
    if (is_file(folder / file)) return whole_path(folder / file);
  }
  return {Code::not_found, "plugin '" + std::string(entry) + "' is not there: no " + file + " in " +
                               looked_in(folders) +
                               " (add its folder to HEADRACE_PLUGIN_PATH, or give a path)"};
}

}  // namespace headrace
