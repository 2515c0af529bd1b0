// SPDX-License-Identifier: Apache-2.0
//
// Long runs: a minute of a slow consumer in front of an endless source of large items, and ten million tiny
// ones through drops, failures and a fan-out. Slow on purpose, so they carry the label `slow` alone.
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <string>
#include <thread>

#include "tests/runtime/flow/harness.h"
#include "tests/runtime/flow/test_ops.h"

namespace headrace::test {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

std::int64_t peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmHWM:", 0) == 0) return std::stoll(line.substr(6)) * 1024;
  }
  return -1;
}

/// 6 MB an item, 300 ms a record or batch, for a minute.
void consume_slowly(const std::string& graph, const std::vector<std::string>& sets, std::int64_t cap_bytes) {
  GraphRun run(graph, sets);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  std::int64_t n = 0;
  while (std::chrono::steady_clock::now() < end) {
    ASSERT_NE(run.next(), nullptr) << run.failure();
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    ++n;
  }
  EXPECT_GT(n, 100);
  EXPECT_LE(peak_bytes(), cap_bytes + 64 * kMiB) << run.stats().dump(1);
}

const char* const kLarge = R"(
version: 1
runtime: {threads: 2}
nodes:
  stream: {op: test.stream}
  fill: {op: test.fill, from: stream, with: {size: 1500000, unknown: true}}
outputs: {out: {from: fill, fields: [data]}}
)";

TEST(Endurance, ASlowConsumerAndACapInItems) {
  consume_slowly(kLarge, {"nodes.stream.tokens=16"}, 16 * 6'000'000);
  expect_nothing_left();
}

TEST(Endurance, ASlowConsumerAndACapInBytes) {
  consume_slowly(kLarge, {"nodes.stream.tokens={items: 1000, bytes: 96MiB}"}, 96 * kMiB);
  expect_nothing_left();
}

TEST(Endurance, ASlowConsumerOfBatches) {
  const std::string batches = R"(
version: 1
runtime: {threads: 2}
nodes:
  stream: {op: test.stream}
  fill: {op: test.fill, from: stream, with: {size: 1500000}}
  batch: {op: batch.stack, from: fill, with: {size: 4}, tokens: 3}
outputs: {out: {from: batch, fields: [data]}}
)";
  consume_slowly(batches, {}, 3 * 4 * 6'000'000);
  expect_nothing_left();
}

TEST(Endurance, TokensAreConservedOverTenMillionItems) {
  GraphRun run(R"(
version: 1
runtime: {threads: 2}
nodes:
  range: {op: source.range, with: {n: 10000000, shuffle: true, out: index}}
  drop: {op: test.drop, from: range, with: {every: 7}}
  left: {op: test.fail, from: drop, with: {every: 100, offset: 9}, on_error: {action: skip}}
  right: {op: test.drop, from: drop, with: {every: 11}}
  zip: {op: flow.zip, from: [left, right], with: {suffixes: [_l, _r]}}
  batch: {op: batch.stack, from: zip, with: {size: 64, last: partial}}
outputs: {out: {from: batch, fields: [index_l]}}
)");
  std::int64_t expected = 0;
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < 10'000'000; ++i) {
    if (i % 7 == 0 || i % 100 == 9 || i % 11 == 0) continue;
    ++expected;
    sum += i;
  }
  std::int64_t delivered = 0;
  while (const auto batch = run.next()) {
    delivered += static_cast<std::int64_t>(batch->rows);
    const auto* index = static_cast<const std::int64_t*>(batch->values[0]->data);
    for (std::uint64_t r = 0; r < batch->rows; ++r) sum -= index[r];
  }
  EXPECT_EQ(run.last(), Pipeline::Next::end) << run.failure();
  EXPECT_EQ(delivered, expected);
  EXPECT_EQ(sum, 0);
  for (const auto& segment : run.stats()["segments"]) {
    EXPECT_EQ(segment["items"], 0) << segment.dump();
    EXPECT_EQ(segment["bytes"], 0) << segment.dump();
    EXPECT_LE(segment["items_max"], segment["cap_items"]);
  }
}

}  // namespace
}  // namespace headrace::test
