// SPDX-License-Identifier: Apache-2.0
//
// What tables must obey before anything in them is called. [pure]
#pragma once

#include <headrace/plugin.h>

#include <string>
#include <vector>

#include "op_table.h"

namespace headrace::testing {

std::vector<std::string> plugin_faults(const headrace_plugin& plugin);
std::vector<std::string> table_faults(const headrace_plugin& plugin, const OpTable& table);

}  // namespace headrace::testing
