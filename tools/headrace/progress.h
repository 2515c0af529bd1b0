// SPDX-License-Identifier: Apache-2.0
//
// The progress bar of `run`: how far, how fast, how long still. Drawn by the main thread a few times a
// second.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>

namespace headrace::cli {

/// Where a run stands.
struct Position {
  std::uint64_t samples = 0;                   ///< taken so far, over all epochs
  std::optional<std::uint64_t> samples_total;  ///< of all epochs, when it is known
  std::int64_t epoch = 0;                      ///< from 0
  std::int64_t epochs = 1;                     ///< 0: without end
};

/// Mean samples a second over the last few seconds, so that a slow start is soon forgotten.
class Rate {
 public:
  using Seconds = std::chrono::duration<double>;
  void add(Seconds now, std::uint64_t samples);
  double per_second() const;

 private:
  std::deque<std::pair<Seconds, std::uint64_t>> seen_;
};

/// "epoch 1/2 [######------]  53%  1060/2000  1246 samples/s  0:12 left", at most `columns` wide. Without a
/// known total: samples, rate and the time that has passed.
std::string progress_line(const Position& position, double samples_per_second, std::chrono::seconds passed,
                          int columns);

}  // namespace headrace::cli
