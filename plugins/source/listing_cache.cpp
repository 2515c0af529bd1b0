// SPDX-License-Identifier: Apache-2.0
//
// What is read goes straight into the memory where it stays, and is hashed on the way. Until the checksum has
// proved right, nothing that was read is believed: no size beyond what is left of the file, no depth beyond
// what a path can have.

#include "listing_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <headrace/cpp/call.hpp>
#include <system_error>
#include <type_traits>
#include <utility>

namespace headrace::source {
namespace {

constexpr std::string_view kMagic = "headrace listing";
/// Raised with any change of the file, and of what counts as a file under the same key.
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kBufferBytes = std::size_t{1} << 20U;
constexpr int kMaxDepth = 4096;

/// A folder in the file; its name follows, its blocks (see BlockRecord), and then the folders inside.
struct FolderRecord {
  Stamp stamp;
  std::uint64_t left_out;
  std::uint32_t blocks;
  std::uint32_t folders;
  std::uint32_t name_bytes;
  std::uint32_t flags;
};
static_assert(std::has_unique_object_representations_v<FolderRecord>);

constexpr std::uint32_t kIsLink = 1U << 0U;
constexpr std::uint32_t kIsCycle = 1U << 1U;
constexpr std::uint32_t kIsSettled = 1U << 2U;

/// The block's bytes follow.
struct BlockRecord {
  std::uint32_t count;
  std::uint32_t text_bytes;
};
static_assert(std::has_unique_object_representations_v<BlockRecord>);

std::string error_text(int error) { return std::generic_category().message(error); }

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }
  bool close() { return ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

void look(const std::function<bool()>& cancelled) {
  if (cancelled()) throw Error(HEADRACE_CANCELLED, "the listing was stopped");
}

/// The file's content. get() is false beyond its end and where it cannot be read.
class Input {
 public:
  Input(int file, std::uint64_t bytes, const std::function<bool()>& cancelled)
      : file_(file), left_(bytes), cancelled_(cancelled) {}

  std::uint64_t left() const { return left_; }
  int error() const { return error_; }

  bool get(void* to, std::size_t size) {
    if (size > left_ || !read(static_cast<char*>(to), size)) return false;
    left_ -= size;
    hasher_.add(to, size);
    return true;
  }
  template <class T>
  bool get(T& value) {
    return get(&value, sizeof(value));
  }
  bool get(std::string& text, std::uint64_t size) {
    if (size > left_) return false;
    text.resize(size);
    return get(text.data(), size);
  }
  /// Whether only the checksum is left, and is right.
  bool is_whole() {
    Hash128 kept;
    return left_ == sizeof(kept) && read(reinterpret_cast<char*>(&kept), sizeof(kept)) &&
           kept == hasher_.value();
  }

 private:
  bool read(char* to, std::size_t size) {
    while (size > 0) {
      if (at_ == end_ && !fill()) return false;
      const std::size_t part = std::min(size, end_ - at_);
      std::memcpy(to, buffer_.data() + at_, part);
      at_ += part;
      to += part;
      size -= part;
    }
    return true;
  }
  bool fill() {
    look(cancelled_);
    ssize_t got = -1;
    do {
      got = ::read(file_, buffer_.data(), buffer_.size());
    } while (got < 0 && errno == EINTR);
    if (got < 0) error_ = errno;
    at_ = 0;
    end_ = got > 0 ? static_cast<std::size_t>(got) : 0;
    return got > 0;
  }

  int file_;
  std::uint64_t left_;
  const std::function<bool()>& cancelled_;
  int error_ = 0;
  Hasher hasher_;
  std::string buffer_ = std::string(kBufferBytes, '\0');
  std::size_t at_ = 0;
  std::size_t end_ = 0;
};

bool get_folder(Input& in, Folder& folder, int depth) {
  FolderRecord record{};
  if (depth > kMaxDepth || !in.get(record) || !in.get(folder.name, record.name_bytes)) return false;
  folder.stamp = record.stamp;
  folder.left_out = record.left_out;
  folder.is_link = (record.flags & kIsLink) != 0;
  folder.is_cycle = (record.flags & kIsCycle) != 0;
  folder.is_settled = (record.flags & kIsSettled) != 0;
  if (record.blocks > in.left() / sizeof(BlockRecord) || record.folders > in.left() / sizeof(FolderRecord))
    return false;
  folder.files.reserve(record.blocks);
  for (std::uint32_t i = 0; i < record.blocks; ++i) {
    BlockRecord block{};
    if (!in.get(block) || block.count > NameBlock::kMaxTextBytes ||
        block.text_bytes > NameBlock::kMaxTextBytes)
      return false;
    NameBlock names(block.count, block.text_bytes);
    if (!in.get(names.packed(), std::as_const(names).packed().size()) || !names.is_sound()) return false;
    folder.files.push_back(std::move(names));
  }
  folder.folders.reserve(record.folders);
  for (std::uint32_t i = 0; i < record.folders; ++i) {
    folder.folders.push_back(std::make_unique<Folder>());
    folder.folders.back()->parent = &folder;
    if (!get_folder(in, *folder.folders.back(), depth + 1)) return false;
  }
  return true;
}

/// A file that takes another's place once it is whole, and is gone otherwise.
class Output {
 public:
  Output(const std::string& place, mode_t mode, const std::function<bool()>& cancelled)
      : place_(place),
        beside_(place + "." + std::to_string(getpid()) + "." +
                std::to_string(std::chrono::system_clock::now().time_since_epoch().count()) + "." +
                std::to_string(reinterpret_cast<std::uintptr_t>(this))),
        file_(open(beside_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)),
        is_there_(file_.number() >= 0),
        error_(is_there_ ? 0 : errno),
        cancelled_(cancelled) {
    buffer_.reserve(kBufferBytes);
  }
  ~Output() {
    if (is_there_) unlink(beside_.c_str());
  }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void put(const void* data, std::size_t size) {
    hasher_.add(data, size);
    append(data, size);
  }
  void put(std::string_view text) { put(text.data(), text.size()); }
  template <class T>
  void put_value(const T& value) {
    put(&value, sizeof(value));
  }
  /// 0, or what went wrong.
  int finish() {
    const Hash128 checksum = hasher_.value();
    append(&checksum, sizeof(checksum));
    flush();
    if (is_there_ && !file_.close() && error_ == 0) error_ = errno;
    if (error_ == 0 && std::rename(beside_.c_str(), place_.c_str()) != 0) error_ = errno;
    is_there_ = is_there_ && error_ != 0;
    return error_;
  }

 private:
  void append(const void* data, std::size_t size) {
    if (buffer_.size() + size > kBufferBytes) flush();
    buffer_.append(static_cast<const char*>(data), size);
  }
  void flush() {
    look(cancelled_);
    for (std::string_view rest = buffer_; !rest.empty() && error_ == 0;) {
      const ssize_t written = write(file_.number(), rest.data(), rest.size());
      if (written < 0 && errno != EINTR) error_ = errno;
      if (written > 0) rest.remove_prefix(static_cast<std::size_t>(written));
    }
    buffer_.clear();
  }

  const std::string& place_;
  std::string beside_;
  Descriptor file_;
  bool is_there_;
  int error_;
  const std::function<bool()>& cancelled_;
  Hasher hasher_;
  std::string buffer_;
};

void put_folder(Output& out, const Folder& folder) {
  out.put_value(FolderRecord{.stamp = folder.stamp,
                             .left_out = folder.left_out,
                             .blocks = static_cast<std::uint32_t>(folder.files.size()),
                             .folders = static_cast<std::uint32_t>(folder.folders.size()),
                             .name_bytes = static_cast<std::uint32_t>(folder.name.size()),
                             .flags = (folder.is_link ? kIsLink : 0) | (folder.is_cycle ? kIsCycle : 0) |
                                      (folder.is_settled ? kIsSettled : 0)});
  out.put(folder.name);
  for (const NameBlock& block : folder.files) {
    out.put_value(BlockRecord{block.size(), block.text_bytes()});
    out.put(block.packed());
  }
  for (const auto& inside : folder.folders) put_folder(out, *inside);
}

std::filesystem::path environment_path(const char* name) {
  const char* value =
      std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody here writes to the environment
  return value == nullptr ? "" : value;
}

}  // namespace

std::string own_cache_file(std::string_view key) {
  std::filesystem::path folder = environment_path("XDG_CACHE_HOME");
  // The XDG base directory specification: a relative path there is invalid and ignored.
  if (!folder.is_absolute()) {
    const std::filesystem::path home = environment_path("HOME");
    if (!home.is_absolute()) return "";
    folder = home / ".cache";
  }
  Hasher hasher;
  hasher.add(key);
  std::array<char, 2 * sizeof(Hash128) + 1> name{};
  std::snprintf(name.data(), name.size(), "%016llx%016llx",
                static_cast<unsigned long long>(hasher.value().high),
                static_cast<unsigned long long>(hasher.value().low));
  return folder / "headrace" / "listings" / name.data();
}

ListingCache::ListingCache(std::string file, std::string key, bool in_own_place, Calls calls)
    : file_(std::move(file)), key_(std::move(key)), in_own_place_(in_own_place), calls_(std::move(calls)) {}

std::optional<Hash128> ListingCache::refuse(const std::string& why, bool may_replace) {
  may_replace_ = may_replace;
  calls_.warn("cache '" + file_ + "' " + why);
  return std::nullopt;
}

std::optional<Hash128> ListingCache::load(Folder& tree) {
  if (file_.empty()) return std::nullopt;
  const Descriptor file(open(file_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.number() < 0 && errno == ENOENT) return std::nullopt;
  if (file.number() < 0) return refuse("cannot be read: " + error_text(errno), in_own_place_);
  struct stat status {};
  if (fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode))
    return refuse("is no regular file and is left alone (name another file)", false);
  const auto bytes = static_cast<std::uint64_t>(status.st_size);
  if (bytes == 0) return std::nullopt;

  Input in(file.number(), bytes, calls_.cancelled);
  std::array<char, kMagic.size()> magic{};
  if (!in.get(magic) || std::string_view(magic.data(), magic.size()) != kMagic) {
    if (in_own_place_) return refuse("is damaged: the root is listed anew", true);
    return refuse("is no listing that headrace wrote and is left alone (name another file, or remove it)",
                  false);
  }
  std::array<std::uint32_t, 2> version{};
  std::uint64_t key_bytes = 0;
  std::string key;
  Hash128 paths;
  if (in.get(version) && version[0] != kVersion) return std::nullopt;
  if (in.get(key_bytes) && in.get(key, key_bytes) && key != key_) return std::nullopt;
  if (in.get(paths) && get_folder(in, tree, 0) && in.is_whole()) return paths;
  tree = {};
  if (in.error() != 0) return refuse("cannot be read: " + error_text(in.error()), true);
  return refuse("is damaged: the root is listed anew", true);
}

void ListingCache::store(const Folder& tree, const Hash128& paths) {
  if (file_.empty() || !may_replace_) return;
  std::error_code ignored;
  if (in_own_place_) std::filesystem::create_directories(std::filesystem::path(file_).parent_path(), ignored);
  Output out(file_, in_own_place_ ? 0600 : 0666, calls_.cancelled);
  out.put(kMagic);
  out.put_value(std::array<std::uint32_t, 2>{kVersion, 0});
  out.put_value(std::uint64_t{key_.size()});
  out.put(key_);
  out.put_value(paths);
  put_folder(out, tree);
  if (const int error = out.finish(); error != 0)
    calls_.warn("cache '" + file_ + "' cannot be written: " + error_text(error));
}

}  // namespace headrace::source
