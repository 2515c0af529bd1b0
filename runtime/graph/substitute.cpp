// SPDX-License-Identifier: Apache-2.0
//
// Typed substitution with defaults, cycle detection and bounds.

#include "runtime/graph/substitute.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "runtime/graph/document.h"
#include "runtime/graph/scalar.h"

namespace headrace {
namespace {

constexpr std::string_view kOpen = "${";
constexpr std::size_t kMaxNesting = 16;

/// Position after the } that closes the ${ at the front of `text`; npos when none does or too many ${ are
/// nested.
std::size_t closing(std::string_view text) {
  std::size_t depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, kOpen.size()) == kOpen) {
      if (++depth > kMaxNesting) return std::string_view::npos;
      ++i;
    } else if (text[i] == '}' && --depth == 0) {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

/// True when `text` is one ${...} and nothing else.
bool is_whole(std::string_view text) {
  return text.substr(0, kOpen.size()) == kOpen && closing(text) == text.size();
}

std::string_view inside(std::string_view whole) { return whole.substr(2, whole.size() - 3); }

bool is_environment_name(std::string_view name) {
  const auto is_allowed = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !name.empty() && !(name[0] >= '0' && name[0] <= '9') &&
         std::all_of(name.begin(), name.end(), is_allowed);
}

}  // namespace

Substitution::Substitution(const Value& vars, Environment environment, Diagnostics& diagnostics)
    : vars_(vars), environment_(std::move(environment)), diagnostics_(diagnostics) {}

Value Substitution::fault(const Location& where, std::string text) {
  diagnostics_.error(where, std::move(text));
  return Value::broken(where);
}

Value Substitution::apply(const Value& value) {
  if (value.is_string()) return apply_text(value);
  Value out = value;
  if (value.is_list()) {
    for (Value& item : out.items()) item = apply(item);
  } else if (value.is_map()) {
    for (Value::Entry& entry : out.entries()) {
      if (entry.key.is_string() && entry.key.text().find(kOpen) != std::string::npos) {
        diagnostics_.error(entry.key.where(),
                           fmt::format("the key '{}' cannot be substituted", entry.key.text()));
      }
      entry.value = apply(entry.value);
    }
  }
  return out;
}

Value Substitution::var(const std::string& key) {
  const Value* raw = vars_.find(key);
  return raw ? resolve(key, *raw) : Value();
}

Value Substitution::apply_text(const Value& value) {
  const std::string& text = value.text();
  if (text.find(kOpen) == std::string::npos) return value;
  if (!is_whole(text)) return interpolate(text, value.where());
  Value out = evaluate(inside(text), value.where());
  values_ += out.node_count();
  if (values_ > kMaxSubstitutedValues) {
    return fault(value.where(), fmt::format("substitutions make more than {} values", kMaxSubstitutedValues));
  }
  return out;
}

Value Substitution::interpolate(std::string_view text, const Location& where) {
  std::string out;
  while (!text.empty()) {
    if (text.substr(0, 3) == "$${") {
      out += kOpen;
      text.remove_prefix(3);
    } else if (text.substr(0, kOpen.size()) == kOpen) {
      Value part = evaluate_part(text, where);
      if (part.is_broken()) return part;
      out += part.text();
      text.remove_prefix(closing(text));
    } else {
      out += text.front();
      text.remove_prefix(1);
    }
    if (out.size() > kMaxSubstitutedBytes) {
      return fault(where,
                   fmt::format("substitutions make a text of more than {} bytes", kMaxSubstitutedBytes));
    }
  }
  return Value::string(std::move(out), where);
}

Value Substitution::evaluate_part(std::string_view text, const Location& where) {
  const std::size_t end = closing(text);
  if (end == std::string_view::npos) {
    return fault(
        where,
        fmt::format("a '${{' is never closed, or more than {} are nested (write $${{ for the text ${{)",
                    kMaxNesting));
  }
  Value part = evaluate(inside(text.substr(0, end)), where);
  const bool is_nothing = part.is_null() && !part.is_untyped();
  if (part.is_broken() || (part.is_scalar() && !is_nothing)) return part;
  return fault(where, fmt::format("{} cannot stand within a longer text, being {}", text.substr(0, end),
                                  part.is_null()   ? "null"
                                  : part.is_list() ? "a list"
                                                   : "a map"));
}

Value Substitution::evaluate(std::string_view expression, const Location& where) {
  if (expression == "graph_dir") return Value::string(environment_.directory_of(where.file), where);
  if (expression.substr(0, 5) == "vars.") return evaluate_var(expression.substr(5), where);
  if (expression.substr(0, 4) == "env:") return evaluate_env(expression.substr(4), where);
  const bool is_var = vars_.find(expression) != nullptr;
  const std::string remedy = is_var
                                 ? fmt::format("did you mean ${{vars.{}}}?", expression)
                                 : "there are ${vars.NAME}, ${env:NAME} and ${graph_dir}; $${ is the text ${";
  return fault(where, fmt::format("${{{}}} names nothing ({})", expression, remedy));
}

Value Substitution::evaluate_var(std::string_view path, const Location& where) {
  const Value* at = &vars_;
  std::string walked = "vars";
  for (std::string_view rest = path;;) {
    const std::size_t dot = rest.find('.');
    const std::string_view key = rest.substr(0, dot);
    if (at->is_broken()) return Value::broken(where);
    if (!at->is_map()) {
      return fault(where, fmt::format("${{vars.{}}}: {} is {}, not a map", path, walked, at->describe()));
    }
    const Value* next = at->find(key);
    if (!next) {
      return fault(where, fmt::format("${{vars.{}}}: {} has no '{}'{}", path, walked, key,
                                      did_you_mean_or_allowed(key, at->key_names())));
    }
    at = next;
    walked += fmt::format(".{}", key);
    if (dot == std::string_view::npos) break;
    rest.remove_prefix(dot + 1);
  }
  Value out = resolve(std::string(path), *at);
  if (out.is_broken()) return Value::broken(where);
  if (out.origin().empty())
    out.set_origin(fmt::format("${{vars.{}}}, given at {}", path, to_string(out.where())));
  out.set_where(where);
  return out;
}

Value Substitution::resolve(const std::string& path, const Value& raw) {
  if (const auto known = resolved_.find(path); known != resolved_.end()) return known->second;
  if (resolving_.size() >= kMaxDocumentDepth) {
    return fault(raw.where(), fmt::format("more than {} vars name each other in a row", kMaxDocumentDepth));
  }
  const auto open = std::find(resolving_.begin(), resolving_.end(), path);
  if (open != resolving_.end()) {
    std::vector<std::string> circle(open, resolving_.end());
    circle.push_back(path);
    return fault(raw.where(),
                 fmt::format("vars go round in a circle: vars.{}", fmt::join(circle, " -> vars.")));
  }
  resolving_.push_back(path);
  Value out = apply(raw);
  resolving_.pop_back();
  if (out.depth() > kMaxDocumentDepth) {
    out = fault(raw.where(), fmt::format("vars.{} is nested deeper than {} levels", path, kMaxDocumentDepth));
  }
  return resolved_.emplace(path, std::move(out)).first->second;
}

Value Substitution::evaluate_env(std::string_view expression, const Location& where) {
  const std::size_t colon = expression.find(':');
  const std::string name(expression.substr(0, colon));
  const bool has_default = expression.substr(std::min(colon, expression.size()), 2) == ":-";
  if (!is_environment_name(name) || (colon != std::string_view::npos && !has_default)) {
    return fault(where,
                 fmt::format("${{env:{}}} is not ${{env:NAME}} or ${{env:NAME:-default}}", expression));
  }
  const std::optional<std::string> given = environment_.getenv(name);
  if (given && !(given->empty() && has_default)) {
    Value out = untyped_scalar(*given, where);
    out.set_origin(fmt::format("${{env:{}}}", name));
    return out;
  }
  if (!has_default) {
    return fault(where, fmt::format("the environment variable {} is not set (set it, or write a default: "
                                    "${{env:{}:-...}})",
                                    name, name));
  }
  const std::string_view fallback = expression.substr(colon + 2);
  if (is_whole(fallback)) return evaluate(inside(fallback), where);
  if (fallback.find(kOpen) != std::string_view::npos) return interpolate(fallback, where);
  Value out = untyped_scalar(fallback, where);
  out.set_origin(fmt::format("the default of ${{env:{}}}", name));
  return out;
}

}  // namespace headrace
