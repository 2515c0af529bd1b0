// SPDX-License-Identifier: Apache-2.0

#include "runtime/watch/counters.h"

#include <cmath>

namespace headrace {

double Histogram::middle_of(std::size_t c) {
  if (c < 4) return static_cast<double>(c);
  const double low = std::ldexp(1.0 + static_cast<double>(c % 4) / 4.0, static_cast<int>(c / 4) + 1);
  return low * (1.0 + 0.5 / (4.0 + static_cast<double>(c % 4)));
}

double NodeCounts::quantile_us(double q) const {
  std::uint64_t total = 0;
  for (const std::uint64_t n : histogram) total += n;
  if (total == 0) return 0;
  const auto wanted = static_cast<std::uint64_t>(std::ceil(q * static_cast<double>(total)));
  std::uint64_t seen = 0;
  for (std::size_t c = 0; c < histogram.size(); ++c) {
    seen += histogram[c];
    if (seen >= wanted) return Histogram::middle_of(c) / 1000.0;
  }
  return Histogram::middle_of(histogram.size() - 1) / 1000.0;
}

NodeCounts NodeCounters::total() const {
  NodeCounts sum;
  const auto get = [](const std::atomic<std::uint64_t>& c) { return c.load(std::memory_order_relaxed); };
  for (const Shard& s : shards_) {
    sum.in += get(s.in);
    sum.out += get(s.out);
    sum.dropped += get(s.dropped);
    sum.skipped += get(s.skipped);
    sum.masked += get(s.masked);
    sum.busy_ns += get(s.busy_ns);
    sum.wait_ns += get(s.wait_ns);
    for (std::size_t c = 0; c < sum.histogram.size(); ++c) sum.histogram[c] += get(s.histogram[c]);
  }
  return sum;
}

}  // namespace headrace
