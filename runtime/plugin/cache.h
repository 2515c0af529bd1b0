// SPDX-License-Identifier: Apache-2.0
//
// What earlier scans found, kept in one small file, so that a library is scanned once and not at each start.
// Called by loader.cpp, one thread at a time; any number of processes share the file: the last writer wins,
// and what the others learned is scanned again.

#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "runtime/plugin/scan_result.h"

namespace headrace {

/// By what a library is known to be the same one.
struct FileStamp {
  std::int64_t size = 0;
  std::int64_t mtime_ns = 0;
  bool operator==(const FileStamp&) const = default;
};

/// Nothing when the file cannot be looked at.
std::optional<FileStamp> stamp_of(const std::filesystem::path& file);

class ScanCache {
 public:
  /// Reads the file. One that is missing, damaged, too large or of another version of headrace is an empty
  /// cache. With an empty path nothing is read or written.
  explicit ScanCache(std::filesystem::path file);

  /// What is known of the library as it is now. Results that may heal are never kept.
  std::optional<ScanResult> find(const std::filesystem::path& library, const FileStamp& stamp) const;
  void store(const std::filesystem::path& library, const FileStamp& stamp, const ScanResult& result);
  /// Writes the file anew when something was stored, without the libraries that are gone; a reader sees the
  /// old file or the new one. A cache that cannot be written is none.
  void write();

 private:
  struct Entry {
    FileStamp stamp;
    ScanResult result;
  };
  std::filesystem::path file_;
  std::map<std::string, Entry> entries_;
  bool changed_ = false;
};

}  // namespace headrace
