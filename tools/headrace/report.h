// SPDX-License-Identifier: Apache-2.0
//
// What a run came to: the JSON of `run --report` and the summary that people read. Main thread, after the
// run.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace headrace::cli {

/// An epoch as the consumers saw it, from the end of the one before (the first: from opening the graph).
struct EpochFacts {
  std::int64_t epoch = 0;
  std::uint64_t samples = 0;
  double seconds = 0;
  double cpu_seconds = 0;
};

/// What only the caller of the pipeline knows.
struct RunFacts {
  std::string graph;          ///< the graph's name
  std::uint64_t samples = 0;  ///< rows taken by the consumers, over all outputs and epochs
  std::uint64_t batches = 0;
  std::int64_t epochs = 0;                    ///< ended by every output
  double seconds = 0;                         ///< from opening the graph to the last consumer's end
  std::optional<double> first_batch_seconds;  ///< from the start of the process
  std::vector<EpochFacts> each_epoch;         ///< the last ones, oldest first
};

/// CPU time of this process so far, all threads.
double cpu_seconds();
/// Most memory that this process held at one time, since it became this program.
std::int64_t peak_rss_bytes();

/// Keys, all of them always there: graph, samples, batches, epochs, seconds, samples_per_second,
/// first_batch_seconds (null without a batch), cpu_seconds, peak_rss_bytes, delivered (null where it is not
/// known), skipped, masked, padded, each_epoch: [{epoch, samples, seconds, cpu_seconds}], outputs: {name:
/// {batches, samples}}, nodes: {name: {in, out, dropped, busy_seconds, wait_seconds, p50_us, p99_us,
/// tokens_max}}. `stats` is what headrace_stats() wrote.
nlohmann::ordered_json make_report(const RunFacts& facts, const nlohmann::ordered_json& stats);

/// The report in a few lines, and the nodes as a table. `ending` is "", or why the run did not come to its
/// end: "interrupted".
std::string summary(const nlohmann::ordered_json& report, const nlohmann::ordered_json& stats,
                    const std::string& ending);

}  // namespace headrace::cli
