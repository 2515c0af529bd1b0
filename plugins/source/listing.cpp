// SPDX-License-Identifier: Apache-2.0
//
// Labels come by the million and are few: each is kept once.

#include "listing.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

namespace headrace::source {
namespace {

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

void Listing::add(std::string_view folder, std::string_view name) {
  const std::size_t length = folder.empty() ? name.size() : folder.size() + 1 + name.size();
  if (used_ + length > kTextBlock) {
    text_.push_back(std::make_unique_for_overwrite<char[]>(kTextBlock));
    used_ = 0;
  }
  char* to = text_.back().get() + used_;
  if (!folder.empty()) {
    std::memcpy(to, folder.data(), folder.size());
    to[folder.size()] = '/';
    to += folder.size() + 1;
  }
  std::memcpy(to, name.data(), name.size());
  const std::uint64_t place = (text_.size() - 1) * kTextBlock + used_;
  positions_.push_back(place << kLengthBits | length);
  used_ += length;
}

std::string_view Listing::path(std::size_t i) const {
  const std::uint64_t position = positions_[i];
  const std::uint64_t place = position >> kLengthBits;
  const std::uint64_t length = position & ((std::uint64_t{1} << kLengthBits) - 1);
  return {text_[place / kTextBlock].get() + place % kTextBlock, length};
}

void Listing::begin_class(std::string name) {
  classes_.push_back(std::move(name));
  class_begins_.push_back(size());
}

void Listing::add_label(std::string_view text) {
  auto known = label_texts_.find(text);
  if (known == label_texts_.end()) {
    known = label_texts_.emplace(text, static_cast<std::uint32_t>(label_texts_.size())).first;
  }
  label_numbers_.push_back(known->second);
}

void Listing::finish_labels() {
  label_values_.assign(label_texts_.size(), 0);
  std::vector<std::string> names;
  for (const auto& [text, number] : label_texts_) {
    names.push_back(text);
    if (const auto value = whole_number(text)) label_values_[number] = *value;
  }
  const bool all_numbers = std::all_of(names.begin(), names.end(), whole_number);
  if (!all_numbers) {
    std::sort(names.begin(), names.end());
    for (std::size_t i = 0; i < names.size(); ++i)
      label_values_[label_texts_[names[i]]] = static_cast<std::int64_t>(i);
    classes_ = std::move(names);
  }
  label_texts_ = {};
}

std::int64_t Listing::label(std::size_t i) const {
  if (label_numbers_.size() != 0) return label_values_[label_numbers_[i]];
  return std::upper_bound(class_begins_.begin(), class_begins_.end(), i) - class_begins_.begin() - 1;
}

}  // namespace headrace::source
