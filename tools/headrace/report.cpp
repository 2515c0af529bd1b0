// SPDX-License-Identifier: Apache-2.0
//
// See report.h.
#include "report.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <string_view>

#include "table.h"

namespace headrace::cli {
namespace {

constexpr const char* kNodeKeys[] = {"in",           "out",    "dropped", "busy_seconds",
                                     "wait_seconds", "p50_us", "p99_us",  "tokens_max"};

/// A count of the stats, or null where it is not known.
nlohmann::ordered_json count(const nlohmann::ordered_json& stats, const char* key) {
  return stats.is_object() && stats.contains(key) ? stats.at(key) : nlohmann::ordered_json(0);
}

/// "delivered 24", or by output where it is not known which samples they share.
std::string delivered(const nlohmann::ordered_json& report) {
  if (report.at("delivered").is_number())
    return fmt::format("delivered {}", report.at("delivered").get<std::uint64_t>());
  std::string text;
  for (const auto& [name, output] : report.at("outputs").items()) {
    text += fmt::format("{} {} to '{}'", text.empty() ? "delivered" : ",",
                        output.at("samples").get<std::uint64_t>(), name);
  }
  return text;
}

std::string bytes(std::int64_t n) {
  return n < (std::int64_t{1} << 30) ? fmt::format("{:.0f} MiB", static_cast<double>(n) / (1 << 20))
                                     : fmt::format("{:.2f} GiB", static_cast<double>(n) / (1 << 30));
}

/// "", or ": decode 3, crop 1".
std::string by_node(const nlohmann::ordered_json& stats, const char* key) {
  if (!stats.is_object()) return {};
  std::string text;
  const nlohmann::ordered_json nodes = stats.value("nodes", nlohmann::ordered_json::object());
  for (const auto& [name, node] : nodes.items()) {
    const auto samples = node.value(key, std::uint64_t{0});
    if (samples > 0) text += fmt::format("{} {} {}", text.empty() ? ":" : ",", name, samples);
  }
  return text;
}

/// Times are kept for what runs as one, and stand at its first node.
std::string node_table(const nlohmann::ordered_json& nodes, const nlohmann::ordered_json& stats) {
  Table table({"node", "in", "out", "dropped", "busy s", "wait s", "p50 us", "p99 us", "tokens"});
  for (const auto& [name, node] : nodes.items()) {
    const auto integer = [&node = node](const char* key) {
      return std::to_string(node.at(key).get<std::uint64_t>());
    };
    const bool is_timed = !stats.at("nodes").at(name).contains("frame");
    const auto real = [&node = node, is_timed](const char* key, int digits) {
      return is_timed ? fmt::format("{:.{}f}", node.at(key).get<double>(), digits) : std::string("-");
    };
    table.add({name, integer("in"), integer("out"), integer("dropped"), real("busy_seconds", 3),
               real("wait_seconds", 3), real("p50_us", 1), real("p99_us", 1), integer("tokens_max")});
  }
  return table.text();
}

}  // namespace

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

std::int64_t peak_rss_bytes() {
  // Not ru_maxrss: Linux lets it survive execve(), so that a small program started by a large one would look
  // large.
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    constexpr std::string_view kKey = "VmHWM:";
    if (line.starts_with(kKey)) return std::stoll(line.substr(kKey.size())) * 1024;
  }
  return 0;
}

nlohmann::ordered_json make_report(const RunFacts& facts, const nlohmann::ordered_json& stats) {
  nlohmann::ordered_json report;
  report["graph"] = facts.graph;
  report["samples"] = facts.samples;
  report["batches"] = facts.batches;
  report["epochs"] = facts.epochs;
  report["seconds"] = facts.seconds;
  report["samples_per_second"] = facts.seconds > 0 ? static_cast<double>(facts.samples) / facts.seconds : 0.0;
  report["first_batch_seconds"] =
      facts.first_batch_seconds ? nlohmann::ordered_json(*facts.first_batch_seconds) : nullptr;
  report["cpu_seconds"] = cpu_seconds();
  report["peak_rss_bytes"] = peak_rss_bytes();
  for (const char* key : {"delivered", "skipped", "masked", "padded"}) report[key] = count(stats, key);
  report["each_epoch"] = nlohmann::ordered_json::array();
  for (const EpochFacts& epoch : facts.each_epoch) {
    report["each_epoch"].push_back({{"epoch", epoch.epoch},
                                    {"samples", epoch.samples},
                                    {"seconds", epoch.seconds},
                                    {"cpu_seconds", epoch.cpu_seconds}});
  }
  report["outputs"] = nlohmann::ordered_json::object();
  report["nodes"] = nlohmann::ordered_json::object();
  if (!stats.is_object()) return report;
  report["outputs"] = stats.value("outputs", nlohmann::ordered_json::object());
  const nlohmann::ordered_json nodes = stats.value("nodes", nlohmann::ordered_json::object());
  for (const auto& [name, node] : nodes.items()) {
    nlohmann::ordered_json& kept = report["nodes"][name];
    for (const char* key : kNodeKeys)
      kept[key] = node.contains(key) ? nlohmann::ordered_json(node.at(key)) : nlohmann::ordered_json(0);
  }
  return report;
}

std::string summary(const nlohmann::ordered_json& report, const nlohmann::ordered_json& stats,
                    const std::string& ending) {
  const auto plural = [](std::uint64_t n, const char* one, const char* many) {
    return fmt::format("{} {}", n, n == 1 ? one : many);
  };
  const auto number = [&](const char* key) { return report.at(key).get<std::uint64_t>(); };
  std::string text =
      fmt::format("{}: {}, {} in {}, {:.2f} s, {:.0f} samples/s{}\n", report.at("graph").get<std::string>(),
                  plural(number("epochs"), "epoch", "epochs"), plural(number("samples"), "sample", "samples"),
                  plural(number("batches"), "batch", "batches"), report.at("seconds").get<double>(),
                  report.at("samples_per_second").get<double>(), ending.empty() ? "" : ", " + ending);
  if (report.at("first_batch_seconds").is_number()) {
    text += fmt::format("first batch after {:.3f} s; ", report.at("first_batch_seconds").get<double>());
  }
  text += fmt::format("CPU {:.2f} s; memory at most {}\n", report.at("cpu_seconds").get<double>(),
                      bytes(report.at("peak_rss_bytes").get<std::int64_t>()));
  text += fmt::format("{}, skipped {}{}", delivered(report), number("skipped"), by_node(stats, "skipped"));
  if (number("masked") > 0) text += fmt::format(", masked {}{}", number("masked"), by_node(stats, "masked"));
  text += fmt::format(", padded {}\n", number("padded"));
  return text + (stats.is_object() ? node_table(report.at("nodes"), stats) : std::string());
}

}  // namespace headrace::cli
