// SPDX-License-Identifier: Apache-2.0

#include "table_check.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "parameters.h"

namespace headrace::testing {
namespace {

bool is_text(const char* text) { return text != nullptr && *text != '\0'; }

bool is_plain_name(const char* name) {
  if (!is_text(name) || *name < 'a' || *name > 'z') return false;
  const std::string_view text = name;
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
}

void check_functions(const headrace_op& op, std::vector<std::string>& faults) {
  const bool processes = op.rate >= HEADRACE_SOURCE && op.rate <= HEADRACE_REDUCE;
  const bool chooses = op.rate == HEADRACE_WINDOW || op.rate == HEADRACE_MERGE;
  const std::pair<const char*, bool> missing[] = {
      {"declare", op.declare == nullptr},
      {"create", op.create == nullptr},
      {"destroy", op.destroy == nullptr},
      {"process", processes && op.process == nullptr},
      {"choose", chooses && op.choose == nullptr},
      {"destroy_worker", op.create_worker != nullptr && op.destroy_worker == nullptr},
      {"restore", op.save != nullptr && op.restore == nullptr},
      {"assign", op.slot_shape != nullptr && op.assign == nullptr},
  };
  for (const auto& [name, is_missing] : missing) {
    if (is_missing) faults.push_back(std::string("has no ") + name + "()");
  }
}

void check_inputs(const headrace_op& op, std::vector<std::string>& faults) {
  const bool is_many = op.rate == HEADRACE_JOIN || op.rate == HEADRACE_MERGE;
  const std::uint32_t wanted = op.rate == HEADRACE_SOURCE ? 0 : 1;
  if (!is_many && (op.min_inputs != wanted || op.max_inputs != wanted)) {
    faults.push_back("must have " + std::to_string(wanted) + " inputs by its rate");
  }
  if (is_many && (op.min_inputs == 0 || (op.max_inputs != 0 && op.max_inputs < op.min_inputs))) {
    faults.emplace_back("wants a number of inputs that cannot be");
  }
}

/// The default must be what the parameter takes.
void check_default(const headrace_param_spec& spec, std::vector<std::string>& faults) {
  if (spec.default_yaml == nullptr) return;
  if ((spec.flags & HEADRACE_PARAM_REQUIRED) != 0)
    faults.push_back(std::string("parameter '") + spec.name + "' is required and has a default");
  try {
    const Parameters bound("it", {spec}, {{spec.name, spec.default_yaml}});
  } catch (const std::exception& problem) {
    faults.emplace_back(problem.what());
  }
}

void check_params(const OpTable& table, std::vector<std::string>& faults) {
  std::map<std::string, int> seen;
  for (const headrace_param_spec& spec : table.params) {
    if (!is_plain_name(spec.name)) {
      faults.emplace_back("has a parameter without a plain lower-case name");
      continue;
    }
    const std::string begin = std::string("parameter '") + spec.name + "' ";
    if (++seen[spec.name] == 2) faults.push_back(begin + "is there twice");
    if (!is_text(spec.doc)) faults.push_back(begin + "has no doc");
    if (spec.type < HEADRACE_PARAM_BOOL || spec.type > HEADRACE_PARAM_OP)
      faults.push_back(begin + "has no known type");
    if ((spec.has_range & 3U) == 3U && spec.minimum > spec.maximum)
      faults.push_back(begin + "has a minimum above its maximum");
    check_default(spec, faults);
  }
}

}  // namespace

std::vector<std::string> plugin_faults(const headrace_plugin& plugin) {
  std::vector<std::string> faults;
  if (plugin.abi_min_minor > HEADRACE_ABI_MINOR)
    faults.push_back("needs a later minor than " + std::to_string(HEADRACE_ABI_MINOR));
  if (!is_plain_name(plugin.name)) faults.emplace_back("has no plain lower-case name");
  if (!is_text(plugin.version)) faults.emplace_back("has no version");
  if (!is_text(plugin.doc)) faults.emplace_back("has no doc");
  if (plugin.op_count == 0) faults.emplace_back("has no op");
  std::map<std::string, int> seen;
  for (std::uint32_t i = 0; i < plugin.op_count; ++i) {
    if (plugin.ops[i]->name == nullptr) {
      faults.emplace_back("has an op without a name");
    } else if (++seen[plugin.ops[i]->name] == 2) {
      faults.push_back(std::string("has two ops ") + plugin.ops[i]->name);
    }
  }
  return faults;
}

std::vector<std::string> table_faults(const headrace_plugin& plugin, const OpTable& table) {
  std::vector<std::string> faults;
  const std::string_view name = table.op.name;
  const std::string prefix = std::string(plugin.name) + ".";
  if (!name.starts_with(prefix) || !is_plain_name(table.op.name + prefix.size())) {
    faults.push_back("is not named " + prefix + " and lower-case letters, digits and underscores");
  }
  if (!is_text(table.op.doc)) faults.emplace_back("has no doc");
  if (table.op.rate < HEADRACE_SOURCE || table.op.rate > HEADRACE_MERGE)
    faults.emplace_back("has no known rate");
  if (table.op.runs < HEADRACE_RUNS_CPU || table.op.runs > HEADRACE_RUNS_ASYNC)
    faults.emplace_back("runs in no known place");
  check_inputs(table.op, faults);
  check_functions(table.op, faults);
  check_params(table, faults);
  return faults;
}

}  // namespace headrace::testing
