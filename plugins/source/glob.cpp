// SPDX-License-Identifier: Apache-2.0
//
// Part by part, with the classic one-step backtrack: only the last `**` can usefully take one folder more.

#include "glob.h"

#include <fnmatch.h>

#include <algorithm>
#include <cstddef>

namespace headrace::source {
namespace {

std::vector<std::string> split(std::string_view path) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    if (end > at) parts.emplace_back(path.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

}  // namespace

Glob::Glob(std::string_view pattern) : pattern_(pattern), parts_(split(pattern)) {}

bool Glob::matches(std::string_view path) const {
  const std::vector<std::string> names = split(path);
  std::size_t part = 0;
  std::size_t name = 0;
  std::size_t after_stars = parts_.size() + 1;  // beyond the last `**`; none yet
  std::size_t taken = 0;                        // names up to here are its own
  while (name < names.size()) {
    if (part < parts_.size() && parts_[part] == "**") {
      after_stars = ++part;
      taken = name;
    } else if (part < parts_.size() && fnmatch(parts_[part].c_str(), names[name].c_str(), 0) == 0) {
      ++part;
      ++name;
    } else if (after_stars <= parts_.size()) {
      part = after_stars;
      name = ++taken;
    } else {
      return false;
    }
  }
  while (part < parts_.size() && parts_[part] == "**") ++part;
  return part == parts_.size();
}

}  // namespace headrace::source
