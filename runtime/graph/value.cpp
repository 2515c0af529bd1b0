// SPDX-License-Identifier: Apache-2.0
//
// The typed, located value of a graph file.

#include "runtime/graph/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

namespace headrace {
namespace {

constexpr std::int64_t kLargestExactInteger = std::int64_t{1} << 53;
constexpr std::size_t kMaxQuotedBytes = 60;

std::string quoted(std::string_view text) {
  if (text.size() <= kMaxQuotedBytes) return fmt::format("'{}'", text);
  std::size_t end = kMaxQuotedBytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return fmt::format("'{}...'", text.substr(0, end));
}

}  // namespace

Value Value::null(Location where, std::string text) {
  Value out;
  out.where_ = std::move(where);
  out.text_ = std::move(text);
  return out;
}

Value Value::boolean(bool value, Location where, std::string text) {
  Value out = null(std::move(where), std::move(text));
  out.state_.emplace<bool>(value);
  return out;
}

Value Value::integer(std::int64_t value, Location where, std::string text) {
  Value out = null(std::move(where), std::move(text));
  out.state_.emplace<std::int64_t>(value);
  return out;
}

Value Value::real(double value, Location where, std::string text) {
  Value out = null(std::move(where), std::move(text));
  out.state_.emplace<double>(value);
  return out;
}

Value Value::string(std::string value, Location where) {
  Value out = null(std::move(where), value);
  out.state_.emplace<std::string>(std::move(value));
  return out;
}

Value Value::list(List items, Location where) {
  Value out = null(std::move(where), {});
  out.state_.emplace<List>(std::move(items));
  return out;
}

Value Value::map(Map entries, Location where) {
  Value out = null(std::move(where), {});
  out.state_.emplace<Map>(std::move(entries));
  return out;
}

Value Value::broken(Location where) {
  Value out = null(std::move(where), {});
  out.state_.emplace<Broken>();
  return out;
}

Value::Kind Value::kind() const { return static_cast<Kind>(state_.index()); }

std::optional<bool> Value::as_boolean() const {
  const bool* value = std::get_if<bool>(&state_);
  return value ? std::optional<bool>(*value) : std::nullopt;
}

std::optional<std::int64_t> Value::as_integer() const {
  const std::int64_t* value = std::get_if<std::int64_t>(&state_);
  return value ? std::optional<std::int64_t>(*value) : std::nullopt;
}

std::optional<double> Value::as_real() const {
  if (const double* value = std::get_if<double>(&state_)) return *value;
  const std::optional<std::int64_t> whole = as_integer();
  if (!whole || *whole > kLargestExactInteger || *whole < -kLargestExactInteger) return std::nullopt;
  return static_cast<double>(*whole);
}

std::optional<std::string_view> Value::as_string() const {
  if (const std::string* value = std::get_if<std::string>(&state_)) return std::string_view(*value);
  if (untyped_ && is_scalar()) return std::string_view(text_);
  return std::nullopt;
}

const Value::List& Value::items() const {
  assert(is_list());
  return *std::get_if<List>(&state_);
}

Value::List& Value::items() {
  assert(is_list());
  return *std::get_if<List>(&state_);
}

const Value::Map& Value::entries() const {
  assert(is_map());
  return *std::get_if<Map>(&state_);
}

Value::Map& Value::entries() {
  assert(is_map());
  return *std::get_if<Map>(&state_);
}

const Value* Value::find(std::string_view key) const {
  if (!is_map()) return nullptr;
  for (const Entry& entry : entries()) {
    if (entry.key.is_string() && entry.key.as_string() == key) return &entry.value;
  }
  return nullptr;
}

Value* Value::find(std::string_view key) {
  return const_cast<Value*>(static_cast<const Value*>(this)->find(key));
}

std::vector<std::string> Value::key_names() const {
  std::vector<std::string> out;
  if (!is_map()) return out;
  for (const Entry& entry : entries()) out.push_back(entry.key.text());
  return out;
}

Value Value::take(std::string_view key) {
  Value* there = find(key);
  if (!there) return Value();
  Value out = std::move(*there);
  Map& map = entries();
  map.erase(std::find_if(map.begin(), map.end(), [&](const Entry& entry) { return &entry.value == there; }));
  return out;
}

std::size_t Value::node_count() const {
  std::size_t count = 1;
  if (is_list()) {
    for (const Value& item : items()) count += item.node_count();
  } else if (is_map()) {
    for (const Entry& entry : entries()) count += entry.key.node_count() + entry.value.node_count();
  }
  return count;
}

std::size_t Value::depth() const {
  std::size_t deepest = 0;
  if (is_list()) {
    for (const Value& item : items()) deepest = std::max(deepest, item.depth());
  } else if (is_map()) {
    for (const Entry& entry : entries()) deepest = std::max(deepest, entry.value.depth());
  }
  return is_scalar() || is_broken() ? 0 : deepest + 1;
}

std::string Value::describe() const {
  std::string out;
  switch (kind()) {
    case Kind::null:
      out = "nothing";
      break;
    case Kind::boolean:
      out = *as_boolean() ? "true" : "false";
      break;
    case Kind::integer:
      out = fmt::format("the integer {}", text_);
      break;
    case Kind::real:
      out = fmt::format("the number {}", text_);
      break;
    case Kind::string:
      out = fmt::format("the text {}", quoted(text_));
      break;
    case Kind::list:
      out = "a list";
      break;
    case Kind::map:
      out = "a map";
      break;
    case Kind::broken:
      out = "a value at fault";
      break;
  }
  return origin_.empty() ? out : fmt::format("{} (from {})", out, origin_);
}

}  // namespace headrace
