// SPDX-License-Identifier: Apache-2.0
//
// The default is read as a graph file would be, so that a plugin's author hears of a bad one when the plugin
// is loaded and not when somebody first leaves the parameter out. [pure]

#include "runtime/plugin/param_rules.h"

#include <optional>
#include <string_view>

#include "runtime/graph/document.h"
#include "runtime/graph/quantity.h"

namespace headrace {
namespace {

bool has(const headrace_param_spec& spec, std::uint32_t flag) { return (spec.flags & flag) != 0; }

bool is_choice(const headrace_param_spec& spec, std::string_view text) {
  for (std::uint32_t i = 0; i < spec.choice_count; ++i) {
    if (text == spec.choices[i]) return true;
  }
  return false;
}

std::optional<std::string> range_problem(const headrace_param_spec& spec, double number) {
  const bool too_small = (spec.has_range & 1U) != 0 &&
                         ((spec.has_range & 4U) != 0 ? number <= spec.minimum : number < spec.minimum);
  const bool too_large = (spec.has_range & 2U) != 0 && number > spec.maximum;
  if (too_small || too_large) return "is out of its range";
  return std::nullopt;
}

std::optional<std::string> element_problem(const headrace_param_spec& spec, const Value& value) {
  switch (spec.type) {
    case HEADRACE_PARAM_BOOL:
      return value.as_boolean() ? std::nullopt : std::optional<std::string>("is not true or false");
    case HEADRACE_PARAM_INT:
      if (const auto number = value.as_integer()) return range_problem(spec, static_cast<double>(*number));
      return "is no integer";
    case HEADRACE_PARAM_FLOAT:
      if (const auto number = value.as_real()) return range_problem(spec, *number);
      return "is no number";
    case HEADRACE_PARAM_STRING:
      if (const auto text = value.as_string()) {
        return spec.choice_count == 0 || is_choice(spec, *text)
                   ? std::nullopt
                   : std::optional<std::string>("is none of its choices");
      }
      return "is no text";
    case HEADRACE_PARAM_BYTES: {
      const Result<std::int64_t> size = size_of(value);
      if (size.ok()) return range_problem(spec, static_cast<double>(*size));
      return "is no size such as 64MiB";
    }
    case HEADRACE_PARAM_SECONDS: {
      const Result<double> seconds = seconds_of(value);
      if (seconds.ok()) return range_problem(spec, *seconds);
      return "is no duration such as 500ms";
    }
    default:
      return value.is_scalar() && !value.is_null() ? std::nullopt
                                                   : std::optional<std::string>("is no scalar");
  }
}

std::optional<std::string> list_problem(const headrace_param_spec& spec, const Value& value) {
  const std::size_t count = value.items().size();
  if (count < spec.list_min || (spec.list_max != 0 && count > spec.list_max)) {
    return "has " + std::to_string(count) + " elements, which its own bounds forbid";
  }
  for (const Value& item : value.items()) {
    if (auto problem = element_problem(spec, item)) return problem;
  }
  return std::nullopt;
}

std::optional<std::string> default_problem(const headrace_param_spec& spec) {
  Diagnostics diagnostics;
  const Value value = read_document(spec.default_yaml, "default", diagnostics);
  if (diagnostics.has_errors()) return "cannot be read: " + diagnostics.sorted().front().text;
  if (value.is_null()) {
    return has(spec, HEADRACE_PARAM_NULLABLE) ? std::nullopt
                                              : std::optional<std::string>("is null, but it is not nullable");
  }
  if (!has(spec, HEADRACE_PARAM_LIST)) return element_problem(spec, value);
  if (value.is_list()) return list_problem(spec, value);
  if (has(spec, HEADRACE_PARAM_ONE_OR_LIST)) return element_problem(spec, value);
  return "is no list";
}

bool takes_numbers(headrace_param_type type) {
  return type == HEADRACE_PARAM_INT || type == HEADRACE_PARAM_FLOAT || type == HEADRACE_PARAM_BYTES ||
         type == HEADRACE_PARAM_SECONDS;
}

bool choices_are_whole(const headrace_param_spec& spec) {
  if (spec.choice_count != 0 && spec.choices == nullptr) return false;
  for (std::uint32_t i = 0; i < spec.choice_count; ++i) {
    if (spec.choices[i] == nullptr) return false;
  }
  return true;
}

}  // namespace

void check_param(const headrace_param_spec& spec, std::vector<std::string>& broken) {
  const std::size_t before = broken.size();
  if (spec.doc == nullptr || *spec.doc == '\0') broken.emplace_back("has no doc");
  if (spec.type < HEADRACE_PARAM_BOOL || spec.type > HEADRACE_PARAM_OP) {
    broken.push_back("has the type " + std::to_string(spec.type) + ", which this ABI does not know");
  }
  if (has(spec, HEADRACE_PARAM_ONE_OR_LIST) && !has(spec, HEADRACE_PARAM_LIST)) {
    broken.emplace_back("is flagged ONE_OR_LIST without LIST");
  }
  if (spec.list_max != 0 && spec.list_min > spec.list_max)
    broken.emplace_back("wants a list longer than its longest");
  if ((spec.has_range & 3U) == 3U && !(spec.minimum <= spec.maximum)) {
    broken.emplace_back("has a minimum above its maximum");
  }
  if (spec.has_range != 0 && !takes_numbers(spec.type))
    broken.emplace_back("has a range, but takes no numbers");
  if (!choices_are_whole(spec)) {
    broken.emplace_back("counts choices that are not there");
  } else if (spec.choice_count != 0 && spec.type != HEADRACE_PARAM_STRING && spec.type != HEADRACE_PARAM_OP) {
    broken.emplace_back("has choices, but takes no text");
  } else if (spec.choice_count == 0 && spec.type == HEADRACE_PARAM_OP) {
    broken.emplace_back("does not say which ops it takes");
  }
  if (spec.default_yaml == nullptr) return;
  if (spec.type == HEADRACE_PARAM_OP) broken.emplace_back("takes ops and has a default");
  if (has(spec, HEADRACE_PARAM_REQUIRED)) broken.emplace_back("is required and has a default");
  if (broken.size() != before) return;
  if (auto problem = default_problem(spec)) {
    broken.push_back("has the default '" + std::string(spec.default_yaml) + "', which " + *problem);
  }
}

}  // namespace headrace
