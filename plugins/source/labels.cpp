// SPDX-License-Identifier: Apache-2.0
//
// As long as all labels are numbers, they are kept as numbers; texts are few, and each is kept once.

#include "labels.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

namespace headrace::source {
namespace {

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool is_small(std::int64_t number) {
  return number >= std::numeric_limits<std::int32_t>::min() &&
         number <= std::numeric_limits<std::int32_t>::max();
}

}  // namespace

void Labels::add(std::string_view text) {
  if (ids_.size() == 0) {
    if (add_number(text)) return;
    turn_into_texts();
  }
  add_text(text);
}

bool Labels::add_number(std::string_view text) {
  const std::optional<std::int64_t> number = whole_number(text);
  // "007" may yet prove to be a name, and not that of "7".
  if (!number || (text.front() == '0' && text.size() > 1) || text.starts_with("-0")) return false;
  if (wide_.size() == 0 && is_small(*number)) {
    small_.push_back(static_cast<std::int32_t>(*number));
    return true;
  }
  for (std::size_t i = 0; i < small_.size(); ++i) wide_.push_back(small_[i]);
  small_ = {};
  wide_.push_back(*number);
  return true;
}

void Labels::add_text(std::string_view text) {
  auto known = known_.find(text);
  if (known == known_.end()) known = known_.emplace(text, static_cast<std::uint32_t>(known_.size())).first;
  ids_.push_back(known->second);
}

void Labels::turn_into_texts() {
  for (std::size_t i = 0; i < small_.size(); ++i) add_text(std::to_string(small_[i]));
  for (std::size_t i = 0; i < wide_.size(); ++i) add_text(std::to_string(wide_[i]));
  small_ = {};
  wide_ = {};
}

std::vector<std::string> Labels::finish() {
  values_.assign(known_.size(), 0);
  std::vector<std::string> names;
  for (const auto& [text, id] : known_) {
    names.push_back(text);
    if (const auto value = whole_number(text)) values_[id] = *value;
  }
  if (std::all_of(names.begin(), names.end(), whole_number)) {
    names.clear();
  } else {
    std::sort(names.begin(), names.end());
    for (std::size_t i = 0; i < names.size(); ++i) values_[known_[names[i]]] = static_cast<std::int64_t>(i);
  }
  known_ = {};
  return names;
}

std::int64_t Labels::operator[](std::size_t i) const {
  if (small_.size() > 0) return small_[i];
  return wide_.size() > 0 ? wide_[i] : values_[ids_[i]];
}

}  // namespace headrace::source
