// SPDX-License-Identifier: Apache-2.0
//
// Names are kept folder by folder in one text each until all folders are known and can be sorted; a folder's
// own descriptor is closed before those inside it are opened, so depth costs no descriptors.

#include "folder_walk.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <headrace/cpp/call.hpp>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

namespace headrace::source {
namespace {

[[noreturn]] void fail(const std::string& folder, int error) {
  const headrace_status status = error == ENOENT || error == ENOTDIR ? HEADRACE_NOT_FOUND : HEADRACE_IO_ERROR;
  const char* remedy = error == EACCES   ? " (give this user the right to read it)"
                       : error == ENOENT ? " (check the path)"
                       : error == EMFILE ? " (raise the limit of open files, ulimit -n)"
                                         : "";
  throw Error(status,
              "folder '" + folder + "' cannot be listed: " + std::generic_category().message(error) + remedy);
}

struct CloseFolder {
  void operator()(DIR* folder) const { closedir(folder); }
};
using Folder = std::unique_ptr<DIR, CloseFolder>;

/// The identity of a folder, by which a cycle is known.
using Identity = std::pair<dev_t, ino_t>;

constexpr std::size_t kEntriesBetweenLooks = 1024;

enum class Kind { file, folder, dangling, other };

Kind kind_of(mode_t mode) { return S_ISREG(mode) ? Kind::file : S_ISDIR(mode) ? Kind::folder : Kind::other; }

/// A link counts as what it leads to; one to a folder that shall not be followed as Kind::other.
Kind kind_of(int folder, const dirent& entry, bool follow_links) {
  if (entry.d_type == DT_REG) return Kind::file;
  if (entry.d_type == DT_DIR) return Kind::folder;
  if (entry.d_type != DT_LNK && entry.d_type != DT_UNKNOWN) return Kind::other;
  struct stat status {};
  if (fstatat(folder, entry.d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) return Kind::dangling;
  if (!S_ISLNK(status.st_mode)) return kind_of(status.st_mode);
  if (fstatat(folder, entry.d_name, &status, 0) != 0) return Kind::dangling;
  return S_ISDIR(status.st_mode) && !follow_links ? Kind::other : kind_of(status.st_mode);
}

bool has_extension(std::string_view name, const std::vector<std::string>& extensions) {
  const auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
  return extensions.empty() ||
         std::any_of(extensions.begin(), extensions.end(), [&](const std::string& extension) {
           return name.size() >= extension.size() &&
                  std::equal(extension.begin(), extension.end(),
                             name.end() - static_cast<std::ptrdiff_t>(extension.size()),
                             [&](char e, char n) { return same(n, e); });
         });
}

std::string joined(const std::string& folder, std::string_view name) {
  return folder.empty() ? std::string(name) : folder + "/" + std::string(name);
}

/// The files of one folder.
struct Names {
  std::string folder;
  std::string text;  ///< each name ended by a zero
  std::vector<std::size_t> begins;

  void add(std::string_view name) {
    begins.push_back(text.size());
    text.append(name).push_back('\0');
  }
  void sort() {
    std::sort(begins.begin(), begins.end(), [&](std::size_t a, std::size_t b) {
      return std::strcmp(text.data() + a, text.data() + b) < 0;
    });
  }
};

class Walk {
 public:
  Walk(const std::string& root, const WalkRules& rules, WalkCounts& counts)
      : root_(root), rules_(rules), counts_(counts) {}

  /// The root lies above the folder to be entered: a link back to it would bring every class again.
  void open_root() {
    struct stat status {};
    if (stat(root_.c_str(), &status) != 0) fail(root_, errno);
    above_.emplace_back(status.st_dev, status.st_ino);
  }

  void enter(const std::string& folder) {
    look_up();
    std::vector<std::string> inside;
    if (!read(folder, inside)) return;
    for (const std::string& name : inside) enter(joined(folder, name));
    above_.pop_back();
  }

  void append_to(Listing& listing) {
    std::sort(found_.begin(), found_.end(),
              [](const Names& a, const Names& b) { return a.folder < b.folder; });
    for (Names& names : found_) {
      names.sort();
      for (const std::size_t begin : names.begins) listing.add(names.folder, names.text.data() + begin);
      names = {};
    }
  }

 private:
  /// False for a folder that is already open above.
  bool read(const std::string& folder, std::vector<std::string>& inside) {
    const std::string path = joined(root_, folder);
    const Folder open(opendir(path.c_str()));
    if (open == nullptr) fail(path, errno);
    struct stat status {};
    if (fstat(dirfd(open.get()), &status) != 0) fail(path, errno);
    const Identity identity(status.st_dev, status.st_ino);
    if (std::find(above_.begin(), above_.end(), identity) != above_.end()) {
      ++counts_.cycles;
      return false;
    }
    above_.push_back(identity);

    Names names;
    names.folder = folder;
    for (;;) {
      errno = 0;
      const dirent* entry = readdir(open.get());  // NOLINT(concurrency-mt-unsafe): this stream is ours alone
      if (entry == nullptr && errno != 0) fail(path, errno);
      if (entry == nullptr) break;
      take(dirfd(open.get()), *entry, names, inside);
      if (++entries_since_ == kEntriesBetweenLooks) look_up();
    }
    if (!names.begins.empty()) found_.push_back(std::move(names));
    look_up();
    return true;
  }

  /// Says how far the walk is and asks whether to go on.
  void look_up() {
    if (rules_.cancelled && rules_.cancelled(found_since_))
      throw Error(HEADRACE_CANCELLED, "the listing was stopped");
    found_since_ = 0;
    entries_since_ = 0;
  }

  void take(int folder, const dirent& entry, Names& names, std::vector<std::string>& inside) {
    const std::string_view name = entry.d_name;
    if (name == "." || name == "..") return;
    const Kind kind = kind_of(folder, entry, rules_.follow_links);
    if (kind == Kind::folder) {
      inside.emplace_back(name);
    } else if (wanted(names.folder, name)) {
      if (kind == Kind::other) {
        ++counts_.other;
      } else {
        names.add(name);
        ++found_since_;
      }
    }
  }

  bool wanted(const std::string& folder, std::string_view name) const {
    if (!has_extension(name, rules_.extensions)) return false;
    if (rules_.globs.empty()) return true;
    const std::string path = joined(folder, name);
    return std::any_of(rules_.globs.begin(), rules_.globs.end(),
                       [&](const Glob& glob) { return glob.matches(path); });
  }

  const std::string& root_;
  const WalkRules& rules_;
  WalkCounts& counts_;
  std::uint64_t found_since_ = 0;  ///< since rules_.cancelled was asked
  std::size_t entries_since_ = 0;
  std::vector<Identity> above_;
  std::vector<Names> found_;
};

}  // namespace

std::vector<std::string> folders_in(const std::string& root, bool follow_links) {
  const Folder open(opendir(root.c_str()));
  if (open == nullptr) fail(root, errno);
  std::vector<std::string> folders;
  for (;;) {
    errno = 0;
    const dirent* entry = readdir(open.get());  // NOLINT(concurrency-mt-unsafe): this stream is ours alone
    if (entry == nullptr && errno != 0) fail(root, errno);
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (kind_of(dirfd(open.get()), *entry, follow_links) == Kind::folder) folders.emplace_back(name);
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

void walk_folder(const std::string& root, const std::string& folder, const WalkRules& rules, Listing& listing,
                 WalkCounts& counts) {
  Walk walk(root, rules, counts);
  if (!folder.empty()) walk.open_root();
  walk.enter(folder);
  walk.append_to(listing);
}

}  // namespace headrace::source
