// SPDX-License-Identifier: Apache-2.0
//
// The labels of a list file: numbers as they are, or names of classes, which are numbered. Four bytes a
// label, or eight once a number needs them. Filled by one thread, then read by any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace headrace::source {

/// A vector that grows by blocks: nothing is copied, and no more than one block is unused.
template <class T>
class Blocks {
 public:
  void push_back(T value) {
    if (size_ % kBlock == 0) blocks_.push_back(std::make_unique_for_overwrite<T[]>(kBlock));
    blocks_.back()[size_++ % kBlock] = value;
  }
  T operator[](std::size_t i) const { return blocks_[i / kBlock][i % kBlock]; }
  std::size_t size() const { return size_; }

 private:
  static constexpr std::size_t kBlock = std::size_t{1} << 14U;

  std::vector<std::unique_ptr<T[]>> blocks_;
  std::size_t size_ = 0;
};

class Labels {
 public:
  void add(std::string_view text);
  /// After the last add(): whole numbers are labels as they are, and nothing is given back. If there is other
  /// text among them, all are names of classes, numbered in the order of their bytes: these are given back.
  std::vector<std::string> finish();

  std::size_t size() const { return small_.size() + wide_.size() + ids_.size(); }
  std::int64_t operator[](std::size_t i) const;

 private:
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };

  bool add_number(std::string_view text);
  void add_text(std::string_view text);
  /// Numbers so far become texts: what came last is no number that its digits alone tell.
  void turn_into_texts();

  // One of the three is in use.
  Blocks<std::int32_t> small_;
  Blocks<std::int64_t> wide_;
  Blocks<std::uint32_t> ids_;  ///< which of values_

  std::vector<std::int64_t> values_;
  std::unordered_map<std::string, std::uint32_t, TextHash, std::equal_to<>> known_;  ///< until finish()
};

}  // namespace headrace::source
