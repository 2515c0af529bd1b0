// SPDX-License-Identifier: Apache-2.0
//
// Nothing is loaded into this process that was not seen to load in another one.

#include "runtime/plugin/loader.h"

#include <dlfcn.h>

// Boost.DLL 1.74 leaves these to whoever includes it.
#include <algorithm>
#include <boost/dll/shared_library.hpp>
#include <cstring>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "runtime/plugin/cache.h"
#include "runtime/plugin/scan.h"

namespace headrace {
namespace {

namespace fs = std::filesystem;

struct Look {
  ScanResult result;
  bool from_cache = false;
};

Look look_at(const fs::path& library, const PluginPlaces& places, ScanCache& cache) {
  const std::optional<FileStamp> stamp = stamp_of(library);
  if (stamp) {
    if (auto known = cache.find(library, *stamp)) return {std::move(*known), true};
  }
  Look look{scan_library(library, places.scanner), false};
  if (stamp) cache.store(library, *stamp, look.result);
  return look;
}

/// A failure that was not seen just now may no longer be true: says how to look again.
std::string reason_of(const Look& look, const fs::path& library) {
  std::string reason = look.result.status.message();
  if (look.from_cache)
    reason += " (as seen earlier; 'headrace plugins check " + library.string() + "' looks again)";
  return reason;
}

/// RTLD_NODELETE keeps the library when `library` below ends: its ops' code is in use as long as the process
/// lasts.
Status load(const fs::path& path, Registry& registry) {
  using boost::dll::load_mode::type;
  constexpr auto kMode = static_cast<type>(RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  try {
    const boost::dll::shared_library library(path, kMode);
    const auto& get = library.get<headrace_plugin_get_function>("headrace_plugin_get");
    return registry.add(get(HEADRACE_ABI_MAJOR, HEADRACE_ABI_MINOR), path.string());
  } catch (const std::exception& error) {
    return {Code::unsupported,
            std::string("it was sound when it was scanned, but cannot be loaded here: ") + error.what()};
  }
}

/// Scans and loads; on failure the whole reason.
Status take(const fs::path& library, const PluginPlaces& places, ScanCache& cache, Registry& registry) {
  const Look look = look_at(library, places, cache);
  if (!look.result.status.ok()) return {look.result.status.code(), reason_of(look, library)};
  return load(library, registry);
}

void take_listed(const LocatedName& listed, const fs::path& graph_folder, const PluginPlaces& places,
                 ScanCache& cache, Registry& registry, Diagnostics& diagnostics) {
  const Result<fs::path> library = find_library(listed.name, graph_folder, places);
  if (!library.ok()) {
    diagnostics.error(listed.where, library.status().message());
    return;
  }
  const auto same = [&](const LoadedPlugin& plugin) { return plugin.path == library->string(); };
  const auto& loaded = registry.plugins();
  if (std::any_of(loaded.begin(), loaded.end(), same)) return;
  const Status status = take(*library, places, cache, registry);
  if (status.ok()) return;
  diagnostics.error(listed.where,
                    "plugin '" + listed.name + "' (" + library->string() + "): " + status.message());
  registry.refuse({library->stem().string(), library->string(), status.message()});
}

void take_bundled(const fs::path& library, const PluginPlaces& places, ScanCache& cache, Registry& registry) {
  const Look look = look_at(library, places, cache);
  if (!look.result.status.ok()) {
    registry.refuse({library.stem().string(), library.string(), reason_of(look, library)});
    return;
  }
  if (registry.find_plugin(look.result.name) != nullptr) return;
  const Status status = load(library, registry);
  if (!status.ok()) registry.refuse({look.result.name, library.string(), status.message()});
}

}  // namespace

void load_plugins(const std::vector<LocatedName>& listed, const fs::path& graph_folder,
                  const PluginPlaces& places, Registry& registry, Diagnostics& diagnostics) {
  ScanCache cache(places.cache);
  for (const LocatedName& name : listed)
    take_listed(name, graph_folder, places, cache, registry, diagnostics);
  for (const fs::path& library : libraries_in(places.bundled)) take_bundled(library, places, cache, registry);
  cache.write();
  if (registry.plugins().empty()) {
    diagnostics.error({}, "no plugin could be loaded: the bundled ones should lie in " +
                              places.bundled.string() +
                              " (install headrace again; 'headrace plugins' says more)");
  }
}

std::vector<PluginReport> find_plugins(const PluginPlaces& places) {
  ScanCache cache(places.cache);
  std::vector<PluginReport> reports;
  const auto look_in = [&](const fs::path& folder, const char* found_in) {
    for (const fs::path& library : libraries_in(folder)) {
      PluginReport& report = reports.emplace_back();
      Look look = look_at(library, places, cache);
      report.path = library;
      report.found_in = found_in;
      report.from_cache = look.from_cache;
      report.result = std::move(look.result);
      const auto same = [&](const PluginReport& other) {
        return other.path.filename() == library.filename();
      };
      const auto first = std::find_if(reports.begin(), reports.end(), same);
      if (&*first != &report) report.hidden_by = first->path;
    }
  };
  for (const fs::path& folder : places.search) look_in(folder, "HEADRACE_PLUGIN_PATH");
  look_in(places.bundled, "bundled");
  cache.write();
  return reports;
}

PluginReport check_plugin_file(const fs::path& library, const PluginPlaces& places) {
  PluginReport report;
  std::error_code error;
  report.path = fs::absolute(library, error).lexically_normal();
  const std::optional<FileStamp> stamp = stamp_of(report.path);
  if (!stamp) {
    report.result = refusal(Code::not_found, "there is no such file", true);
    return report;
  }
  report.result = scan_library(report.path, places.scanner);
  ScanCache cache(places.cache);
  cache.store(report.path, *stamp, report.result);
  cache.write();
  return report;
}

nlohmann::json to_json(const PluginReport& report) {
  nlohmann::json json = to_json(report.result);
  const bool ok = report.result.status.ok();
  json.erase("code");
  json.erase("abi_major");
  json.erase("abi_min_minor");
  json["ok"] = ok;
  json["path"] = report.path.string();
  json["found_in"] = report.found_in;
  json["from_cache"] = report.from_cache;
  json["hidden_by"] = report.hidden_by.empty() ? nlohmann::json() : nlohmann::json(report.hidden_by.string());
  if (ok) {
    json["abi"] = std::to_string(report.result.abi_major) + "." + std::to_string(report.result.abi_min_minor);
  }
  return json;
}

}  // namespace headrace
