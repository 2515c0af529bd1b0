// SPDX-License-Identifier: Apache-2.0
//
// By what a listing is known to be the same one: a hash of what it gives, in order, and of nothing else (no
// times, no sizes, not where the root lies). Used by the ops of this plugin in open(). [pure]
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "hash.h"
#include "listing.h"

namespace headrace::source {

/// XXH3-128 of paths, each with a zero byte behind it, in order.
class PathsHash {
 public:
  PathsHash();
  /// "folder/name" for each name, or the names alone where folder is "".
  void add(std::string_view folder, const NameBlock& names);
  Hash128 value();

 private:
  Hasher hasher_;
  std::string buffer_;
};

Hash128 paths_hash(const Listing& listing);

/// XXH3-128 of `paths` (high half first) and the number of samples; with labels, then of each run of the same
/// label (the label, and how many: eight bytes each) and of the names of the classes, each with a zero byte
/// behind it.
Hash128 listing_fingerprint(const Listing& listing, const Hash128& paths, bool labels);

/// Of the numbers 0 to n - 1, or of those without end for -1.
Hash128 range_fingerprint(std::int64_t n);

}  // namespace headrace::source
