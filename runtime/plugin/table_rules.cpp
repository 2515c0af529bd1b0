// SPDX-License-Identifier: Apache-2.0
//
// Every rule is looked at, so that an author sees all that is wrong at once. [pure]

#include "runtime/plugin/table_rules.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "runtime/plugin/param_rules.h"

namespace headrace {
namespace {

/// Larger than any table will ever grow: a size beyond it is no size.
constexpr std::uint32_t kMaxStructBytes = 1U << 16U;

constexpr std::size_t kLeastOpBytes = offsetof(headrace_op, destroy) + sizeof(headrace_op::destroy);
constexpr std::size_t kLeastParamBytes =
    offsetof(headrace_param_spec, flags) + sizeof(headrace_param_spec::flags);

bool is_size(std::uint32_t size, std::size_t least) { return size >= least && size <= kMaxStructBytes; }

template <class T>
T copy_struct(const void* from, std::uint32_t size) {
  T to{};
  std::memcpy(&to, from, std::min<std::size_t>(size, sizeof(T)));
  to.size = sizeof(T);
  return to;
}

class OpRules {
 public:
  OpRules(const OpCopy& op, std::vector<std::string>& broken)
      : op_(op.table), params_(op.params), broken_(broken) {}

  void check(std::string_view plugin) {
    const std::string_view name = op_.name;
    const std::size_t dot = name.find('.');
    if (dot == std::string_view::npos || name.substr(0, dot) != plugin ||
        !is_plain_name(name.substr(dot + 1))) {
      say("is not named '" + std::string(plugin) + ".' and lower-case letters, digits and underscores");
    }
    if (op_.doc == nullptr || *op_.doc == '\0') say("has no doc");
    check_inputs();
    check_functions();
    check_params();
  }

 private:
  void say(const std::string& problem) { broken_.push_back("op '" + std::string(op_.name) + "' " + problem); }
  void need(bool there, const char* function, const char* why) {
    if (!there) say(std::string("has no ") + function + "(), which " + why);
  }

  void check_inputs() {
    if (op_.rate < HEADRACE_SOURCE || op_.rate > HEADRACE_MERGE) {
      say("has the rate " + std::to_string(op_.rate) + ", which this ABI does not know");
    }
    if (op_.runs < HEADRACE_RUNS_CPU || op_.runs > HEADRACE_RUNS_ASYNC) {
      say("runs in a place, " + std::to_string(op_.runs) + ", which this ABI does not know");
    }
    if (op_.rate == HEADRACE_SOURCE) {
      if (op_.min_inputs != 0 || op_.max_inputs != 0) say("is a source and must have no input");
    } else if (op_.rate == HEADRACE_JOIN || op_.rate == HEADRACE_MERGE) {
      if (op_.min_inputs == 0) say("takes several inputs and must want at least one");
      if (op_.max_inputs != 0 && op_.max_inputs < op_.min_inputs) say("wants more inputs than it takes");
    } else if (op_.min_inputs != 1 || op_.max_inputs != 1) {
      say("must have exactly one input (several are for joins and merges)");
    }
  }

  void check_functions() {
    const bool processes = op_.rate == HEADRACE_SOURCE || op_.rate == HEADRACE_MAP ||
                           op_.rate == HEADRACE_EXPAND || op_.rate == HEADRACE_REDUCE;
    const bool chooses = op_.rate == HEADRACE_WINDOW || op_.rate == HEADRACE_MERGE;
    need(op_.declare != nullptr, "declare", "every op needs");
    need(op_.create != nullptr, "create", "every op needs");
    need(op_.destroy != nullptr, "destroy", "every op needs");
    need(!processes || op_.process != nullptr, "process", "its rate needs");
    need(!chooses || op_.choose != nullptr, "choose", "its rate needs");
    need(op_.create_worker == nullptr || op_.destroy_worker != nullptr, "destroy_worker",
         "its create_worker() needs");
    need(op_.save == nullptr || op_.restore != nullptr, "restore", "its save() needs");
    need(op_.slot_shape == nullptr || op_.assign != nullptr, "assign", "its slot_shape() needs");
  }

  void check_params() {
    for (std::size_t i = 0; i < params_.size(); ++i) {
      const char* name = params_[i].name;
      if (name == nullptr || !is_plain_name(name)) {
        say("has a parameter, number " + std::to_string(i) + ", without a plain lower-case name");
        continue;
      }
      const auto same = [&](const headrace_param_spec& other) {
        return other.name != nullptr && std::string_view(other.name) == name;
      };
      if (std::any_of(params_.begin(), params_.begin() + static_cast<std::ptrdiff_t>(i), same)) {
        say("has two parameters '" + std::string(name) + "'");
      }
      std::vector<std::string> problems;
      check_param(params_[i], problems);
      for (const std::string& problem : problems) {
        broken_.push_back("parameter '" + std::string(name) + "' of '" + op_.name + "' " + problem);
      }
    }
  }

  const headrace_op& op_;
  const std::vector<headrace_param_spec>& params_;
  std::vector<std::string>& broken_;
};

}  // namespace

Result<OpCopy> copy_op(const headrace_op& op) {
  if (!is_size(op.size, kLeastOpBytes)) {
    return {Code::invalid_argument, "an op table says that it is " + std::to_string(op.size) +
                                        " bytes long, which no version of this ABI's is"};
  }
  OpCopy copy;
  copy.table = copy_struct<headrace_op>(&op, op.size);
  if (copy.table.name == nullptr) return {Code::invalid_argument, "an op has no name"};
  if (copy.table.param_count == 0) return copy;
  const auto* params = reinterpret_cast<const char*>(copy.table.params);
  if (params == nullptr) {
    return {Code::invalid_argument,
            "op '" + std::string(copy.table.name) + "' counts parameters that are not there"};
  }
  const std::uint32_t stride = copy.table.params->size;
  if (!is_size(stride, kLeastParamBytes)) {
    return {Code::invalid_argument, "op '" + std::string(copy.table.name) +
                                        "' has a parameter that says it is " + std::to_string(stride) +
                                        " bytes long, which no version of this ABI's is"};
  }
  for (std::uint32_t i = 0; i < copy.table.param_count; ++i) {
    const char* from = params + std::size_t{i} * stride;
    std::uint32_t size = 0;
    std::memcpy(&size, from, sizeof(size));
    if (size != stride) {
      return {Code::invalid_argument,
              "op '" + std::string(copy.table.name) + "' has parameters of different lengths"};
    }
    copy.params.push_back(copy_struct<headrace_param_spec>(from, stride));
  }
  return copy;
}

void check_op(const OpCopy& op, std::string_view plugin, std::vector<std::string>& broken) {
  OpRules(op, broken).check(plugin);
}

bool is_plain_name(std::string_view name) {
  const auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto is_plain = [&](char c) { return is_lower(c) || (c >= '0' && c <= '9') || c == '_'; };
  return !name.empty() && is_lower(name.front()) && std::all_of(name.begin(), name.end(), is_plain);
}

}  // namespace headrace
