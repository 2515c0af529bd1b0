// SPDX-License-Identifier: Apache-2.0
//
// One folder read: which of its entries count as files, which are folders. Called by folder_walk on its
// threads, each with a reader of its own. Errors are thrown as headrace::Error and name the folder.
#pragma once

#include <dirent.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "glob.h"
#include "names.h"
#include "tree.h"

namespace headrace::source {

/// Which files count.
struct FileRules {
  std::vector<std::string>
      extensions;             ///< with the dot, lower case; any when empty. Letter case counts nothing
  std::vector<Glob> globs;    ///< one must match the path from the root; any when empty
  bool follow_links = true;   ///< to folders; links to files are always files
  bool files_in_root = true;  ///< whether those directly in the root count
};

std::int64_t system_now_ns();

/// When a folder that was read counts as settled: see FolderReader::read().
struct SettleRules {
  /// Only on file systems that are known to keep their folders' times.
  bool known_file_systems_only = true;
  std::function<std::int64_t()> now_ns = system_now_ns;  ///< another clock in tests
};

/// NOT_FOUND or IO_ERROR, with a remedy.
[[noreturn]] void fail_to_list(const std::string& path, int error);

/// The stamp of the folder that `path` leads to, asked of the server where there is one. False with errno
/// set; ENOTDIR where it is no folder.
bool stamp_of(const std::string& path, Stamp& stamp);

/// Whether the folder with this stamp is one of those above `folder`.
bool lies_above(const Stamp& stamp, const Folder& folder);

class FolderReader {
 public:
  /// `go_on` is told how many files were found since it was told last, and says whether to read on.
  FolderReader(const FileRules& files, const SettleRules& settle, std::function<bool(std::uint64_t)> go_on);

  /// Finds what is in the folder, which lies at `path`. Folders inside that were known already stay as they
  /// are known. A folder that was changed less than two seconds before is not settled, since a change after
  /// it was read may leave the same times; nor is one with a link that leads nowhere, which may come to lead
  /// to a folder. False when told not to go on.
  bool read(const std::string& path, Folder& folder);

 private:
  enum class Kind { file, folder, dangling, other };
  struct Inside {
    std::string name;
    bool is_link;
  };

  static Kind kind_of_mode(unsigned mode);
  /// A link counts as what it leads to; one to a folder that shall not be followed as Kind::other.
  Kind kind_of(int parent, const char* name, unsigned char type, bool& is_link) const;
  bool take_entries(const std::string& path, DIR* open, Folder& folder, bool& has_dangling);
  bool counts(const std::string& folder_path, std::string_view name) const;
  void set_folders(Folder& folder);

  const FileRules& files_;
  const SettleRules& settle_;
  std::function<bool(std::uint64_t)> go_on_;
  NameSorter names_;
  std::vector<Inside> inside_;
};

}  // namespace headrace::source
