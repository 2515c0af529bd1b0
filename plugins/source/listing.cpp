// SPDX-License-Identifier: Apache-2.0

#include "listing.h"

#include <algorithm>

namespace headrace::source {
namespace {

/// A folder with fewer files has no run of its own: what a run takes would outweigh the text that it saves.
constexpr std::size_t kFewNames = 16;

}  // namespace

char* Listing::Path::copy_to(char* to) const {
  to = std::copy(folder.begin(), folder.end(), to);
  if (!folder.empty()) *to++ = '/';
  return std::copy(name.begin(), name.end(), to);
}

void Listing::add(std::string_view folder, std::string_view name) {
  if (!open_.fits(Path{folder, name}.size())) close_run();
  if (folder.empty()) {
    open_.add(name);
  } else {
    open_.add(folder, name);
  }
  ++size_;
}

void Listing::add_folder(std::string_view folder, std::vector<NameBlock> names) {
  std::size_t count = 0;
  for (const NameBlock& block : names) count += block.size();
  if (count < kFewNames) {
    for (const NameBlock& block : names) {
      for (std::uint32_t i = 0; i < block.size(); ++i) add(folder, block[i]);
    }
    return;
  }
  close_run();
  if (!folder.empty()) {
    folders_.push_back(std::make_unique_for_overwrite<char[]>(folder.size()));
    std::copy(folder.begin(), folder.end(), folders_.back().get());
    folder = {folders_.back().get(), folder.size()};
  }
  for (NameBlock& block : names) {
    const std::size_t first = size_;
    size_ += block.size();
    append(first, folder, std::move(block));
  }
}

void Listing::close_run() {
  if (open_.size() == 0) return;
  const std::size_t first = size_ - open_.size();
  append(first, {}, open_.take());
}

void Listing::append(std::size_t first, std::string_view folder, NameBlock names) {
  firsts_.push_back(first);
  runs_.push_back({folder, std::move(names)});
}

void Listing::begin_class(std::string name) {
  classes_.push_back(std::move(name));
  class_begins_.push_back(size());
}

void Listing::finish() {
  close_run();
  open_ = {};
  firsts_.shrink_to_fit();
  runs_.shrink_to_fit();
  folders_.shrink_to_fit();
  if (labels_.size() > 0) classes_ = labels_.finish();
}

Listing::Path Listing::path(std::size_t i) const {
  const auto run = std::upper_bound(firsts_.begin(), firsts_.end(), i) - firsts_.begin() - 1;
  return {runs_[run].folder, runs_[run].names[static_cast<std::uint32_t>(i - firsts_[run])]};
}

std::int64_t Listing::label(std::size_t i) const {
  if (labels_.size() > 0) return labels_[i];
  return std::upper_bound(class_begins_.begin(), class_begins_.end(), i) - class_begins_.begin() - 1;
}

std::size_t Listing::same_label_end(std::size_t i) const {
  if (labels_.size() == 0) {
    const auto next = std::upper_bound(class_begins_.begin(), class_begins_.end(), i);
    return next == class_begins_.end() ? size_ : *next;
  }
  std::size_t end = i + 1;
  while (end < size_ && labels_[end] == labels_[i]) ++end;
  return end;
}

}  // namespace headrace::source
