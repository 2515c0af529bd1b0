// SPDX-License-Identifier: Apache-2.0
//
// All folders below a root read, or found to be unchanged, by several threads: most file systems that are
// slow are slow to answer, and answer many at once. Called in open() of source.files. Errors are thrown as
// headrace::Error and name the folder; of several, the first folder's by the bytes of its path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "folder_read.h"
#include "tree.h"

namespace headrace::source {

struct WalkRules {
  FileRules files;
  SettleRules settle;
  std::size_t threads = 16;  ///< at most so many; started as folders come up that nobody reads
  /// Told how many files were found since it was asked last, and says whether to stop. Called on the calling
  /// thread, many times a second.
  std::function<bool(std::uint64_t files)> cancelled;
};

struct WalkCounts {
  std::uint64_t read = 0;     ///< folders
  std::uint64_t kept = 0;     ///< folders that were as they had been known to be
  std::uint64_t settled = 0;  ///< of those read: what is now known of them is worth keeping
};

/// Brings `tree` up to date with the folders below `root`, at any depth: a tree without anything in it, or
/// what an earlier walk with the same files rules found. What it holds afterwards depends on neither the
/// threads nor what was known. A link that leads nowhere is a file: whoever reads it says so. Throws
/// CANCELLED, NOT_FOUND or IO_ERROR, and leaves a tree behind that is good for nothing.
WalkCounts walk(const std::string& root, const WalkRules& rules, Folder& tree);

}  // namespace headrace::source
