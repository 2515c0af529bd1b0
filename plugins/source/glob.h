// SPDX-License-Identifier: Apache-2.0
//
// Patterns for paths below a root. Used by folder_walk. [pure]
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headrace::source {

/// A pattern in which `**` between slashes stands for any number of folders, none included, and within one
/// name `*`, `?`,
/// `[abc]`, `[a-z]` and `[!a]` mean what they mean to a shell (POSIX fnmatch); a leading dot is not special.
class Glob {
 public:
  explicit Glob(std::string_view pattern);
  /// `path` is relative and has no empty part.
  bool matches(std::string_view path) const;
  /// As it was given.
  const std::string& pattern() const { return pattern_; }

 private:
  std::string pattern_;
  std::vector<std::string> parts_;
};

}  // namespace headrace::source
