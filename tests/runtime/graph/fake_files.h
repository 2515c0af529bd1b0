// SPDX-License-Identifier: Apache-2.0
//
// Graph files and an environment that exist in memory only, for the tests of runtime/graph.

#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/graph/parse.h"

namespace headrace {

struct FakeFiles {
  std::map<std::string, std::string> files;
  std::map<std::string, std::string> environment;
  std::string profile;
  std::vector<std::string> sets;
  Diagnostics diagnostics;

  ParseOptions options() const {
    ParseOptions out;
    out.profile = profile;
    out.sets = sets;
    out.getenv = [this](const std::string& name) -> std::optional<std::string> {
      const auto found = environment.find(name);
      return found == environment.end() ? std::nullopt : std::optional<std::string>(found->second);
    };
    out.read_file = [this](const std::string& path) -> Result<std::string> {
      const auto found = files.find(path);
      if (found == files.end()) return {Code::not_found, "No such file or directory"};
      return found->second;
    };
    return out;
  }

  std::optional<GraphSpec> parse(const std::string& path = "g.yaml") {
    return parse_file(path, options(), diagnostics);
  }

  /// Everything reported, a line each.
  std::string errors() const { return diagnostics.render(); }
};

}  // namespace headrace
