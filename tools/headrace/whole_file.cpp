// SPDX-License-Identifier: Apache-2.0
//
// See whole_file.h.
#include "whole_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace headrace::cli {
namespace {

namespace fs = std::filesystem;

bool is_written_in_place(const std::string& path) {
  if (path.starts_with("/dev/") || path.starts_with("/proc/")) return true;
  std::error_code none;
  const fs::file_status status = fs::status(path, none);
  return fs::exists(status) && !fs::is_regular_file(status);
}

/// Where the links of `path` lead; `path` itself when it is none or leads nowhere.
std::string resolved(const std::string& path) {
  std::error_code error;
  if (!fs::is_symlink(path, error)) return path;
  const fs::path target = fs::weakly_canonical(path, error);
  return error ? path : target.string();
}

std::string beside(const std::string& target) {
  const fs::path path(target);
  return (path.parent_path() / ("." + path.filename().string() + "." + std::to_string(getpid()) + ".partial"))
      .string();
}

}  // namespace

std::string read_whole(const std::string& path) {
  const auto fail = [&path](const std::string& why) {
    throw std::runtime_error(path + ": cannot read: " + why);
  };
  errno = 0;
  std::error_code none;
  const fs::file_status found = fs::status(path, none);
  if (fs::is_directory(found)) fail(std::generic_category().message(EISDIR));
  // A pipe may never give anything, a device may never end.
  if (fs::exists(found) && !fs::is_regular_file(found)) fail("it is no regular file");
  std::ifstream file(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file.is_open() || file.bad()) fail(std::generic_category().message(errno != 0 ? errno : EIO));
  return text;
}

WholeFile::WholeFile(std::string path) : path_(std::move(path)), target_(resolved(path_)) {
  const bool in_place = is_written_in_place(path_);
  written_ = in_place ? path_ : beside(target_);
  struct stat former {};
  const bool replaces = !in_place && stat(target_.c_str(), &former) == 0;
  if (replaces && access(target_.c_str(), W_OK) != 0) fail(errno);
  const int file = open(written_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_TRUNC, 0666);
  if (file < 0) fail(errno);
  if (replaces) fchmod(file, former.st_mode & 07777U);
  stream_ = fdopen(file, "wb");
  if (stream_ != nullptr) return;
  const int error = errno;
  close(file);
  abandon();
  fail(error);
}

WholeFile::~WholeFile() { abandon(); }

void WholeFile::abandon() {
  if (stream_ != nullptr) std::fclose(stream_);
  stream_ = nullptr;
  if (written_ != path_) unlink(written_.c_str());
}

void WholeFile::write(std::string_view text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stream_) != text.size()) fail(errno);
}

void WholeFile::sync() {
  errno = 0;
  if (std::fflush(stream_) != 0 || (fsync(fileno(stream_)) != 0 && errno != EINVAL)) fail(errno);
}

void WholeFile::publish() {
  errno = 0;
  if (std::ferror(stream_) != 0 || std::fflush(stream_) != 0) fail(errno != 0 ? errno : EIO);
  if (written_ != path_ && rename(written_.c_str(), target_.c_str()) != 0) fail(errno);
  written_ = path_;
}

void WholeFile::commit() {
  errno = 0;
  const bool written = std::ferror(stream_) == 0 && std::fflush(stream_) == 0;
  int error = written ? 0 : errno != 0 ? errno : EIO;
  if (std::fclose(std::exchange(stream_, nullptr)) != 0 && error == 0) error = errno;
  if (error == 0 && written_ != path_ && rename(written_.c_str(), target_.c_str()) != 0) error = errno;
  if (error != 0) fail(error);
  written_ = path_;
}

void WholeFile::fail(int error) const {
  throw std::runtime_error(path_ + ": cannot write: " + std::generic_category().message(error));
}

}  // namespace headrace::cli
