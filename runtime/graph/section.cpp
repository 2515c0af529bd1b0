// SPDX-License-Identifier: Apache-2.0
//
// Reading typed keys out of one map and finding those that should not be there.

#include "runtime/graph/section.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "runtime/graph/quantity.h"

namespace headrace {
namespace {

std::string integer_range(std::int64_t minimum, std::int64_t maximum) {
  if (maximum == std::numeric_limits<std::int64_t>::max())
    return fmt::format("an integer of at least {}", minimum);
  return fmt::format("an integer from {} to {}", minimum, maximum);
}

}  // namespace

bool require_map(const Value& value, const std::string& name, Diagnostics& diagnostics) {
  if (value.is_map()) return true;
  if (value.is_broken()) return false;
  diagnostics.error(value.where(), fmt::format("{} must be a map, not {}", name.empty() ? "the graph" : name,
                                               value.describe()));
  return false;
}

Section::Section(const Value& value, std::string name, Diagnostics& diagnostics)
    : value_(value), name_(std::move(name)), diagnostics_(diagnostics) {
  require_map(value, name_, diagnostics);
}

std::string Section::path(std::string_view key) const {
  return name_.empty() ? std::string(key) : fmt::format("{}.{}", name_, key);
}

void Section::must_be(std::string_view key, std::string_view wanted, const Value& value) {
  if (value.is_broken()) return;
  diagnostics_.error(value.where(),
                     fmt::format("{} must be {}, not {}", path(key), wanted, value.describe()));
}

const Value* Section::find(std::string_view key) {
  asked_.emplace_back(key);
  const Value* value = value_.find(key);
  return value && value->is_null() ? nullptr : value;
}

std::optional<bool> Section::boolean(std::string_view key) {
  const Value* value = find(key);
  if (!value) return std::nullopt;
  const std::optional<bool> out = value->as_boolean();
  if (!out) must_be(key, "true or false", *value);
  return out;
}

std::optional<Located<std::int64_t>> Section::integer(std::string_view key, std::int64_t minimum,
                                                      std::int64_t maximum) {
  const Value* value = find(key);
  if (!value) return std::nullopt;
  const std::optional<std::int64_t> out = value->as_integer();
  if (out && *out >= minimum && *out <= maximum) return Located<std::int64_t>{*out, value->where()};
  must_be(key, integer_range(minimum, maximum), *value);
  return std::nullopt;
}

std::optional<Located<std::int64_t>> Section::integer_or_auto(std::string_view key, std::int64_t minimum,
                                                              std::int64_t maximum) {
  bool is_auto = false;
  auto out = auto_or_integer(key, minimum, maximum, is_auto);
  return is_auto ? Located<std::int64_t>{0, value_.find(key)->where()} : out;
}

std::optional<Located<std::int64_t>> Section::integer_unless_auto(std::string_view key, std::int64_t minimum,
                                                                  std::int64_t maximum) {
  bool is_auto = false;
  return auto_or_integer(key, minimum, maximum, is_auto);
}

std::optional<Located<std::int64_t>> Section::auto_or_integer(std::string_view key, std::int64_t minimum,
                                                              std::int64_t maximum, bool& is_auto) {
  const Value* value = find(key);
  if (!value) return std::nullopt;
  is_auto = value->as_string() == "auto";
  if (is_auto) return std::nullopt;
  const std::optional<std::int64_t> out = value->as_integer();
  if (out && *out >= minimum && *out <= maximum) return Located<std::int64_t>{*out, value->where()};
  must_be(key, fmt::format("auto or {}", integer_range(minimum, maximum)), *value);
  return std::nullopt;
}

std::optional<double> Section::real(std::string_view key, double minimum, double maximum) {
  const Value* value = find(key);
  if (!value) return std::nullopt;
  const std::optional<double> out = value->as_real();
  if (out && *out >= minimum && *out <= maximum) return out;
  must_be(key, fmt::format("a number from {} to {}", minimum, maximum), *value);
  return std::nullopt;
}

std::optional<Located<std::int64_t>> Section::size(std::string_view key) {
  const Value* value = find(key);
  if (!value || value->is_broken()) return std::nullopt;
  const Result<std::int64_t> bytes = size_of(*value);
  if (bytes.ok() && *bytes >= 1) return Located<std::int64_t>{*bytes, value->where()};
  const std::string fault =
      bytes.ok() ? "at least 1 byte, not " + value->describe() : bytes.status().message();
  diagnostics_.error(value->where(), fmt::format("{} must be {}", path(key), fault));
  return std::nullopt;
}

std::optional<double> Section::seconds(std::string_view key, double minimum, double maximum) {
  const Value* value = find(key);
  if (!value || value->is_broken()) return std::nullopt;
  const Result<double> seconds = seconds_of(*value);
  if (seconds.ok() && *seconds >= minimum && *seconds <= maximum) return *seconds;
  const std::string fault =
      seconds.ok() ? fmt::format("from {} s to {} s, not {}", minimum, maximum, value->describe())
                   : seconds.status().message();
  diagnostics_.error(value->where(), fmt::format("{} must be {}", path(key), fault));
  return std::nullopt;
}

std::optional<LocatedName> Section::name(std::string_view key) {
  const Value* value = find(key);
  if (!value) return std::nullopt;
  const auto out = value->as_string();
  if (out && !out->empty()) return LocatedName{std::string(*out), value->where()};
  must_be(key, "a name", *value);
  return std::nullopt;
}

std::optional<std::size_t> Section::choice(std::string_view key, const std::vector<std::string>& choices) {
  const Value* value = find(key);
  if (!value) return std::nullopt;
  const auto word = value->as_string();
  if (word) {
    const auto found = std::find(choices.begin(), choices.end(), *word);
    if (found != choices.end()) return static_cast<std::size_t>(found - choices.begin());
  }
  must_be(key, fmt::format("{}", fmt::join(choices, " or ")), *value);
  return std::nullopt;
}

std::optional<std::vector<LocatedName>> Section::names(std::string_view key) {
  const Value* value = find(key);
  if (!value || value->is_broken()) return std::nullopt;
  std::vector<LocatedName> out;
  const Value::List single = value->is_list() ? Value::List{} : Value::List{*value};
  for (const Value& item : value->is_list() ? value->items() : single) {
    const auto text = item.as_string();
    if (text && !text->empty()) {
      out.push_back({std::string(*text), item.where()});
    } else if (value->is_list()) {
      if (!item.is_broken()) {
        diagnostics_.error(item.where(),
                           fmt::format("each of {} must be a name, not {}", path(key), item.describe()));
      }
      return std::nullopt;
    } else {
      must_be(key, "a name or a list of names", item);
      return std::nullopt;
    }
  }
  return out;
}

void Section::refuse_other_keys() {
  if (!value_.is_map()) return;
  const std::string place = name_.empty() ? "the graph" : name_;
  for (const Value::Entry& entry : value_.entries()) {
    if (!entry.key.is_string()) {
      diagnostics_.error(entry.key.where(),
                         fmt::format("a key in {} must be a name, not {}", place, entry.key.describe()));
      continue;
    }
    const std::string& key = entry.key.text();
    if (std::find(asked_.begin(), asked_.end(), key) != asked_.end()) continue;
    const bool lacks_space =
        std::find(asked_.begin(), asked_.end(), key.substr(0, key.find(':'))) != asked_.end();
    if (lacks_space) {
      diagnostics_.error(entry.key.where(), fmt::format("'{}' lacks a space after the colon", key));
      continue;
    }
    diagnostics_.error(entry.key.where(), fmt::format("unknown key '{}' in {}{}", key, place,
                                                      did_you_mean_or_allowed(key, asked_)));
  }
}

bool is_name(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto is_allowed = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '-'; };
  return !name.empty() && is_letter(name[0]) && std::all_of(name.begin(), name.end(), is_allowed);
}

}  // namespace headrace
