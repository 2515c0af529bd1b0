// SPDX-License-Identifier: Apache-2.0
//
// See machine.h. Everything is read below `root`, so that a test can put up a machine of its own.
#include "runtime/watch/machine.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>

namespace headrace {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

std::string read_text(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

/// What the text begins with, when all of its first word is a number.
std::optional<std::int64_t> number(std::string_view text) {
  const std::string_view word = text.substr(0, text.find_first_of(" \t\n"));
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

/// The rest of the line of `text` that begins with `key`.
std::string_view line_after(std::string_view text, std::string_view key) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    if (line.starts_with(key))
      return line.substr(std::min(line.find_first_not_of(" \t", key.size()), line.size()));
    at = end + 1;
  }
  return {};
}

/// Number of elements of a list as the kernel writes it: "0-3,8".
std::int64_t count_list(std::string_view list) {
  std::int64_t count = 0;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    const std::string_view part = list.substr(0, comma);
    const std::size_t dash = part.find('-');
    const auto first = number(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : number(part.substr(dash + 1));
    if (first && last && *last >= *first) count += *last - *first + 1;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return count;
}

std::int64_t cores_for(std::int64_t quota_us, std::int64_t period_us) {
  if (quota_us <= 0 || period_us <= 0) return kNoLimit;
  return quota_us / period_us + (quota_us % period_us == 0 ? 0 : 1);
}

std::int64_t quota_v2(const fs::path& group) {
  std::istringstream text(read_text(group / "cpu.max"));
  std::string quota;
  std::string period;
  text >> quota >> period;
  return cores_for(number(quota).value_or(0), number(period).value_or(0));
}

std::int64_t quota_v1(const fs::path& group) {
  return cores_for(number(read_text(group / "cpu.cfs_quota_us")).value_or(0),
                   number(read_text(group / "cpu.cfs_period_us")).value_or(0));
}

std::int64_t memory_v2(const fs::path& group) {
  return number(read_text(group / "memory.max")).value_or(kNoLimit);
}

std::int64_t memory_v1(const fs::path& group) {
  return number(read_text(group / "memory.limit_in_bytes")).value_or(kNoLimit);
}

/// The least that `ask` finds in the group at `path` below `mount` and in those above it. A container sees
/// its own group as the mount's root but may be told its path on the host, so groups that are not there are
/// passed over.
std::int64_t least_upwards(const fs::path& mount, fs::path path, std::int64_t (*ask)(const fs::path&)) {
  std::int64_t least = ask(mount);
  for (path = path.relative_path().lexically_normal(); !path.empty(); path = path.parent_path()) {
    std::error_code missing;
    if (*path.begin() != ".." && fs::is_directory(mount / path, missing))
      least = std::min(least, ask(mount / path));
  }
  return least;
}

struct Limits {
  std::int64_t cores = kNoLimit;
  std::int64_t memory_bytes = kNoLimit;
};

/// Line by line of /proc/self/cgroup: "0::/path" for version 2, "4:cpu,cpuacct:/path" for version 1 (man 7
/// cgroups).
Limits group_limits(const fs::path& root) {
  Limits limits;
  const fs::path mount = root / "sys/fs/cgroup";
  std::istringstream groups(read_text(root / "proc/self/cgroup"));
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string hierarchy = line.substr(first + 1, second - first - 1);
    const std::string controllers = "," + hierarchy + ",";
    const fs::path path = line.substr(second + 1);
    if (controllers == ",,") {
      for (const fs::path& at : {mount, mount / "unified"}) {
        limits.cores = std::min(limits.cores, least_upwards(at, path, &quota_v2));
        limits.memory_bytes = std::min(limits.memory_bytes, least_upwards(at, path, &memory_v2));
      }
    }
    // Controllers that share a hierarchy are mounted as "cpu,cpuacct", most often with links named after
    // each.
    if (controllers.find(",cpu,") != std::string::npos) {
      for (const char* name : {"cpu", hierarchy.c_str()})
        limits.cores = std::min(limits.cores, least_upwards(mount / name, path, &quota_v1));
    }
    if (controllers.find(",memory,") != std::string::npos) {
      for (const char* name : {"memory", hierarchy.c_str()})
        limits.memory_bytes = std::min(limits.memory_bytes, least_upwards(mount / name, path, &memory_v1));
    }
  }
  return limits;
}

}  // namespace

Machine this_machine(const fs::path& root) {
  const Limits limits = group_limits(root);
  const std::int64_t affinity =
      count_list(line_after(read_text(root / "proc/self/status"), "Cpus_allowed_list:"));
  const std::int64_t total_kib =
      number(line_after(read_text(root / "proc/meminfo"), "MemTotal:")).value_or(0);
  Machine machine;
  machine.cores =
      static_cast<int>(std::clamp<std::int64_t>(affinity, 1, std::max<std::int64_t>(1, limits.cores)));
  machine.memory_bytes = std::min(total_kib * 1024, limits.memory_bytes);
  return machine;
}

}  // namespace headrace
