// SPDX-License-Identifier: Apache-2.0
//
// What the ABI asks of any plugin, tried out: tables, declarations, instances, calls, states. Each op runs on
// records that are made up until its declaration is content, or on those of an example. One thread.
#pragma once

#include <headrace/plugin.h>

#include <string>
#include <vector>

#include "op_bench.h"
#include "value.h"

namespace headrace::testing {

/// How to run an op that nothing can be made up for: a required path, a picture.
struct Example {
  NodeText node;
  std::vector<Record> records = {};  ///< as many as it takes; made up when there are none
};

struct ConformanceOptions {
  std::vector<Example> examples;
  bool isolate = true;     ///< each op in a child process, so that a crash is a fault of that op and no more
  unsigned seconds = 120;  ///< after which an op hangs; with isolate only
};

struct Check {
  std::string op;    ///< "" for the plugin as a whole
  std::string what;  ///< "declares the same twice"
  std::vector<std::string> faults;
  std::string skipped;  ///< why it was not tried; "" when it was
};

struct ConformanceReport {
  std::vector<Check> checks;
  bool passed() const;
  /// A line a check, the faults below it.
  std::string to_string() const;
};

/// Of a table in the program's own memory.
ConformanceReport check_conformance(const headrace_plugin& plugin, const ConformanceOptions& options = {});
/// Of a library: also that it loads and what it exports.
ConformanceReport check_conformance(const std::string& library, const ConformanceOptions& options = {});

}  // namespace headrace::testing
