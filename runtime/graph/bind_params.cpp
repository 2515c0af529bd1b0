// SPDX-License-Identifier: Apache-2.0
//
// Typed parameters out of YAML values.

#include "runtime/graph/bind_params.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "runtime/graph/document.h"
#include "runtime/graph/quantity.h"
#include "runtime/graph/section.h"

namespace headrace {
namespace {

bool has_flag(const headrace_param_spec& spec, std::uint32_t flag) { return (spec.flags & flag) != 0; }
bool has_minimum(const headrace_param_spec& spec) { return (spec.has_range & 1U) != 0; }
bool has_maximum(const headrace_param_spec& spec) { return (spec.has_range & 2U) != 0; }
bool excludes_minimum(const headrace_param_spec& spec) { return (spec.has_range & 4U) != 0; }

/// False for NaN wherever there is a bound.
bool in_range(const headrace_param_spec& spec, double number) {
  if (has_minimum(spec) && !(excludes_minimum(spec) ? number > spec.minimum : number >= spec.minimum))
    return false;
  return !has_maximum(spec) || number <= spec.maximum;
}

/// " from 0 to 1", " above 0", " of at least 1", "".
std::string range_text(const headrace_param_spec& spec) {
  const bool is_size = spec.type == HEADRACE_PARAM_BYTES;
  if (is_size && has_minimum(spec) && !has_maximum(spec) && spec.minimum <= 0) return {};  // no size is below
  const auto show = [&](double bound) {
    return is_size ? size_text(static_cast<std::int64_t>(bound)) : fmt::format("{:.15g}", bound);
  };
  if (has_minimum(spec) && excludes_minimum(spec)) {
    const std::string above = " above " + show(spec.minimum);
    return has_maximum(spec) ? fmt::format("{} and at most {}", above, show(spec.maximum)) : above;
  }
  if (has_minimum(spec) && has_maximum(spec)) {
    return fmt::format(" from {} to {}", show(spec.minimum), show(spec.maximum));
  }
  if (has_minimum(spec)) return " of at least " + show(spec.minimum);
  return has_maximum(spec) ? " of at most " + show(spec.maximum) : std::string();
}

std::vector<std::string> choices_of(const headrace_param_spec& spec) {
  return {spec.choices, spec.choices + spec.choice_count};
}

std::string choices_text(const headrace_param_spec& spec) {
  const std::vector<std::string> choices = choices_of(spec);
  if (choices.size() == 1) return choices.front();
  const std::string head = fmt::format("{}", fmt::join(choices.begin(), choices.end() - 1, ", "));
  return fmt::format("{} or {}", head, choices.back());
}

/// What one value is, without its range: "an integer".
std::string noun(const headrace_param_spec& spec) {
  if (spec.choice_count > 0 && spec.type != HEADRACE_PARAM_OP) return choices_text(spec);
  switch (spec.type) {
    case HEADRACE_PARAM_BOOL:
      return "true or false";
    case HEADRACE_PARAM_INT:
      return "an integer";
    case HEADRACE_PARAM_FLOAT:
      return "a number";
    case HEADRACE_PARAM_STRING:
      return "a text";
    case HEADRACE_PARAM_BYTES:
      return "a size such as 64MiB";
    case HEADRACE_PARAM_SECONDS:
      return "a duration such as 500ms";
    case HEADRACE_PARAM_OP:
      return fmt::format("an op such as {{op: {}}}", spec.choices[0]);
    default:
      return "true, false, a number or a text";
  }
}

std::string plural(const headrace_param_spec& spec) {
  if (spec.type == HEADRACE_PARAM_OP) return fmt::format("ops such as {{op: {}}}", spec.choices[0]);
  if (spec.choice_count > 0) return fmt::format("words, each {}", choices_text(spec));
  switch (spec.type) {
    case HEADRACE_PARAM_INT:
      return "integers";
    case HEADRACE_PARAM_FLOAT:
      return "numbers";
    case HEADRACE_PARAM_STRING:
      return "texts";
    case HEADRACE_PARAM_BYTES:
      return "sizes";
    case HEADRACE_PARAM_SECONDS:
      return "durations";
    default:
      return "values";
  }
}

/// "a list of 2 numbers, each from 0 to 1".
std::string list_text(const headrace_param_spec& spec) {
  std::string count;
  if (spec.list_max != 0 && spec.list_min == spec.list_max) {
    count = fmt::format("{} ", spec.list_min);
  } else if (spec.list_max != 0) {
    count = fmt::format("{} to {} ", spec.list_min, spec.list_max);
  } else if (spec.list_min > 1) {
    count = fmt::format("at least {} ", spec.list_min);
  }
  const std::string range = range_text(spec);
  return fmt::format("a list of {}{}{}{}", count, plural(spec), range.empty() ? "" : ", each", range);
}

headrace_param_value empty_value(headrace_param_type type) {
  headrace_param_value out{};
  out.size = sizeof(headrace_param_value);
  out.type = type;
  return out;
}

}  // namespace

std::string param_takes(const headrace_param_spec& spec) {
  std::string out;
  if (!has_flag(spec, HEADRACE_PARAM_LIST)) {
    out = noun(spec) + range_text(spec);
  } else if (has_flag(spec, HEADRACE_PARAM_ONE_OR_LIST)) {
    out = fmt::format("{}{} or {}", noun(spec), range_text(spec), list_text(spec));
  } else {
    out = list_text(spec);
  }
  if (spec.unit != nullptr && *spec.unit != '\0') out += fmt::format(" ({})", spec.unit);
  if (has_flag(spec, HEADRACE_PARAM_NULLABLE)) out += ", or null";
  return out;
}

BoundParams::BoundParams() = default;
BoundParams::~BoundParams() = default;

Location BoundParams::where(std::string_view param, const Location& otherwise) const {
  for (const Place& place : places_) {
    if (place.param == param) return place.where;
  }
  for (const auto& [path, place] : within_) {
    if (path == param) return place;
  }
  const std::size_t last = param.find_last_of(".[");
  return last == std::string_view::npos ? otherwise : where(param.substr(0, last), otherwise);
}

Location BoundParams::where_text(std::string_view text, const Location& otherwise) const {
  const auto is_text = [&](const headrace_param_value& value) {
    return value.type == HEADRACE_PARAM_STRING &&
           std::string_view(value.string.data, value.string.size) == text;
  };
  for (const Place& place : places_) {
    const headrace_param_value& value = values_[place.index];
    if (!value.given) continue;
    if (value.is_list ? std::any_of(value.items, value.items + value.count, is_text) : is_text(value)) {
      return place.where;
    }
  }
  return otherwise;
}

/// Binds one node's parameters.
class ParamBinder {
 public:
  ParamBinder(const NodeSpec& node, const RegisteredOp& op, Diagnostics& diagnostics, BoundParams& out)
      : node_(node), op_(op), diagnostics_(diagnostics), out_(out) {}

