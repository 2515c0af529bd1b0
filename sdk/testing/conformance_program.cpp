// SPDX-License-Identifier: Apache-2.0
//
// headrace-conformance PLUGIN.so: tries out what the ABI asks of a plugin and prints a line a check. Exit
// code 0 when all is well, 1 when there was a fault, 2 for wrong usage.

#include <cstdio>
#include <exception>
#include <string>
#include <string_view>

#include "headrace/testing/conformance.h"

namespace {

constexpr std::string_view kUsage =
    "usage: headrace-conformance PLUGIN.so [OP [NAME=VALUE]...]...\n"
    "Tries out what the ABI asks of a plugin. An OP with its parameters is an example of how to run it, for "
    "one whose\n"
    "required parameters cannot be made up: headrace-conformance source.so source.files root=photos\n";

}  // namespace

int main(int count, char** words) {
  using namespace headrace::testing;
  if (count < 2 || std::string_view(words[1]).starts_with('-')) {
    std::fputs(kUsage.data(), stderr);
    return 2;
  }
  ConformanceOptions options;
  for (int i = 2; i < count; ++i) {
    const std::string word = words[i];
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) {
      options.examples.push_back({{.op = word}});
    } else if (!options.examples.empty()) {
      options.examples.back().node.with[word.substr(0, equals)] = word.substr(equals + 1);
    } else {
      std::fputs(kUsage.data(), stderr);
      return 2;
    }
  }
  try {
    const ConformanceReport report = check_conformance(std::string(words[1]), options);
    std::fputs(report.to_string().c_str(), stdout);
    return report.passed() ? 0 : 1;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "headrace-conformance: %s\n", problem.what());
    return 1;
  }
}
