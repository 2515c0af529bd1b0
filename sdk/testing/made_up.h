// SPDX-License-Identifier: Apache-2.0
//
// Parameters, fields and records made up for an op that nobody gave an example for. [pure, but for the op's
// declare()]
#pragma once

#include <optional>
#include <vector>

#include "headrace/testing/op_bench.h"
#include "op_table.h"

namespace headrace::testing {

/// A node of the op with all required parameters.
NodeText made_up_node(const headrace_plugin& plugin, const OpTable& table);

/// Fields for each of its inputs with which the op's declaration is content; nothing when none was found.
std::optional<std::vector<Schema>> made_up_inputs(const headrace_plugin& plugin, const OpTable& table,
                                                  const NodeText& node);

/// A record of those fields, number `number`. Unknown axes are `length` long, or of lengths that differ when
/// it is below 0.
Record made_up_record(const Schema& schema, unsigned number, std::int64_t length = -1);

}  // namespace headrace::testing
