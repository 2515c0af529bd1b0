// SPDX-License-Identifier: Apache-2.0
//
// The file is JSON: {"headrace": "0.1.0, ABI 1.1", "libraries": {"/path.so": {"size", "mtime_ns",
// "result"}}}.

#include "runtime/plugin/cache.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <system_error>

#include "runtime/version.h"

namespace headrace {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMaxFileBytes = std::int64_t{16} << 20U;

std::string our_version() {
  return std::string(kVersion) + ", ABI " + std::to_string(HEADRACE_ABI_MAJOR) + "." +
         std::to_string(HEADRACE_ABI_MINOR);
}

nlohmann::json read_json(const fs::path& file) {
  const std::optional<FileStamp> stamp = stamp_of(file);
  if (!stamp || stamp->size > kMaxFileBytes) return nlohmann::json::value_t::discarded;
  std::ifstream stream(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  return nlohmann::json::parse(text, nullptr, false);
}

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

/// All or nothing, by way of a file beside it.
void replace_file(const fs::path& file, std::string_view text) {
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  std::string beside = file.string() + ".XXXXXX";
  const int descriptor = mkstemp(beside.data());
  if (descriptor < 0) return;
  const bool written = write_all(descriptor, text);
  const bool closed = ::close(descriptor) == 0;
  if (written && closed) fs::rename(beside, file, error);
  if (!written || !closed || error) fs::remove(beside, error);
}

}  // namespace

std::optional<FileStamp> stamp_of(const fs::path& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0) return std::nullopt;
  return FileStamp{status.st_size,
                   std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec};
}

ScanCache::ScanCache(fs::path file) : file_(std::move(file)) {
  if (file_.empty()) return;
  const nlohmann::json json = read_json(file_);
  try {
    if (json.is_discarded() || json.at("headrace") != our_version()) return;
    for (const auto& [path, entry] : json.at("libraries").items()) {
      const FileStamp stamp{entry.at("size").get<std::int64_t>(), entry.at("mtime_ns").get<std::int64_t>()};
      if (auto result = scan_result_from_json(entry.at("result")))
        entries_[path] = {stamp, std::move(*result)};
    }
  } catch (const nlohmann::json::exception&) {
    entries_.clear();
  }
}

std::optional<ScanResult> ScanCache::find(const fs::path& library, const FileStamp& stamp) const {
  const auto entry = entries_.find(library.string());
  if (entry == entries_.end() || entry->second.stamp != stamp) return std::nullopt;
  return entry->second.result;
}

void ScanCache::store(const fs::path& library, const FileStamp& stamp, const ScanResult& result) {
  if (result.may_heal) return;
  entries_[library.string()] = {stamp, result};
  changed_ = true;
}

void ScanCache::write() {
  if (!changed_ || file_.empty()) return;
  nlohmann::json libraries = nlohmann::json::object();
  for (const auto& [path, entry] : entries_) {
    if (!stamp_of(path)) continue;
    libraries[path] = {
        {"size", entry.stamp.size}, {"mtime_ns", entry.stamp.mtime_ns}, {"result", to_json(entry.result)}};
  }
  const nlohmann::json json = {{"headrace", our_version()}, {"libraries", std::move(libraries)}};
  replace_file(file_, json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  changed_ = false;
}

}  // namespace headrace
