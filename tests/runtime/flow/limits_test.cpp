// SPDX-License-Identifier: Apache-2.0
//
// Back-pressure and ends: caps in items and bytes, slow consumers, batches kept and lent, stopping from any
// state, what cannot go on.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "tests/runtime/flow/harness.h"
#include "tests/runtime/flow/test_ops.h"

namespace headrace::test {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

class LimitsTest : public testing::Test {
 protected:
  void SetUp() override { Stand::get().reset(); }
  void TearDown() override { expect_nothing_left(); }
};

std::size_t threads_now() {
  std::size_t n = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) ++n;
  return n;
}

// 1 MB a record, without end.
const char* const kEndless = R"(
version: 1
nodes:
  stream: {op: test.stream, tokens: {items: 8, bytes: 64MiB}}
  fill: {op: test.fill, from: stream, with: {size: 250000}}
  batch: {op: batch.stack, from: fill, with: {size: 4}, tokens: 3}
outputs: {out: {from: batch}}
)";

TEST_F(LimitsTest, ASlowConsumerStopsTheSource) {
  GraphRun run(kEndless);
  const auto first = run.next();
  ASSERT_NE(first, nullptr) << run.failure();
  // Wait until nothing moves any more, then look at what was made.
  std::int64_t before = -1;
  for (int i = 0; i < 200; ++i) {
    const std::int64_t now = run.stats()["nodes"]["stream"]["out"];
    if (now == before) break;
    before = now;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  const auto stats = run.stats();
  EXPECT_LE(stats["nodes"]["stream"]["out"], 4 + 3 * 4 + 8);
  for (const auto& segment : stats["segments"]) {
    EXPECT_LE(segment["items_max"], segment["cap_items"]) << stats.dump(1);
    EXPECT_LE(segment["bytes_max"], segment["cap_bytes"]) << stats.dump(1);
  }
}

TEST_F(LimitsTest, ACapInBytesHoldsWhereItemsWouldNot) {
  // Records whose size no spec tells: the first is charged nothing, the next what the largest took.
  GraphRun run(R"(
version: 1
nodes:
  count: {op: test.count, with: {n: 300}, tokens: {items: 64, bytes: 5MiB}}
  fill: {op: test.fill, from: count, with: {size: 250000, unknown: true}, concurrency: 1}
outputs: {out: {from: fill, fields: [data]}}
)");
  std::size_t n = 0;
  while (const auto record = run.next()) ++n;
  EXPECT_EQ(n, 300U) << run.failure();
  const auto segment = run.stats()["segments"][0];
  EXPECT_GT(segment["bytes_max"], 0);
  // The first admissions come before any size is known: an overdraft of at most what was then in flight.
  EXPECT_LE(segment["items_max"], 64);
}

TEST_F(LimitsTest, AnItemLargerThanTheCapIsAdmittedAlone) {
  GraphRun run(R"(
version: 1
nodes:
  count: {op: test.count, with: {n: 20}, tokens: {items: 8, bytes: 1MiB}}
  fill: {op: test.fill, from: count, with: {size: 1000000, unknown: true}}
outputs: {out: {from: fill, fields: [data]}}
)");
  std::size_t n = 0;
  while (const auto record = run.next()) ++n;
  EXPECT_EQ(n, 20U) << run.failure();
}

TEST_F(LimitsTest, BatchesThatTheCallerKeepsStayAsTheyWere) {
  std::vector<std::unique_ptr<Delivered>> kept;
  {
    GraphRun run(kEndless);
    for (int b = 0; b < 10; ++b) kept.push_back(run.next());
    EXPECT_GE(run.stats()["caller_bytes"], 40'000'000);
  }
  for (std::size_t b = 0; b < kept.size(); ++b) {
    const auto index = integers(value_of(*kept[b], "index"));
    const auto* data = static_cast<const float*>(value_of(*kept[b], "data").data);
    for (std::size_t r = 0; r < 4; ++r) {
      EXPECT_EQ(index[r], static_cast<std::int64_t>(b * 4 + r));
      EXPECT_EQ(data[r * 250000 + 249999], static_cast<float>(index[r]));
    }
  }
}

TEST_F(LimitsTest, LentBatchesHoldTheirTokensUntilReleased) {
  GraphRun run(kEndless, {}, {.ownership = HEADRACE_LEND});
  auto a = run.next();
  auto b = run.next();
  auto c = run.next();
  ASSERT_NE(c, nullptr);
  std::unique_ptr<Delivered> none;
  EXPECT_EQ(run.pipeline().next(0, 300, none), Pipeline::Next::timeout);  // three tokens, all lent
  EXPECT_EQ(run.stats()["lent"], 3);
  a.reset();
  EXPECT_NE(run.next(), nullptr);
}

TEST_F(LimitsTest, WhenEveryTokenIsLentItSaysSo) {
  GraphRun run(kEndless, {}, {.ownership = HEADRACE_LEND});
  const auto a = run.next();
  const auto b = run.next();
  const auto c = run.next();
  const auto begin = Clock::now();
  EXPECT_EQ(run.next(), nullptr);
  EXPECT_GE(seconds_since(begin), 9.5);
  EXPECT_EQ(run.pipeline().failure().code(), Code::deadlock);
  EXPECT_NE(run.failure().find("segment of 'batch': 3 of 3 tokens"), std::string::npos) << run.failure();
}

TEST_F(LimitsTest, ALentBatchMayBeReleasedAfterTheEnd) {
  std::unique_ptr<Delivered> kept;
  {
    GraphRun run(kEndless, {}, {.ownership = HEADRACE_LEND});
    kept = run.next();
  }
  EXPECT_EQ(integers(value_of(*kept, "index"))[3], 3);
}

TEST_F(LimitsTest, StopsFromEveryState) {
  const std::string gate = "nodes.fill={op: test.gate, from: stream}";
  for (const std::string state : {"just opened", "full", "blocked", "waiting", "stopped twice"}) {
    if (state == "blocked" || state == "waiting") Stand::get().close_gate();
    GraphRun run(kEndless, state == "blocked" || state == "waiting" ? std::vector<std::string>{gate}
                                                                    : std::vector<std::string>{});
    if (state == "full") {
      ASSERT_NE(run.next(), nullptr);
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    if (state == "blocked") {
      while (Stand::get().at_gate == 0) std::this_thread::yield();
    }
    const auto begin = Clock::now();
    if (state == "waiting") {
      std::thread stopper([&] {
        while (Stand::get().at_gate == 0) std::this_thread::yield();
        run.pipeline().stop();
      });
      EXPECT_EQ(run.next(), nullptr);
      stopper.join();
      EXPECT_EQ(run.pipeline().failure().code(), Code::cancelled);
    }
    if (state == "stopped twice") {
      run.pipeline().stop();
      run.pipeline().stop();
    }
    run.close();
    EXPECT_LT(seconds_since(begin), 20.0) << state;  // 2 s are promised, the rest is a loaded machine's
    Stand::get().reset();
  }
}

TEST_F(LimitsTest, ManyPipelinesLeaveNoThreadBehind) {
  { GraphRun warm_up(kEndless); }
  const std::size_t before = threads_now();
  for (int i = 0; i < 50; ++i) {
    GraphRun run(kEndless);
    if (i % 2 == 0) {
      ASSERT_NE(run.next(), nullptr);
    }
  }
  EXPECT_LE(threads_now(), before + 2);  // oneTBB keeps its own workers for the next arena
}

TEST_F(LimitsTest, ATimeoutLeavesTheRunAsItWas) {
  Stand::get().close_gate();
  GraphRun run(kEndless, {"nodes.fill={op: test.gate, from: stream}"});
  std::unique_ptr<Delivered> none;
  EXPECT_EQ(run.pipeline().next(0, 50, none), Pipeline::Next::timeout);
  Stand::get().open_gate();
  EXPECT_NE(run.next(), nullptr);
}

TEST_F(LimitsTest, MemoryIsReusedInSteadyState) {
  // All that can be out at once: 8 records of two fields, and 3 batches of 4 of them. How much of it ever is
  // depends on how the threads fall, so the bound is what the tokens allow, not what the first batches took.
  constexpr std::int64_t kMostAtOnce = 2 * (8 + 3 * 4) + 3;
  constexpr int kBatches = 1000;
  GraphRun run(kEndless);
  for (int b = 0; b < kBatches; ++b) ASSERT_NE(run.next(), nullptr);
  const auto stats = run.stats();
  ASSERT_GE(stats["nodes"]["fill"]["out"], 4 * kBatches);
  EXPECT_LE(stats["system_allocations"], kMostAtOnce) << stats.dump(1);
}

TEST_F(LimitsTest, BatchesLargerThanWhatThePoolKeepsGoRoundToo) {
  // 68 MB a batch, fixed in size or only bounded.
  constexpr int kBatches = 40;
  for (const char* last : {"drop", "partial"}) {
    GraphRun run(kEndless, {"nodes.fill.with.size=4250000", std::string("nodes.batch.with.last=") + last,
                            "nodes.stream.tokens={items: 2, bytes: 64MiB}", "nodes.batch.tokens=2"});
    for (int b = 0; b < kBatches; ++b) ASSERT_NE(run.next(), nullptr) << run.failure();
    const auto stats = run.stats();
    EXPECT_LT(stats["system_allocations"], kBatches) << last << stats.dump(1);
  }
}

}  // namespace
}  // namespace headrace::test
