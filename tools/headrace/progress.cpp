// SPDX-License-Identifier: Apache-2.0
//
// See progress.h.
#include "progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace headrace::cli {
namespace {

constexpr Rate::Seconds kWindow{5};
constexpr int kWidestBar = 30;

std::string clock(std::chrono::seconds duration) {
  const auto s = duration.count();
  return s < 3600 ? fmt::format("{}:{:02}", s / 60, s % 60)
                  : fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

std::string number(double value) {
  return value < 100 ? fmt::format("{:.1f}", value) : fmt::format("{:.0f}", value);
}

}  // namespace

void Rate::add(Seconds now, std::uint64_t samples) {
  seen_.emplace_back(now, samples);
  while (seen_.size() > 2 && now - seen_[1].first >= kWindow) seen_.pop_front();
}

double Rate::per_second() const {
  if (seen_.size() < 2) return 0;
  const double seconds = (seen_.back().first - seen_.front().first).count();
  return seconds > 0 ? static_cast<double>(seen_.back().second - seen_.front().second) / seconds : 0;
}

std::string progress_line(const Position& position, double samples_per_second, std::chrono::seconds passed,
                          int columns) {
  std::string head = fmt::format("epoch {}", position.epoch + 1);
  if (position.epochs > 0) head += fmt::format("/{}", position.epochs);
  std::string tail = fmt::format("  {} samples/s", number(samples_per_second));
  if (!position.samples_total) {
    return fmt::format("{}  {} samples{}  {}", head, position.samples, tail, clock(passed))
        .substr(0, static_cast<std::size_t>(columns));
  }
  const std::uint64_t total = std::max<std::uint64_t>(*position.samples_total, 1);
  const double share = std::min(1.0, static_cast<double>(position.samples) / static_cast<double>(total));
  tail = fmt::format("{:4.0f}%  {}/{}{}", std::floor(share * 100), position.samples, *position.samples_total,
                     tail);
  if (samples_per_second > 0) {
    const double left = (1 - share) * static_cast<double>(total) / samples_per_second;
    tail += fmt::format("  {} left", clock(std::chrono::seconds(std::llround(left))));
  }
  const int bar = std::min(kWidestBar, columns - static_cast<int>(head.size() + tail.size()) - 3);
  if (bar >= 5) {
    const auto done = static_cast<std::size_t>(share * bar);
    head += fmt::format(" [{}{}]", std::string(done, '#'),
                        std::string(static_cast<std::size_t>(bar) - done, '-'));
  }
  return (head + tail).substr(0, static_cast<std::size_t>(columns));
}

}  // namespace headrace::cli
