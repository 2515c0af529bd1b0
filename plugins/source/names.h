// SPDX-License-Identifier: Apache-2.0
//
// Names of files by the million in little more memory than their own text: packed into blocks, and sorted
// without ever being held twice. Used by the listing, the walk and the cache; one thread an object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace headrace::source {

/// Names in a row: the end of each in the text, two bytes a name, and then the text. Moved, never copied.
class NameBlock {
 public:
  static constexpr std::size_t kMaxTextBytes = 65'535;

  NameBlock() = default;
  /// For `count` names with so much text together; packed() is to be filled.
  NameBlock(std::uint32_t count, std::uint32_t text_bytes);

  std::uint32_t size() const { return count_; }
  std::uint32_t text_bytes() const { return text_bytes_; }
  std::string_view operator[](std::uint32_t i) const {
    const std::uint32_t begin = i == 0 ? 0 : end_of(i - 1);
    return {packed_.get() + kEndBytes * count_ + begin, end_of(i) - begin};
  }
  /// The block as it is kept in a file.
  char* packed() { return packed_.get(); }
  std::string_view packed() const { return {packed_.get(), kEndBytes * count_ + text_bytes_}; }
  /// Whether every name ends where it may; asked of a block that came from a file before its names are.
  bool is_sound() const;

 private:
  friend class NamePacker;
  static constexpr std::size_t kEndBytes = sizeof(std::uint16_t);
  std::uint32_t end_of(std::uint32_t i) const;

  std::unique_ptr<char[]> packed_;
  std::uint32_t count_ = 0;
  std::uint32_t text_bytes_ = 0;
};

/// Makes blocks out of names that come in order.
class NamePacker {
 public:
  /// Whether the block has room for a name so long; an empty one always has.
  bool fits(std::size_t name_bytes) const { return text_.size() + name_bytes <= NameBlock::kMaxTextBytes; }
  /// A name that fits.
  void add(std::string_view name);
  /// The name "folder/name".
  void add(std::string_view folder, std::string_view name);
  std::uint32_t size() const { return static_cast<std::uint32_t>(ends_.size()); }
  /// The names added since the last take(), in memory as large as they are.
  NameBlock take();

 private:
  std::string text_;
  std::vector<std::uint16_t> ends_;
};

/// Sorts the names of one folder by their bytes. Beyond kSliceNames they are sorted slice by slice and
/// merged, and a slice is let go of as it is read, so that the names of a folder of millions are never there
/// twice.
class NameSorter {
 public:
  static constexpr std::size_t kSliceNames = std::size_t{1} << 16U;

  void add(std::string_view name);
  /// All names that were added, in order; the next add() begins anew.
  std::vector<NameBlock> take();

 private:
  std::vector<NameBlock> sort_slice();
  std::vector<NameBlock> merge_slices();

  std::string text_;
  std::vector<std::uint32_t> begins_;  ///< in text_
  std::vector<std::vector<NameBlock>> slices_;
  NamePacker packer_;
};

}  // namespace headrace::source
