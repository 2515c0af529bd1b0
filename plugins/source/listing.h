// SPDX-License-Identifier: Apache-2.0
//
// The samples that source.files found: paths and labels of up to many millions of files, in little more
// memory than the paths' own text. Filled by one thread in open(), then read by any number.
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
template <class T, std::size_t kBlock>
class Blocks {
 public:
  void push_back(T value) {
    if (size_ % kBlock == 0) blocks_.push_back(std::make_unique_for_overwrite<T[]>(kBlock));
    blocks_.back()[size_++ % kBlock] = value;
  }
  T operator[](std::size_t i) const { return blocks_[i / kBlock][i % kBlock]; }
  std::size_t size() const { return size_; }

 private:
  std::vector<std::unique_ptr<T[]>> blocks_;
  std::size_t size_ = 0;
};

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

class Listing {
 public:
  static constexpr std::size_t kMaxPathBytes = 4095;  ///< the longest path that the system takes

  /// Appends folder/name, or name alone when the folder is "". At most kMaxPathBytes long.
  void add(std::string_view folder, std::string_view name);
  /// What is added from now on belongs to a new class; every sample before the first class has none.
  void begin_class(std::string name);
  /// Appends the label of the sample added last, as text. Either every sample gets one, or none does.
  void add_label(std::string_view text);
  /// After the last add_label(): whole numbers are labels as they are; if there is other text among them, all
  /// are names of classes, numbered in the order of their bytes.
  void finish_labels();

  std::size_t size() const { return positions_.size(); }
  std::string_view path(std::size_t i) const;
  /// Number of the sample's class, or its label.
  std::int64_t label(std::size_t i) const;
  /// Names of the classes by number; empty where labels are numbers.
  const std::vector<std::string>& classes() const { return classes_; }

 private:
  static constexpr std::size_t kTextBlock = std::size_t{1} << 20U;
  static constexpr unsigned kLengthBits = 16;

  std::vector<std::unique_ptr<char[]>> text_;
  std::size_t used_ = kTextBlock;  ///< of the last block
  Blocks<std::uint64_t, std::size_t{1} << 16U>
      positions_;  ///< place in the text, then length in the low bits

  std::vector<std::string> classes_;
  std::vector<std::size_t> class_begins_;
  Blocks<std::uint32_t, std::size_t{1} << 16U> label_numbers_;  ///< which of label_values_
  std::vector<std::int64_t> label_values_;
  std::unordered_map<std::string, std::uint32_t, TextHash, std::equal_to<>>
      label_texts_;  ///< until finish_labels()
};

}  // namespace headrace::source
