// SPDX-License-Identifier: Apache-2.0
//
// Names in one folder mostly begin alike. A slice is therefore sorted by the eight bytes that follow what all
// have in common, as a number, and by the text itself where these are the same.

#include "names.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace headrace::source {
namespace {

struct Keyed {
  std::uint64_t key;  ///< the eight bytes, the first on top; zeros beyond the end, as no name holds one
  std::string_view name;
};

std::uint64_t key_of(std::string_view name, std::size_t shared) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, name.data() + shared, std::min(name.size() - shared, sizeof(bytes)));
  if constexpr (std::endian::native == std::endian::little) bytes = __builtin_bswap64(bytes);
  return bytes;
}

/// How many bytes all of them begin with.
std::size_t shared_bytes(const std::vector<Keyed>& names) {
  std::string_view shared = names.front().name;
  for (const Keyed& other : names) {
    const auto [end, unused] =
        std::mismatch(shared.begin(), shared.end(), other.name.begin(), other.name.end());
    shared = {shared.data(), static_cast<std::size_t>(end - shared.begin())};
  }
  return shared.size();
}

/// Where the reading of a slice is.
struct Cursor {
  std::vector<NameBlock>* slice;
  std::size_t block = 0;
  std::uint32_t at = 0;

  std::string_view name() const { return (*slice)[block][at]; }
  /// False at the end.
  bool advance() {
    if (++at < (*slice)[block].size()) return true;
    (*slice)[block] = {};
    at = 0;
    return ++block < slice->size();
  }
};

void pack(NamePacker& packer, std::string_view name, std::vector<NameBlock>& blocks) {
  if (!packer.fits(name.size())) blocks.push_back(packer.take());
  packer.add(name);
}

void pack_rest(NamePacker& packer, std::vector<NameBlock>& blocks) {
  if (packer.size() > 0) blocks.push_back(packer.take());
  blocks.shrink_to_fit();
}

}  // namespace

NameBlock::NameBlock(std::uint32_t count, std::uint32_t text_bytes)
    : packed_(std::make_unique_for_overwrite<char[]>(kEndBytes * count + text_bytes)),
      count_(count),
      text_bytes_(text_bytes) {}

std::uint32_t NameBlock::end_of(std::uint32_t i) const {
  std::uint16_t end = 0;
  std::memcpy(&end, packed_.get() + kEndBytes * i, kEndBytes);
  return end;
}

bool NameBlock::is_sound() const {
  std::uint32_t last = 0;
  bool is_rising = true;
  for (std::uint32_t i = 0; i < count_; ++i) {
    const std::uint32_t end = end_of(i);
    is_rising &= end > last;
    last = end;
  }
  return is_rising && last == text_bytes_;
}

void NamePacker::add(std::string_view name) {
  text_.append(name);
  ends_.push_back(static_cast<std::uint16_t>(text_.size()));
}

void NamePacker::add(std::string_view folder, std::string_view name) {
  text_.append(folder).push_back('/');
  add(name);
}

NameBlock NamePacker::take() {
  NameBlock block(size(), static_cast<std::uint32_t>(text_.size()));
  const std::size_t end_bytes = NameBlock::kEndBytes * ends_.size();
  if (end_bytes > 0) std::memcpy(block.packed(), ends_.data(), end_bytes);
  std::copy(text_.begin(), text_.end(), block.packed() + end_bytes);
  text_.clear();
  ends_.clear();
  return block;
}

void NameSorter::add(std::string_view name) {
  if (begins_.size() == kSliceNames) slices_.push_back(sort_slice());
  begins_.push_back(static_cast<std::uint32_t>(text_.size()));
  text_.append(name);
}

std::vector<NameBlock> NameSorter::sort_slice() {
  std::vector<NameBlock> blocks;
  if (begins_.empty()) return blocks;
  std::vector<Keyed> names;
  names.reserve(begins_.size());
  for (std::size_t i = 0; i < begins_.size(); ++i) {
    const std::size_t end = i + 1 < begins_.size() ? begins_[i + 1] : text_.size();
    names.push_back({0, std::string_view(text_).substr(begins_[i], end - begins_[i])});
  }
  const std::size_t shared = shared_bytes(names);
  for (Keyed& name : names) name.key = key_of(name.name, shared);
  std::sort(names.begin(), names.end(),
            [](const Keyed& a, const Keyed& b) { return a.key != b.key ? a.key < b.key : a.name < b.name; });
  for (const Keyed& name : names) pack(packer_, name.name, blocks);
  pack_rest(packer_, blocks);
  text_.clear();
  begins_.clear();
  return blocks;
}

std::vector<NameBlock> NameSorter::take() {
  std::vector<NameBlock> last = sort_slice();
  if (slices_.empty()) return last;
  slices_.push_back(std::move(last));
  return merge_slices();
}

std::vector<NameBlock> NameSorter::merge_slices() {
  std::vector<Cursor> cursors;
  for (std::vector<NameBlock>& slice : slices_) cursors.push_back({&slice});
  const auto after = [](const Cursor& a, const Cursor& b) { return a.name() > b.name(); };
  std::make_heap(cursors.begin(), cursors.end(), after);
  std::vector<NameBlock> blocks;
  while (!cursors.empty()) {
    std::pop_heap(cursors.begin(), cursors.end(), after);
    pack(packer_, cursors.back().name(), blocks);
    if (cursors.back().advance()) {
      std::push_heap(cursors.begin(), cursors.end(), after);
    } else {
      cursors.pop_back();
    }
  }
  pack_rest(packer_, blocks);
  slices_.clear();
  return blocks;
}

}  // namespace headrace::source
