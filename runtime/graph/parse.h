// SPDX-License-Identifier: Apache-2.0
//
// A graph file -> GraphSpec: the first step of every command. include < file < profile < --set are laid over
// each other (overlay.h), ${...} is substituted (substitute.h), and the fixed structure is read
// (read_spec.h). Pure but for the file and environment readers; any thread.

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/graph/diagnostics.h"
#include "runtime/graph/spec.h"
#include "runtime/status.h"

namespace headrace {

struct ParseOptions {
  std::string profile;            ///< one of the graph's `profiles`; "" for none
  std::vector<std::string> sets;  ///< "a.b=yaml", in order

  // The process's own where they are empty; nobody may change the environment meanwhile.
  std::function<std::optional<std::string>(const std::string& name)> getenv;
  std::function<Result<std::string>(const std::string& path)> read_file;
};

/// Reports everything wrong that can be seen without plugins. With errors there may still be a spec, which
/// leaves out what was at fault: it serves to check the rest, never to run. None when no file or no map was
/// there to read. The profiles that were not chosen are read too, each laid over the graph, so that a typo in
/// them is found.
std::optional<GraphSpec> parse_file(const std::string& path, const ParseOptions& options,
                                    Diagnostics& diagnostics);

/// The same for text in no file: `name` stands for the path in messages, for ${graph_dir} and for includes.
std::optional<GraphSpec> parse_text(std::string_view text, const std::string& name,
                                    const ParseOptions& options, Diagnostics& diagnostics);

}  // namespace headrace
