// SPDX-License-Identifier: Apache-2.0
//
// A file that is there whole or not at all: reports, pictures and arrays are written through one of these.
// One thread.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace headrace::cli {

/// Written under another name in the same folder, and given its own by commit(): until then, and when
/// something fails on the way, whatever bore that name stays as it was. What is no regular file (a pipe, a
/// device, anything below /dev or /proc) is written where it is; a link stays, and what it leads to is
/// replaced. Every function but the destructor throws std::runtime_error, "PATH: cannot write: REASON".
class WholeFile {
 public:
  explicit WholeFile(std::string path);
  /// Without commit(): takes away what was written.
  ~WholeFile();
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  /// For libraries that write to one; commit() sees their errors too.
  std::FILE* stream() { return stream_; }
  void write(std::string_view text);
  /// What was written so far is on the disk, not only in the system's memory.
  void sync();
  /// For a file that grows: what was written so far bears the name from now on, and what is written later
  /// comes to be there with the next publish().
  void publish();
  void commit();

 private:
  [[noreturn]] void fail(int error) const;
  void abandon();

  std::string path_;
  std::string target_;   ///< path_ with links resolved
  std::string written_;  ///< the name that it bears until commit(); target_ when written in place
  std::FILE* stream_ = nullptr;
};

/// What is in a regular file. Throws std::runtime_error, "PATH: cannot read: REASON".
std::string read_whole(const std::string& path);

}  // namespace headrace::cli
