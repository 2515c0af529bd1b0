// SPDX-License-Identifier: Apache-2.0
//
// See versions.h. HEADRACE_YAML_CPP_VERSION comes from CMake: yaml-cpp 0.7 does not say.
#include "runtime/embed/versions.h"

#include <fmt/format.h>
#include <headrace/abi.h>
#include <oneapi/tbb/version.h>
#include <spdlog/version.h>

#include <boost/version.hpp>
#include <nlohmann/json.hpp>

#include "runtime/version.h"

namespace headrace {

std::string versions_json() {
  nlohmann::ordered_json json;
  json["version"] = kVersion;
  json["abi"] = {{"major", HEADRACE_ABI_MAJOR}, {"minor", HEADRACE_ABI_MINOR}};
  json["libraries"] = {
      {"oneTBB", TBB_runtime_version()},
      {"yaml-cpp", HEADRACE_YAML_CPP_VERSION},
      {"Boost",
       fmt::format("{}.{}.{}", BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000, BOOST_VERSION % 100)},
      {"fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)},
      {"spdlog", fmt::format("{}.{}.{}", SPDLOG_VER_MAJOR, SPDLOG_VER_MINOR, SPDLOG_VER_PATCH)},
      {"nlohmann-json", fmt::format("{}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR,
                                    NLOHMANN_JSON_VERSION_PATCH)}};
  return json.dump();
}

}  // namespace headrace
