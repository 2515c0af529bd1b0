// SPDX-License-Identifier: Apache-2.0
//
// The checks of one op, in order. Used by conformance.cpp, maybe in a child process.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "headrace/testing/conformance.h"
#include "op_table.h"

namespace headrace::testing {

/// Told as it happens, so that a crash can be laid to the check that was under way.
struct Reporter {
  std::function<void(const std::string& what)> begin;
  std::function<void(const std::string& text)> fault;
  std::function<void(const std::string& why)> skip;
};

void check_op(const headrace_plugin& plugin, const OpTable& table, const Example* example,
              const Reporter& report);

}  // namespace headrace::testing
