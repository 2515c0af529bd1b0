// SPDX-License-Identifier: Apache-2.0

#include "fingerprint.h"

#include <cstdint>
#include <vector>

namespace headrace::source {
namespace {

/// Hashing by the piece would cost more than the copy.
constexpr std::size_t kBufferBytes = std::size_t{1} << 16U;

}  // namespace

PathsHash::PathsHash() { buffer_.reserve(2 * kBufferBytes); }

void PathsHash::add(std::string_view folder, const NameBlock& names) {
  for (std::uint32_t i = 0; i < names.size(); ++i) {
    if (!folder.empty()) buffer_.append(folder).push_back('/');
    buffer_.append(names[i]).push_back('\0');
    if (buffer_.size() >= kBufferBytes) {
      hasher_.add(buffer_);
      buffer_.clear();
    }
  }
}

Hash128 PathsHash::value() {
  hasher_.add(buffer_);
  buffer_.clear();
  return hasher_.value();
}

Hash128 paths_hash(const Listing& listing) {
  PathsHash hash;
  for (const Listing::Run& run : listing.runs()) hash.add(run.folder, run.names);
  return hash.value();
}

Hash128 listing_fingerprint(const Listing& listing, const Hash128& paths, bool labels) {
  Hasher hasher;
  hasher.add(paths.high);
  hasher.add(paths.low);
  hasher.add(listing.size());
  if (!labels) return hasher.value();
  std::vector<std::uint64_t> runs;
  for (std::size_t i = 0; i < listing.size();) {
    const std::size_t end = listing.same_label_end(i);
    runs.push_back(static_cast<std::uint64_t>(listing.label(i)));
    runs.push_back(end - i);
    i = end;
    if (i < listing.size() && runs.size() < kBufferBytes / sizeof(runs[0])) continue;
    hasher.add(runs.data(), runs.size() * sizeof(runs[0]));
    runs.clear();
  }
  for (const std::string& name : listing.classes()) {
    hasher.add(name);
    hasher.add(std::string_view("\0", 1));
  }
  return hasher.value();
}

Hash128 range_fingerprint(std::int64_t n) {
  Hasher hasher;
  hasher.add(std::string_view("source.range"));
  hasher.add(static_cast<std::uint64_t>(n));
  return hasher.value();
}

}  // namespace headrace::source
