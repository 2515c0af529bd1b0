// SPDX-License-Identifier: Apache-2.0
//
// A plugin's tables as this kit reads them: copied, and filled up with zeros where the plugin's headers ended
// earlier. [pure]
#pragma once

#include <headrace/plugin.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

namespace headrace::testing {

struct OpTable {
  headrace_op op{};
  std::vector<headrace_param_spec> params;
};

inline OpTable copy_op(const headrace_op& from) {
  OpTable to;
  std::memcpy(&to.op, &from, std::min<std::size_t>(from.size, sizeof(headrace_op)));
  const auto* params = reinterpret_cast<const char*>(to.op.params);
  for (std::uint32_t i = 0; i < to.op.param_count; ++i) {
    const std::size_t stride = to.op.params->size;
    headrace_param_spec& spec = to.params.emplace_back();
    std::memcpy(&spec, params + i * stride, std::min(stride, sizeof(headrace_param_spec)));
  }
  return to;
}

inline std::optional<OpTable> find_op(const headrace_plugin& plugin, std::string_view name) {
  for (std::uint32_t i = 0; i < plugin.op_count; ++i) {
    if (name == plugin.ops[i]->name) return copy_op(*plugin.ops[i]);
  }
  return std::nullopt;
}

}  // namespace headrace::testing
