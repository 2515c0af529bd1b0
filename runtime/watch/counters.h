// SPDX-License-Identifier: Apache-2.0
//
// Counters of one node, always on: each thread of the flow adds to a shard of its own, readers add the shards
// up. Written by whoever runs the node, read by stats on any thread.

#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace headrace {

/// Durations in classes: four to each doubling of nanoseconds, so a quantile is right within a fifth.
class Histogram {
 public:
  static constexpr std::size_t kClasses = 160;  ///< up to 2^40 ns, a third of an hour

  static std::size_t class_of(std::uint64_t ns) {
    if (ns < 4) return static_cast<std::size_t>(ns);
    const auto log = static_cast<unsigned>(std::bit_width(ns)) - 1;
    const std::size_t c = (static_cast<std::size_t>(log) - 1) * 4 + ((ns >> (log - 2)) & 3U);
    return c < kClasses ? c : kClasses - 1;
  }
  /// The middle of a class, in nanoseconds.
  static double middle_of(std::size_t c);
};

/// What a node did so far. Counts are records; a reduce's `out` are batches.
struct NodeCounts {
  std::uint64_t in = 0;
  std::uint64_t out = 0;
  std::uint64_t dropped = 0;  ///< by choice: filters, short last batches, partners of a dropped record
  std::uint64_t skipped = 0;  ///< failed, and on_error said skip
  std::uint64_t masked = 0;   ///< failed, and on_error said mask
  std::uint64_t busy_ns = 0;
  std::uint64_t wait_ns = 0;  ///< records stood ready before this node
  std::array<std::uint64_t, Histogram::kClasses> histogram{};
  double quantile_us(double q) const;
};

class NodeCounters {
 public:
  /// `shards`: one a thread that may run the node; no two threads add to the same shard at one time.
  explicit NodeCounters(std::size_t shards) : shards_(shards) {}

  void add_in(std::size_t shard, std::uint64_t wait_ns, std::uint64_t n = 1) {
    Shard& s = at(shard);
    add(s.in, n);
    add(s.wait_ns, wait_ns);
  }
  /// A call that took `busy_ns`, whatever came of it.
  void add_busy(std::size_t shard, std::uint64_t busy_ns) {
    Shard& s = at(shard);
    add(s.busy_ns, busy_ns);
    add(s.histogram[Histogram::class_of(busy_ns)], 1);
  }
  void add_out(std::size_t shard) { add(at(shard).out, 1); }
  void add_dropped(std::size_t shard, std::uint64_t n = 1) { add(at(shard).dropped, n); }
  void add_skipped(std::size_t shard) { add(at(shard).skipped, 1); }
  void add_masked(std::size_t shard) { add(at(shard).masked, 1); }

  NodeCounts total() const;

 private:
  struct alignas(64) Shard {
    std::atomic<std::uint64_t> in{0};
    std::atomic<std::uint64_t> out{0};
    std::atomic<std::uint64_t> dropped{0};
    std::atomic<std::uint64_t> skipped{0};
    std::atomic<std::uint64_t> masked{0};
    std::atomic<std::uint64_t> busy_ns{0};
    std::atomic<std::uint64_t> wait_ns{0};
    std::array<std::atomic<std::uint64_t>, Histogram::kClasses> histogram{};
  };

  Shard& at(std::size_t shard) { return shards_[shard]; }
  // A shard has one writer at a time, so no locked instruction is needed.
  static void add(std::atomic<std::uint64_t>& counter, std::uint64_t n) {
    counter.store(counter.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }

  std::vector<Shard> shards_;
};

}  // namespace headrace
