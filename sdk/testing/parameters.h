// SPDX-License-Identifier: Apache-2.0
//
// A node's parameters out of text: what a graph file would say, bound to an op's specs. Used by OpBench. One
// thread at a time.
#pragma once

#include <headrace/plugin.h>

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "op_table.h"

namespace headrace::testing {

class Parameters {
 public:
  /// Throws std::invalid_argument, naming op and parameter: an unknown name, a required one that is missing,
  /// a value of another type, out of range, or none of the choices. `plugin` has the ops that are parts of
  /// the op.
  Parameters(const char* op, const std::vector<headrace_param_spec>& specs,
             const std::map<std::string, std::string>& with, const headrace_plugin* plugin = nullptr);
  Parameters(const Parameters&) = delete;
  Parameters& operator=(const Parameters&) = delete;

  const headrace_param_value* values() const { return values_.data(); }

 private:
  struct Part {
    Part(OpTable op, std::string where, const std::map<std::string, std::string>& with,
         const headrace_plugin* plugin);
    OpTable table;
    std::vector<const headrace_param_spec*> specs;
    std::string name;
    std::unique_ptr<Parameters> params;
    headrace_node node{};
  };

  headrace_param_value bind(const headrace_param_spec& spec, const std::string& text);
  headrace_param_value part(const headrace_param_spec& spec, std::string_view text, std::size_t index);
  headrace_param_value scalar(const headrace_param_spec& spec, const std::string& text, bool quoted);

  const headrace_plugin* plugin_;
  std::vector<headrace_param_value> values_;
  std::deque<std::vector<headrace_param_value>> lists_;
  std::deque<std::string> texts_;
  std::deque<std::unique_ptr<Part>> parts_;
};

}  // namespace headrace::testing
