// SPDX-License-Identifier: Apache-2.0
//
// Deep merging of documents and the settings of the command line.

#include "runtime/graph/overlay.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/graph/document.h"

namespace headrace {
namespace {

Value::Entry* find_entry(Value& map, const Value& key) {
  for (Value::Entry& entry : map.entries()) {
    if (entry.key.kind() == key.kind() && entry.key.text() == key.text()) return &entry;
  }
  return nullptr;
}

std::vector<std::string> split_path(std::string_view path) {
  std::vector<std::string> out;
  for (;;) {
    const std::size_t dot = path.find('.');
    out.emplace_back(path.substr(0, dot));
    if (dot == std::string_view::npos) return out;
    path.remove_prefix(dot + 1);
  }
}

/// What must be there already, by the name of its section: a typo must not make a new one.
std::optional<std::string_view> noun_of(std::string_view section) {
  if (section == "nodes") return "node";
  if (section == "outputs") return "output";
  if (section == "vars") return "var";
  return std::nullopt;
}

std::string joined(const std::vector<std::string>& path, std::size_t count) {
  return fmt::format("{}", fmt::join(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(count), "."));
}

void place_setting(Value& document, const std::vector<std::string>& path, Value value,
                   Diagnostics& diagnostics) {
  const Location where = value.where();
  Value* at = &document;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (at->is_null() && i > 0) *at = Value::map({}, where);
    if (at->is_broken()) return;
    if (!at->is_map()) {
      diagnostics.error(where, fmt::format("{} is {}, which has no '{}' to set (set it as a whole)",
                                           joined(path, i), at->describe(), path[i]));
      return;
    }
    Value* next = at->find(path[i]);
    const bool is_last = i + 1 == path.size();
    if (!next && i == 1) {
      if (const auto noun = noun_of(path[0])) {
        diagnostics.error(where, fmt::format("the graph has no {} '{}'{}", *noun, path[i],
                                             did_you_mean_or_allowed(path[i], at->key_names())));
        return;
      }
    }
    if (!next) {
      at->entries().push_back({Value::string(path[i], where), is_last ? Value() : Value::map({}, where)});
      next = &at->entries().back().value;
    }
    at = next;
  }
  *at = std::move(value);
}

}  // namespace

Value overlay(Value base, Value over) {
  if (over.is_broken() && !base.is_null()) return base;
  if (!base.is_map() || !over.is_map()) return over;
  for (Value::Entry& entry : over.entries()) {
    Value::Entry* below = find_entry(base, entry.key);
    if (!below) {
      base.entries().push_back(std::move(entry));
      continue;
    }
    // A merged map stays where it was first given; what is replaced moves to where it is said now.
    if (!below->value.is_map() || !entry.value.is_map()) below->key = std::move(entry.key);
    below->value = overlay(std::move(below->value), std::move(entry.value));
  }
  return base;
}

void apply_setting(Value& document, const std::string& setting, Diagnostics& diagnostics) {
  const std::size_t equals = setting.find('=');
  const std::string path_text = setting.substr(0, equals);
  const std::string source = "--set " + path_text;
  const std::vector<std::string> path = split_path(path_text);
  bool is_whole = equals != std::string::npos;
  for (const std::string& key : path) is_whole = is_whole && !key.empty();
  if (!is_whole) {
    diagnostics.error({source, 0, 0}, "expected PATH=VALUE, such as nodes.crop.with.size=224");
    return;
  }
  if (path[0] == "include" || path[0] == "profiles") {
    diagnostics.error({source, 0, 0}, fmt::format("{} cannot be set", path[0]));
    return;
  }
  Value value = read_setting(std::string_view(setting).substr(equals + 1), source, diagnostics);
  if (!value.is_broken()) place_setting(document, path, std::move(value), diagnostics);
}

}  // namespace headrace
