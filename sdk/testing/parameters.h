// SPDX-License-Identifier: Apache-2.0
//
// A node's parameters out of text: what a graph file would say, bound to an op's specs. Used by OpBench. One
// thread at a time.
#pragma once

#include <headrace/op.h>

#include <deque>
#include <map>
#include <string>
#include <vector>

namespace headrace::testing {

class Parameters {
 public:
  /// Throws std::invalid_argument, naming op and parameter: an unknown name, a required one that is missing,
  /// a value of another type, out of range, or none of the choices.
  Parameters(const char* op, const std::vector<headrace_param_spec>& specs,
             const std::map<std::string, std::string>& with);
  Parameters(const Parameters&) = delete;
  Parameters& operator=(const Parameters&) = delete;

  const headrace_param_value* values() const { return values_.data(); }

 private:
  headrace_param_value bind(const headrace_param_spec& spec, const std::string& text);
  headrace_param_value scalar(const headrace_param_spec& spec, const std::string& text, bool quoted);

  std::vector<headrace_param_value> values_;
  std::deque<std::vector<headrace_param_value>> lists_;
  std::deque<std::string> texts_;
};

}  // namespace headrace::testing
