// SPDX-License-Identifier: Apache-2.0

#include "folder_read.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <headrace/cpp/call.hpp>
#include <memory>
#include <system_error>
#include <utility>

namespace headrace::source {
namespace {

constexpr std::size_t kEntriesBetweenLooks = 1024;
/// The coarsest times that file systems keep (FAT's), which are also more than clocks of a server and its
/// client should be apart.
constexpr std::int64_t kCoarsestTimeNs = 2'000'000'000;

struct CloseFolder {
  void operator()(DIR* folder) const { closedir(folder); }
};
using OpenFolder = std::unique_ptr<DIR, CloseFolder>;

bool stamp_at(int folder, const char* name, int flags, Stamp& stamp) {
  struct statx status {};
  constexpr unsigned kWanted = STATX_TYPE | STATX_INO | STATX_MTIME | STATX_CTIME;
  if (statx(folder, name, flags | AT_STATX_FORCE_SYNC, kWanted, &status) != 0) return false;
  if (!S_ISDIR(status.stx_mode)) {
    errno = ENOTDIR;
    return false;
  }
  const auto ns = [](const statx_timestamp& time) {
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
  };
  stamp.device = std::uint64_t{status.stx_dev_major} << 32U | status.stx_dev_minor;
  stamp.inode = status.stx_ino;
  stamp.mtime_ns = ns(status.stx_mtime);
  stamp.ctime_ns = ns(status.stx_ctime);
  return true;
}

/// Those whose folders get new times with every change, and that show another content only with other times.
/// Not among them: what shows objects of a store as files, and images that are put in place of one another.
bool keeps_times(int folder) {
  struct statfs status {};
  if (fstatfs(folder, &status) != 0) return false;
  constexpr std::uint32_t kXfs = 0x58465342;
  constexpr std::uint32_t kZfs = 0x2fc12fc1;
  constexpr std::uint32_t kLustre = 0x0bd00bd0;
  constexpr std::uint32_t kGpfs = 0x47504653;
  constexpr std::uint32_t kCeph = 0x00c36400;
  constexpr std::uint32_t kBcachefs = 0xca451a4e;
  switch (static_cast<std::uint32_t>(status.f_type)) {
    case EXT4_SUPER_MAGIC:  // ext2 and ext3, too
    case BTRFS_SUPER_MAGIC:
    case F2FS_SUPER_MAGIC:
    case TMPFS_MAGIC:
    case NFS_SUPER_MAGIC:
    case kXfs:
    case kZfs:
    case kLustre:
    case kGpfs:
    case kCeph:
    case kBcachefs:
      return true;
    default:
      return false;
  }
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

}  // namespace

std::int64_t system_now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

void fail_to_list(const std::string& path, int error) {
  const headrace_status status = error == ENOENT || error == ENOTDIR ? HEADRACE_NOT_FOUND : HEADRACE_IO_ERROR;
  const char* remedy = error == EACCES   ? " (give this user the right to read it)"
                       : error == ENOENT ? " (check the path)"
                       : error == EMFILE ? " (raise the limit of open files, ulimit -n)"
                                         : "";
  throw Error(status,
              "folder '" + path + "' cannot be listed: " + std::generic_category().message(error) + remedy);
}

bool stamp_of(const std::string& path, Stamp& stamp) { return stamp_at(AT_FDCWD, path.c_str(), 0, stamp); }

bool lies_above(const Stamp& stamp, const Folder& folder) {
  for (const Folder* above = folder.parent; above != nullptr; above = above->parent) {
    if (above->stamp.is_same_folder(stamp)) return true;
  }
  return false;
}

FolderReader::FolderReader(const FileRules& files, const SettleRules& settle,
                           std::function<bool(std::uint64_t)> go_on)
    : files_(files), settle_(settle), go_on_(std::move(go_on)) {}

FolderReader::Kind FolderReader::kind_of_mode(unsigned mode) {
  return S_ISREG(mode) ? Kind::file : S_ISDIR(mode) ? Kind::folder : Kind::other;
}

FolderReader::Kind FolderReader::kind_of(int parent, const char* name, unsigned char type,
                                         bool& is_link) const {
  if (type == DT_REG) return Kind::file;
  if (type == DT_DIR) return Kind::folder;
  if (type != DT_LNK && type != DT_UNKNOWN) return Kind::other;
  struct stat status {};
  if (type == DT_UNKNOWN) {
    if (fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return Kind::dangling;
    if (!S_ISLNK(status.st_mode)) return kind_of_mode(status.st_mode);
  }
  is_link = true;
  if (fstatat(parent, name, &status, 0) != 0) return Kind::dangling;
  return S_ISDIR(status.st_mode) && !files_.follow_links ? Kind::other : kind_of_mode(status.st_mode);
}

bool FolderReader::read(const std::string& path, Folder& folder) {
  const std::int64_t begun_ns = settle_.now_ns();
  const OpenFolder open(opendir(path.c_str()));
  if (open == nullptr || !stamp_at(dirfd(open.get()), "", AT_EMPTY_PATH, folder.stamp))
    fail_to_list(path, errno);
  folder.is_cycle = lies_above(folder.stamp, folder);
  folder.is_settled = false;
  folder.left_out = 0;
  folder.files.clear();
  inside_.clear();
  bool has_dangling = false;
  if (!folder.is_cycle && !take_entries(path, open.get(), folder, has_dangling)) return false;
  folder.files = names_.take();
  set_folders(folder);
  const std::int64_t changed_ns = std::max(folder.stamp.mtime_ns, folder.stamp.ctime_ns);
  folder.is_settled = !folder.is_cycle && !has_dangling && begun_ns - changed_ns > kCoarsestTimeNs &&
                      (!settle_.known_file_systems_only || keeps_times(dirfd(open.get())));
  return true;
}

bool FolderReader::take_entries(const std::string& path, DIR* open, Folder& folder, bool& has_dangling) {
  const std::string folder_path = folder.path();
  const bool may_hold_files = folder.parent != nullptr || files_.files_in_root;
  std::uint64_t found = 0;
  for (std::size_t entries = 1;; ++entries) {
    errno = 0;
    const dirent* entry = readdir(open);  // NOLINT(concurrency-mt-unsafe): this stream is ours alone
    if (entry == nullptr && errno != 0) fail_to_list(path, errno);
    if (entry == nullptr) return go_on_(found);
    if (entries % kEntriesBetweenLooks == 0 && !go_on_(std::exchange(found, 0))) return false;
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    bool is_link = false;
    const Kind kind = kind_of(dirfd(open), entry->d_name, entry->d_type, is_link);
    has_dangling |= kind == Kind::dangling;
    if (kind == Kind::folder) {
      inside_.push_back({std::string(name), is_link});
    } else if (may_hold_files && counts(folder_path, name)) {
      if (kind == Kind::other) {
        ++folder.left_out;
      } else {
        names_.add(name);
        ++found;
      }
    }
  }
}

bool FolderReader::counts(const std::string& folder_path, std::string_view name) const {
  if (!has_extension(name, files_.extensions)) return false;
  if (files_.globs.empty()) return true;
  const std::string path = folder_path.empty() ? std::string(name) : folder_path + "/" + std::string(name);
  return std::any_of(files_.globs.begin(), files_.globs.end(),
                     [&](const Glob& glob) { return glob.matches(path); });
}

void FolderReader::set_folders(Folder& folder) {
  std::sort(inside_.begin(), inside_.end(), [](const Inside& a, const Inside& b) { return a.name < b.name; });
  std::vector<std::unique_ptr<Folder>> known = std::move(folder.folders);
  folder.folders.clear();
  folder.folders.reserve(inside_.size());
  auto candidate = known.begin();
  for (Inside& inside : inside_) {
    while (candidate != known.end() && (*candidate)->name < inside.name) ++candidate;
    if (candidate != known.end() && (*candidate)->name == inside.name &&
        (*candidate)->is_link == inside.is_link) {
      folder.folders.push_back(std::move(*candidate++));
    } else {
      folder.folders.push_back(std::make_unique<Folder>());
      folder.folders.back()->name = std::move(inside.name);
      folder.folders.back()->parent = &folder;
      folder.folders.back()->is_link = inside.is_link;
    }
  }
}

}  // namespace headrace::source
