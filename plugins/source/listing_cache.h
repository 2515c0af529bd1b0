// SPDX-License-Identifier: Apache-2.0
//
// What a walk found, kept in a file, so that the next one reads only the folders that changed. A file that is
// not whole and ours is never used and never an error: it is named in a warning, and the root is listed anew.
// Any number of processes share one: each writes a file beside it and puts that in its place, so the last
// one's stays. Called in open() of source.files, by one thread.
//
// The file, numbers with the lowest byte first: "headrace listing", the version (4 bytes) and 4 zeros; the
// key's length (8) and the key; the hash of the paths (16); the root, and after each folder those inside it
// (see the .cpp); XXH3-128 of all that (16).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "hash.h"
#include "tree.h"

namespace headrace::source {

/// A cache file of the user's own: $XDG_CACHE_HOME/headrace/listings/NAME, else in $HOME/.cache, NAME being a
/// hash of the key. "" where there is neither.
std::string own_cache_file(std::string_view key);

class ListingCache {
 public:
  struct Calls {
    std::function<void(const std::string&)> warn;
    /// Whether to stop; asked while a large file is read or written.
    std::function<bool()> cancelled;
  };

  /// `key` is all that the tree depends on but the folders themselves: where the root lies, which files
  /// count. With an empty `file` nothing is read or written. A file in the user's own place is private and
  /// replaced whatever is in it; elsewhere one that is no listing is left alone.
  ListingCache(std::string file, std::string key, bool in_own_place, Calls calls);

  /// Fills a tree that is empty and gives the hash of its paths; or leaves it empty, where nothing is kept
  /// under this key. Throws CANCELLED alone.
  std::optional<Hash128> load(Folder& tree);
  /// Puts a new file in place; call load() first. Throws CANCELLED alone.
  void store(const Folder& tree, const Hash128& paths);

 private:
  std::optional<Hash128> refuse(const std::string& why, bool may_replace);

  std::string file_;
  std::string key_;
  bool in_own_place_;
  Calls calls_;
  bool may_replace_ = true;
};

}  // namespace headrace::source