  bool bind() {
    if (node_.with.is_broken()) return false;
    Section section(node_.with, node_.name + ".with", diagnostics_);
    for (const headrace_param_spec& spec : op_.params) {
      section.find(spec.name);
      const Value* given = node_.with.find(spec.name);
      out_.values_.push_back(given ? bind_given(spec, *given) : bind_default(spec));
    }
    const std::size_t errors = diagnostics_.error_count();
    section.refuse_other_keys();
    return is_sound_ && errors == diagnostics_.error_count();
  }

 private:
  headrace_param_value bind_given(const headrace_param_spec& spec, const Value& value) {
    out_.places_.push_back({spec.name, out_.values_.size(), value.where()});
    if (value.is_broken()) {
      is_sound_ = false;
      return empty_value(spec.type);
    }
    const bool is_null = value.is_null() && !(value.is_untyped() && spec.type == HEADRACE_PARAM_STRING);
    if (is_null && has_flag(spec, HEADRACE_PARAM_NULLABLE)) return empty_value(spec.type);
    return bind_value(spec, value);
  }

  headrace_param_value bind_default(const headrace_param_spec& spec) {
    if (has_flag(spec, HEADRACE_PARAM_REQUIRED)) {
      fail(node_.where, fmt::format("{}.with has no {}, which {} needs: {}", node_.name, spec.name,
                                    op_.table.name, param_takes(spec)));
      return empty_value(spec.type);
    }
    if (spec.default_yaml == nullptr) return empty_value(spec.type);
    const Value value = read_document(spec.default_yaml, "", diagnostics_);
    return value.is_null() ? empty_value(spec.type) : bind_value(spec, value);
  }

  headrace_param_value bind_value(const headrace_param_spec& spec, const Value& value) {
    if (!has_flag(spec, HEADRACE_PARAM_LIST) && spec.type == HEADRACE_PARAM_OP)
      return bind_part(spec, value, spec.name);
    if (!has_flag(spec, HEADRACE_PARAM_LIST)) {
      std::optional<headrace_param_value> out = read_element(spec, value);
      if (!out) refuse(spec, value);
      return out ? *out : empty_value(spec.type);
    }
    if (!value.is_list() && !has_flag(spec, HEADRACE_PARAM_ONE_OR_LIST)) {
      refuse(spec, value);
      return empty_value(spec.type);
    }
    return bind_list(spec, value);
  }

