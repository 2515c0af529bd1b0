// SPDX-License-Identifier: Apache-2.0
//
// The folders below a root with the files in them that count: what a walk finds and a cache file keeps. A
// folder is written by one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "names.h"

namespace headrace::source {

/// By what a folder is known to be the same and unchanged. Times are those of the file system, in
/// nanoseconds.
struct Stamp {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t mtime_ns = 0;
  std::int64_t ctime_ns = 0;

  bool operator==(const Stamp&) const = default;
  bool is_same_folder(const Stamp& other) const { return device == other.device && inode == other.inode; }
};

struct Folder {
  std::string name;                ///< in its parent; of the root: ""
  const Folder* parent = nullptr;  ///< null for the root
  bool is_link = false;            ///< a link in its parent led here
  bool is_cycle = false;           ///< it is one of the folders above itself, and was not entered

  /// The rest is what was found when the folder was last read, and its stamp then.
  Stamp stamp;
  /// Whether a folder that still has this stamp holds what it held.
  bool is_settled = false;
  std::uint64_t left_out = 0;  ///< that would count were they regular files: pipes, sockets, devices
  std::vector<NameBlock> files;
  std::vector<std::unique_ptr<Folder>> folders;  ///< by name

  /// From the root: "" for the root itself, else "a/b".
  std::string path() const;
};

/// A folder with files in it.
struct FilledFolder {
  std::string path;
  Folder* folder;
};

/// `top` and the folders below it that hold files, by the bytes of their paths.
std::vector<FilledFolder> in_order(Folder& top);

}  // namespace headrace::source
