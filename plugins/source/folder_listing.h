// SPDX-License-Identifier: Apache-2.0
//
// A folder made into a listing: cache, walk and order put together. Called in open() of source.files, by one
// thread. Errors are thrown as headrace::Error.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "folder_walk.h"
#include "hash.h"
#include "listing.h"

namespace headrace::source {

struct FolderRules {
  std::string root;             ///< without a slash at its end
  bool has_classes = true;      ///< each folder in root is one; else root is flat
  bool allow_empty = false;     ///< whether a class may be
  std::string counts = "file";  ///< for messages: what a file must be to count
  WalkRules walk;
  std::string cache = "auto";  ///< "auto", "off" or a file
  std::function<void(const std::string&)> warn;
};

struct FolderListed {
  Hash128 paths;  ///< PathsHash of the listing
  WalkCounts folders;
};

/// Fills an empty listing and finishes it. With classes the order is that of the classes' names, then of the
/// paths of the folders in each, then of the files' names, all by bytes, as torchvision's ImageFolder has it
/// (sorted(os.walk()), sorted(files)); without, that of the folders' paths and the files' names.
FolderListed list_folder(const FolderRules& rules, Listing& listing);

}  // namespace headrace::source