  headrace_param_value bind_list(const headrace_param_spec& spec, const Value& value) {
    const Value::List single = value.is_list() ? Value::List{} : Value::List{value};
    const Value::List& items = value.is_list() ? value.items() : single;
    const std::size_t count = items.size();
    headrace_param_value out = empty_value(spec.type);
    if (count < spec.list_min || (spec.list_max != 0 && count > spec.list_max)) {
      fail(value.where(),
           fmt::format("{} must be {}, not {} of them{}", path(spec), param_takes(spec), count,
                       value.origin().empty() ? "" : fmt::format(" (from {})", value.origin())));
      return out;
    }
    std::vector<headrace_param_value>& elements = out_.lists_.emplace_back();
    for (std::size_t i = 0; i < count; ++i) {
      const Value& item = items[i];
      if (spec.type == HEADRACE_PARAM_OP) {
        elements.push_back(bind_part(spec, item, fmt::format("{}[{}]", spec.name, i)));
        continue;
      }
      const std::optional<headrace_param_value> element = read_element(spec, item);
      if (element) {
        elements.push_back(*element);
      } else if (value.is_list()) {
        refuse_element(spec, item);
      } else {
        refuse(spec, item);
      }
    }
    out.given = out.is_list = 1;
    out.items = elements.data();
    out.count = static_cast<std::uint32_t>(elements.size());
    return out;
  }

  /// `{op: image.invert, with: {p: 0.3}}`; `path` is where in this node's parameters it stands.
  headrace_param_value bind_part(const headrace_param_spec& spec, const Value& value,
                                 const std::string& path) {
    headrace_param_value out = empty_value(spec.type);
    if (!value.is_map()) {
      path == spec.name ? refuse(spec, value) : refuse_element(spec, value);
      return out;
    }
    NodeSpec part;
    part.name = fmt::format("{}.with.{}", node_.name, path);
    part.where = value.where();
    part.with = Value::map({}, value.where());
    const std::size_t errors = diagnostics_.error_count();
    Section section(value, part.name, diagnostics_);
    const RegisteredOp* op = part_op(spec, section, value, part);
    if (const Value* with = section.find("with")) {
      const bool is_map = require_map(*with, section.path("with"), diagnostics_);
      part.with = is_map ? *with : Value::broken(with->where());
    }
    section.refuse_other_keys();
    BoundParams::Part& kept = out_.parts_.emplace_back();
    const bool is_bound = op != nullptr && ParamBinder(part, *op, diagnostics_, kept.params).bind();
    if (!is_bound || errors != diagnostics_.error_count()) {
      is_sound_ = false;
      return out;
    }
    keep_places(path, value.where(), kept.params);
    const std::string& name = out_.texts_.emplace_back(std::move(part.name));
    kept.node = view_of(name.c_str(), *op, kept.params);
    out.given = 1;
    out.node = &kept.node;
    return out;
  }

  /// The op that a part names, when it is one that may stand there.
  const RegisteredOp* part_op(const headrace_param_spec& spec, Section& section, const Value& value,
                              const NodeSpec& part) {
    const std::optional<LocatedName> name = section.name("op");
    if (value.find("op") == nullptr) fail(part.where, fmt::format("{} has no op", part.name));
    if (!name) return nullptr;
    const std::vector<std::string> choices = choices_of(spec);
    if (std::find(choices.begin(), choices.end(), name->name) != choices.end())
      return op_.plugin->find(name->name);
    fail(name->where, fmt::format("{} takes no op '{}'{}", path(spec), name->name,
                                  did_you_mean_or_allowed(name->name, choices)));
    return nullptr;
  }

  void keep_places(const std::string& path, const Location& where, const BoundParams& part) {
    const auto keep = [&](const std::string& within, const Location& place) {
      out_.within_.emplace_back(fmt::format("{}.with.{}", path, within), place);
    };
    out_.within_.emplace_back(path, where);
    for (const BoundParams::Place& place : part.places_) keep(place.param, place.where);
    for (const auto& [within, place] : part.within_) keep(within, place);
  }

  std::optional<headrace_param_value> read_element(const headrace_param_spec& spec, const Value& value) {
    headrace_param_value out = empty_value(spec.type);
    out.given = 1;
    switch (spec.type) {
      case HEADRACE_PARAM_BOOL:
        return take_boolean(value, out);
      case HEADRACE_PARAM_INT:
        return take_integer(spec, value, out);
      case HEADRACE_PARAM_FLOAT:
        return take_real(spec, value, out);
      case HEADRACE_PARAM_STRING:
        return take_string(spec, value, out);
      case HEADRACE_PARAM_BYTES: {
        const Result<std::int64_t> bytes = size_of(value);
        if (!bytes.ok() || !in_range(spec, static_cast<double>(*bytes))) return std::nullopt;
        out.integer = *bytes;
        out.number = static_cast<double>(*bytes);
        return out;
      }
      case HEADRACE_PARAM_SECONDS: {
        const Result<double> seconds = seconds_of(value);
        if (!seconds.ok() || !in_range(spec, *seconds)) return std::nullopt;
        out.number = *seconds;
        return out;
      }
      default:
        return take_scalar(spec, value, out);
    }
  }

