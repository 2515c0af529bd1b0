// SPDX-License-Identifier: Apache-2.0
//
// The files of a graph: the one that is named and those it includes, read and laid over each other. Called by
// parse.cpp. Reads files through the function it is lent.

#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/graph/diagnostics.h"
#include "runtime/graph/value.h"
#include "runtime/status.h"

namespace headrace {

inline constexpr std::size_t kMaxIncludeDepth = 16;
inline constexpr std::size_t kMaxIncludes = 256;

class GraphFiles {
 public:
  using ReadFile = std::function<Result<std::string>(const std::string& path)>;
  using Getenv = std::function<std::optional<std::string>(const std::string& name)>;

  GraphFiles(ReadFile read_file, Getenv getenv, Diagnostics& diagnostics);

  /// The document of `path` laid over its includes, without the key `include`. Broken when `path` itself
  /// cannot be read; an include that cannot be is reported and left out. Include paths count from the
  /// including file's directory and may hold ${env:NAME} and ${graph_dir}. A file may be included by several;
  /// in a circle it is refused.
  Value load(const std::string& path);

  /// The same for text that is in no file: `name` stands for the path.
  Value load_text(std::string_view text, const std::string& name);

  /// The directory of the file that places name by `file`; for anything else ("--set a.b") that of the graph
  /// file. "." for the working directory.
  std::string directory_of(const std::string& file) const;

 private:
  Value load_file(const std::string& path, const Location& included_at);
  Value with_includes(Value document, const std::string& path);
  /// Where `include` names files: each path with the place of its name.
  std::vector<Value> include_paths(const Value& include);

  ReadFile read_file_;
  Getenv getenv_;
  Diagnostics& diagnostics_;
  std::string root_;
  std::vector<std::string> loading_;  ///< the files being loaded, outermost first
  std::map<std::string, Value> loaded_;
  std::size_t includes_ = 0;
};

/// Reads a whole regular file of at most kMaxDocumentBytes; never waits for a pipe or a device. The message
/// says what is wrong with it, without its name.
Result<std::string> read_graph_file(const std::string& path);

}  // namespace headrace
