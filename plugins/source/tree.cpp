// SPDX-License-Identifier: Apache-2.0

#include "tree.h"

#include <algorithm>

namespace headrace::source {
namespace {

void collect(Folder& folder, const std::string& path, std::vector<FilledFolder>& filled) {
  if (!folder.files.empty()) filled.push_back({path, &folder});
  for (const auto& inside : folder.folders)
    collect(*inside, path.empty() ? inside->name : path + "/" + inside->name, filled);
}

}  // namespace

std::string Folder::path() const {
  if (parent == nullptr) return "";
  const std::string above = parent->path();
  return above.empty() ? name : above + "/" + name;
}

std::vector<FilledFolder> in_order(Folder& top) {
  std::vector<FilledFolder> filled;
  collect(top, top.path(), filled);
  std::sort(filled.begin(), filled.end(),
            [](const FilledFolder& a, const FilledFolder& b) { return a.path < b.path; });
  return filled;
}

}  // namespace headrace::source