  static std::optional<headrace_param_value> take_boolean(const Value& value, headrace_param_value out) {
    const std::optional<bool> truth = value.as_boolean();
    if (!truth) return std::nullopt;
    out.boolean = *truth ? 1 : 0;
    return out;
  }

  static std::optional<headrace_param_value> take_integer(const headrace_param_spec& spec, const Value& value,
                                                          headrace_param_value out) {
    const std::optional<std::int64_t> whole = value.as_integer();
    if (!whole || !in_range(spec, static_cast<double>(*whole))) return std::nullopt;
    out.integer = *whole;
    out.number = static_cast<double>(*whole);
    return out;
  }

  static std::optional<headrace_param_value> take_real(const headrace_param_spec& spec, const Value& value,
                                                       headrace_param_value out) {
    const std::optional<double> number = value.as_real();
    const bool is_number = spec.type != HEADRACE_PARAM_FLOAT || (number && std::isfinite(*number));
    if (!number || !is_number || !in_range(spec, *number)) return std::nullopt;
    out.number = *number;
    return out;
  }

  std::optional<headrace_param_value> take_string(const headrace_param_spec& spec, const Value& value,
                                                  headrace_param_value out) {
    const auto text = value.as_string();
    if (!text) return std::nullopt;
    bool is_choice = spec.choice_count == 0;
    for (std::uint32_t i = 0; i < spec.choice_count; ++i) is_choice = is_choice || *text == spec.choices[i];
    if (!is_choice) return std::nullopt;
    const std::string& kept = out_.texts_.emplace_back(*text);
    out.string = {kept.data(), kept.size()};
    return out;
  }

  std::optional<headrace_param_value> take_scalar(const headrace_param_spec& spec, const Value& value,
                                                  headrace_param_value out) {
    if (value.as_boolean()) {
      out.type = HEADRACE_PARAM_BOOL;
      return take_boolean(value, out);
    }
    if (value.as_integer()) {
      out.type = HEADRACE_PARAM_INT;
      return take_integer(spec, value, out);
    }
    if (value.as_real()) {
      out.type = HEADRACE_PARAM_FLOAT;
      return take_real(spec, value, out);
    }
    out.type = HEADRACE_PARAM_STRING;
    return take_string(spec, value, out);
  }

  std::string path(const headrace_param_spec& spec) const {
    return fmt::format("{}.with.{}", node_.name, spec.name);
  }

  /// What helps somebody who wrote `value` where `spec` stands.
  static std::string hint(const headrace_param_spec& spec, const Value& value) {
    if (spec.type == HEADRACE_PARAM_STRING && value.is_string()) {
      return did_you_mean(value.text(), choices_of(spec));
    }
    const auto number = spec.type == HEADRACE_PARAM_FLOAT ? value.as_real() : std::nullopt;
    if (number && !std::isfinite(*number)) return " (a number must be finite)";
    const bool is_plain = value.is_scalar() && !value.is_null() && !value.is_string();
    if (spec.type == HEADRACE_PARAM_STRING && is_plain && spec.choice_count == 0) {
      return fmt::format(" (write \"{}\" for text)", value.text());
    }
    return {};
  }

  void refuse(const headrace_param_spec& spec, const Value& value) {
    fail(value.where(), fmt::format("{} must be {}, not {}{}", path(spec), param_takes(spec),
                                    value.describe(), hint(spec, value)));
  }

  void refuse_element(const headrace_param_spec& spec, const Value& value) {
    is_sound_ = false;
    if (value.is_broken()) return;
    fail(value.where(), fmt::format("each of {} must be {}{}, not {}{}", path(spec), noun(spec),
                                    range_text(spec), value.describe(), hint(spec, value)));
  }

  void fail(const Location& where, std::string text) {
    is_sound_ = false;
    diagnostics_.error(where, std::move(text));
  }

  const NodeSpec& node_;
  const RegisteredOp& op_;
  Diagnostics& diagnostics_;
  BoundParams& out_;
  bool is_sound_ = true;
};

headrace_node view_of(const char* name, const RegisteredOp& op, const BoundParams& params) {
  headrace_node node{};
  node.size = sizeof(headrace_node);
  node.op_version = op.table.version;
  node.name = name;
  node.op = op.table.name;
  node.params = params.data();
  node.param_specs = op.param_specs.data();
  node.param_count = static_cast<std::uint32_t>(params.size());
  return node;
}

std::unique_ptr<BoundParams> bind_params(const NodeSpec& node, const RegisteredOp& op,
                                         Diagnostics& diagnostics) {
  auto out = std::make_unique<BoundParams>();
  const bool is_bound = ParamBinder(node, op, diagnostics, *out).bind();
  return is_bound ? std::move(out) : nullptr;
}

}  // namespace headrace
