// SPDX-License-Identifier: Apache-2.0
//
// The files below a folder, in an order that depends on their names alone: folders by their path, files by
// name within each, both by bytes, as torchvision's ImageFolder has them (sorted(os.walk()), sorted(files)).
// Called in open() of source.files by one thread. Errors are thrown as headrace::Error and name the folder.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "glob.h"
#include "listing.h"

namespace headrace::source {

struct WalkRules {
  std::vector<std::string>
      extensions;            ///< with the dot, lower case; any when empty. Letter case counts nothing
  std::vector<Glob> globs;   ///< one must match the path from the root; any when empty
  bool follow_links = true;  ///< to folders; links to files are always files
  /// Told how many files were found since it was asked last; asked once a folder and within large ones.
  std::function<bool(std::uint64_t files)> cancelled;
};

struct WalkCounts {
  std::uint64_t other = 0;   ///< left out: no regular file (pipes, sockets, devices)
  std::uint64_t cycles = 0;  ///< links to a folder above themselves, not followed
};

/// Names of the folders directly in `root`, sorted.
std::vector<std::string> folders_in(const std::string& root, bool follow_links);

/// Appends the files below root/folder ("": root itself), at any depth, with paths relative to root. A link
/// that leads nowhere is a file: whoever reads it says so. Throws CANCELLED, NOT_FOUND or IO_ERROR.
void walk_folder(const std::string& root, const std::string& folder, const WalkRules& rules, Listing& listing,
                 WalkCounts& counts);

}  // namespace headrace::source
