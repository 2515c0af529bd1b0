// SPDX-License-Identifier: Apache-2.0
//
// Runs nodes of the image plugin one by one, or as one frame whose first member has absorbed the others, for
// the tests that hold one against the other.
#pragma once

#include <gtest/gtest.h>

#include <headrace/testing/op_bench.h>

#include <string_view>
#include <vector>

namespace headrace::image::testing {

using headrace::testing::BenchOptions;
using headrace::testing::NodeText;
using headrace::testing::OpBench;
using headrace::testing::Outcome;
using headrace::testing::Record;
using headrace::testing::Value;

inline const headrace_plugin& plugin() {
  return *headrace_plugin_get(HEADRACE_ABI_MAJOR, HEADRACE_ABI_MINOR);
}

inline Value bytes_of(const std::vector<std::uint8_t>& file) {
  return Value::bytes(std::string_view(reinterpret_cast<const char*>(file.data()), file.size()));
}

inline std::vector<std::uint8_t> raw(const Value& value) {
  const auto* data = static_cast<const std::uint8_t*>(value.c().data);
  return {data, data + value.byte_count()};
}

inline headrace_sample sample_at(std::uint64_t position) {
  headrace_sample sample = {};
  sample.size = sizeof sample;
  sample.position = position;
  return sample;
}

/// The nodes one after the other, each an op of its own, for the sample at `position`.
inline Outcome one_by_one(const std::vector<NodeText>& nodes, const Record& record, std::uint64_t position) {
  Outcome outcome;
  outcome.record = record;
  for (const NodeText& node : nodes) {
    OpBench bench(plugin(), node);
    bench.set_sample(sample_at(position));
    outcome = bench.map(outcome.record);
    EXPECT_TRUE(outcome.violations.empty()) << node.op << ": " << outcome.violations.front();
    if (!outcome.ok()) return outcome;
  }
  return outcome;
}

/// The first node, having absorbed all others.
class FusedBench {
 public:
  explicit FusedBench(const std::vector<NodeText>& nodes, BenchOptions options = {})
      : bench_(plugin(), nodes.front(), options) {
    for (std::size_t i = 1; i < nodes.size(); ++i)
      EXPECT_EQ(bench_.offer(plugin(), nodes[i]), "") << nodes[i].op;
  }
  Outcome run(const Record& record, std::uint64_t position) {
    bench_.set_sample(sample_at(position));
    return bench_.map(record);
  }
  OpBench& bench() { return bench_; }

 private:
  OpBench bench_;
};

/// Expects the same records from the nodes one by one and from their frame, of each file `rounds` times.
inline void expect_same_bits(const std::vector<NodeText>& nodes,
                             const std::vector<std::vector<std::uint8_t>>& files, int rounds) {
  FusedBench fused(nodes);
  std::uint64_t position = 0;
  for (int round = 0; round < rounds; ++round) {
    for (const std::vector<std::uint8_t>& file : files) {
      const Record record{{"bytes", bytes_of(file)}, {"label", Value::scalar<std::int64_t>(7)}};
      const Outcome apart = one_by_one(nodes, record, position);
      const Outcome together = fused.run(record, position);
      ASSERT_TRUE(apart.ok()) << apart.error;
      ASSERT_TRUE(together.ok()) << together.error;
      ASSERT_TRUE(together.record == apart.record) << "sample " << position;
      ++position;
    }
  }
}

}  // namespace headrace::image::testing
