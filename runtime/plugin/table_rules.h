// SPDX-License-Identifier: Apache-2.0
//
// The rules that an op's table must obey before the host calls anything in it. Called by Registry::add, in
// this process and in the child that scans a library. Pure; reads only what the tables point at.

#pragma once

#include <headrace/plugin.h>

#include <string>
#include <string_view>
#include <vector>

#include "runtime/status.h"

namespace headrace {

/// An op's table and parameter specs, copied member for member and filled up with zeros where the plugin's
/// headers ended earlier; what was added later than our headers is left out. `table.params` still points at
/// the plugin's own array.
struct OpCopy {
  headrace_op table{};
  std::vector<headrace_param_spec> params;
};

/// Fails when the sizes cannot be those of any minor of this ABI.
Result<OpCopy> copy_op(const headrace_op& op);

/// One sentence a broken rule, in the order of the table, appended to `broken`. `plugin` is the plugin's
/// name.
void check_op(const OpCopy& op, std::string_view plugin, std::vector<std::string>& broken);

/// Lower-case letters, digits and underscores, a letter first.
bool is_plain_name(std::string_view name);

}  // namespace headrace
