// SPDX-License-Identifier: Apache-2.0
//
// Graphs run end to end over ops that misbehave on purpose: what comes out, in which order, and that nothing
// is doubled, lost or left.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <thread>

#include "tests/runtime/flow/harness.h"
#include "tests/runtime/flow/test_ops.h"

namespace headrace::test {
namespace {

std::vector<std::int64_t> range(std::int64_t n) {
  std::vector<std::int64_t> v(static_cast<std::size_t>(n));
  std::iota(v.begin(), v.end(), 0);
  return v;
}

std::vector<std::int64_t> sorted(std::vector<std::int64_t> v) {
  std::sort(v.begin(), v.end());
  return v;
}

class FlowTest : public testing::Test {
 protected:
  void SetUp() override { Stand::get().reset(); }
  void TearDown() override { expect_nothing_left(); }
};

const char* const kChain = R"(
version: 1
vars: {n: 103, size: 10, last: partial}
nodes:
  count: {op: test.count, with: {n: "${vars.n}"}}
  a: {op: test.jitter, from: count}
  b: {op: test.noop, from: a}
  batch: {op: batch.stack, from: b, with: {size: "${vars.size}", last: "${vars.last}"}}
outputs: {out: {from: batch}}
)";

TEST_F(FlowTest, GivesEverySampleOnceInOrder) {
  GraphRun run(kChain);
  const auto batches = run.epoch();
  ASSERT_EQ(batches.size(), 11U);
  EXPECT_EQ(batches[0], range(10));
  EXPECT_EQ(batches[10], (std::vector<std::int64_t>{100, 101, 102}));
  EXPECT_EQ(run.last(), Pipeline::Next::end);
}

TEST_F(FlowTest, TellsWhichSamplesASourceFound) {
  GraphRun run(kChain);
  EXPECT_EQ(
      nlohmann::json::parse(run.pipeline().describe_json())["count"],
      (nlohmann::json{{"length", 103}, {"dealt", 103}, {"fingerprint", "0000000000000abc0000000000000067"}}));
  GraphRun stream(kChain, {"nodes.count={op: test.stream, with: {n: 57}}"});
  EXPECT_EQ(nlohmann::json::parse(stream.pipeline().describe_json())["count"], nlohmann::json::object());
}

TEST_F(FlowTest, DropsTheShortLastBatchWhenToldSo) {
  GraphRun run(kChain, {"vars.last=drop"});
  EXPECT_EQ(run.flat(), range(100));
  EXPECT_EQ(run.stats()["nodes"]["batch"]["dropped"], 3);
}

TEST_F(FlowTest, MakesOneEpochAfterTheOther) {
  GraphRun run(kChain, {}, {.epochs = 3});
  for (int e = 0; e < 3; ++e) EXPECT_EQ(run.flat(), range(103)) << e;
  EXPECT_EQ(run.next(), nullptr);
  EXPECT_EQ(run.last(), Pipeline::Next::end);
}

TEST_F(FlowTest, GivesTheSameBatchesAtAnyNumberOfThreads) {
  for (const char* threads : {"1", "2", "8"}) {
    GraphRun run(kChain, {std::string("runtime.threads=") + threads, "nodes.count.with.shuffle=true"});
    GraphRun one(kChain, {"runtime.threads=1", "nodes.count.with.shuffle=true"});
    const auto batches = run.epoch();
    EXPECT_EQ(batches, one.epoch()) << threads;
    std::vector<std::int64_t> all;
    for (const auto& b : batches) all.insert(all.end(), b.begin(), b.end());
    EXPECT_NE(all, range(103));
    EXPECT_EQ(sorted(all), range(103));
  }
}

TEST_F(FlowTest, ShufflesEachEpochInAnotherOrder) {
  GraphRun run(kChain, {"nodes.count.with.shuffle=true"}, {.epochs = 2});
  const auto first = run.flat();
  const auto second = run.flat();
  EXPECT_NE(first, second);
  EXPECT_EQ(sorted(first), sorted(second));
}

TEST_F(FlowTest, GivesTheSameMultisetInOrderAny) {
  GraphRun run(kChain, {"runtime.order=any", "runtime.threads=4"}, {.epochs = 3});
  for (int e = 0; e < 3; ++e) EXPECT_EQ(sorted(run.flat()), range(103)) << e;
}

TEST_F(FlowTest, EndsAnEmptyEpochAtOnce) {
  GraphRun run(kChain, {"vars.n=0"}, {.epochs = 2});
  EXPECT_TRUE(run.flat().empty());
  EXPECT_TRUE(run.flat().empty());
}

const char* const kFailing = R"(
version: 1
vars: {n: 1003, size: 10, every: 7, offset: 3}
nodes:
  count: {op: test.count, with: {n: "${vars.n}"}}
  fail: {op: test.fail, from: count, with: {every: "${vars.every}", offset: "${vars.offset}", late: true}, on_error: {action: skip}}
  fill: {op: test.fill, from: fail, with: {size: 33}}
  batch: {op: batch.stack, from: fill, with: {size: "${vars.size}", last: partial}}
outputs: {out: {from: batch}}
)";

/// Every batch's rows belong to their own indices, whatever was moved.
void expect_rows_match(const Delivered& batch) {
  const auto index = integers(value_of(batch, "index"));
  const headrace_value& data = value_of(batch, "data");
  ASSERT_EQ(data.shape[0], static_cast<std::int64_t>(index.size()));
  for (std::int64_t r = 0; r < data.shape[0]; ++r) {
    for (std::int64_t i = 0; i < data.shape[1]; ++i) {
      ASSERT_EQ(static_cast<const float*>(data.data)[r * data.shape[1] + i],
                static_cast<float>(index[static_cast<std::size_t>(r)]));
    }
  }
}

TEST_F(FlowTest, SkipsKeepBatchesFullAndRowsWithTheirLabels) {
  std::vector<std::int64_t> good;
  for (std::int64_t i = 0; i < 1003; ++i) {
    if (i % 7 != 3) good.push_back(i);
  }
  for (const char* threads : {"1", "2", "8"}) {
    for (const char* fuse : {"true", "false"}) {
      GraphRun run(kFailing, {std::string("runtime.threads=") + threads, std::string("runtime.fuse=") + fuse},
                   {.epochs = 2});
      for (int e = 0; e < 2; ++e) {
        std::vector<std::int64_t> all;
        while (const auto batch = run.next()) {
          expect_rows_match(*batch);
          const auto index = integers(value_of(*batch, "index"));
          all.insert(all.end(), index.begin(), index.end());
          if (all.size() < good.size()) {
            EXPECT_EQ(index.size(), 10U);
          }
        }
        EXPECT_EQ(all, good) << threads << run.failure();
      }
      EXPECT_EQ(run.stats()["skipped"], 2 * (1003 - good.size()));
      EXPECT_GT(run.stats()["rows_moved"], 0);
    }
  }
}

TEST_F(FlowTest, MovesNoRowWhereNothingFails) {
  GraphRun run(kFailing, {"vars.every=0"}, {.epochs = 3});
  for (int e = 0; e < 3; ++e) EXPECT_EQ(run.flat(), range(1003));
  EXPECT_EQ(run.stats()["rows_moved"], 0);
}

TEST_F(FlowTest, SkipsInOrderAnyLoseNothingElse) {
  GraphRun run(kFailing, {"runtime.order=any", "runtime.threads=4"}, {.epochs = 2});
  for (int e = 0; e < 2; ++e) {
    std::size_t n = 0;
    while (const auto batch = run.next()) {
      expect_rows_match(*batch);
      n += batch->rows;
    }
    EXPECT_EQ(n, 1003U - 143U);
  }
}

TEST_F(FlowTest, AWholeEpochThatFailsGivesNoBatch) {
  GraphRun run(kFailing, {"vars.every=1", "vars.offset=0"}, {.epochs = 2});
  EXPECT_TRUE(run.flat().empty());
  EXPECT_TRUE(run.flat().empty());
  EXPECT_EQ(run.stats()["skipped"], 2006);
}

TEST_F(FlowTest, ABatchSizeOfOneAndTheLeastOfTokensStillMove) {
  GraphRun run(kFailing,
               {"vars.size=1", "nodes.batch.tokens=1", "outputs.out.prefetch=1", "nodes.count.tokens=1"});
  EXPECT_EQ(run.flat().size(), 1003U - 143U);
}

TEST_F(FlowTest, FailsWithNodeSampleAndCause) {
  // Which of several failures comes first is up to the threads: with one it is the first sample.
  GraphRun run(kFailing, {"nodes.fail.on_error.action=fail", "runtime.threads=1"});
  run.flat();
  EXPECT_EQ(run.last(), Pipeline::Next::failed);
  EXPECT_EQ(run.failure(), "node 'fail', sample 3 of epoch 0 (item-3): bad on purpose");
  EXPECT_EQ(run.pipeline().failure().code(), Code::data_error);
  EXPECT_EQ(run.next(), nullptr);  // and goes on saying so
  EXPECT_EQ(run.failure(), "node 'fail', sample 3 of epoch 0 (item-3): bad on purpose");
}

TEST_F(FlowTest, ABudgetOfSkipsEndsTheRun) {
  GraphRun run(kFailing, {"nodes.fail.on_error.max_count=5"});
  run.flat();
  EXPECT_EQ(run.last(), Pipeline::Next::failed);
  EXPECT_NE(run.failure().find("that is the first of 6 failures, and on_error allows 5 an epoch"),
            std::string::npos)
      << run.failure();
}

TEST_F(FlowTest, ABudgetIsForEachEpoch) {
  // The next epoch is under way while this one ends: its failures are its own.
  for (const char* threads : {"1", "8"}) {
    GraphRun run(kFailing, {"nodes.fail.on_error.max_count=143", std::string("runtime.threads=") + threads},
                 {.epochs = 3});
    for (int e = 0; e < 3; ++e) EXPECT_EQ(run.flat().size(), 860U) << run.failure();
  }
}

TEST_F(FlowTest, AFractionIsOfTheWholeEpoch) {
  GraphRun enough(kFailing, {"nodes.fail.on_error.max_fraction=0.15"});
  EXPECT_EQ(enough.flat().size(), 860U) << enough.failure();
  GraphRun little(kFailing, {"nodes.fail.on_error.max_fraction=0.1"});
  little.flat();
  EXPECT_EQ(little.last(), Pipeline::Next::failed);
}

TEST_F(FlowTest, DropsAreCountedAndLeaveNoHole) {
  GraphRun run(kChain, {"nodes.b={op: test.drop, from: a, with: {every: 2}}"});
  std::vector<std::int64_t> odd;
  for (std::int64_t i = 1; i < 103; i += 2) odd.push_back(i);
  EXPECT_EQ(run.flat(), odd);
  const auto b = run.stats()["nodes"]["b"];
  EXPECT_EQ(b["in"], 103);
  EXPECT_EQ(b["out"], 51);
  EXPECT_EQ(b["dropped"], 52);
}

TEST_F(FlowTest, BlockingAndAsyncOpsKeepTheOrderToo) {
  for (const char* op :
       {"{op: test.blocking, from: a}", "{op: test.async, from: a}",
        "{op: test.async, from: a, with: {early: true}}", "{op: test.blocking, from: a, concurrency: 3}",
        "{op: test.noop, from: a, concurrency: 1}"}) {
    GraphRun run(kChain, {std::string("nodes.b=") + op});
    EXPECT_EQ(run.flat(), range(103)) << op;
  }
}

TEST_F(FlowTest, AnAsyncFailureIsSkippedLikeAnyOther) {
  GraphRun run(kChain,
               {"nodes.b={op: test.async, from: a, with: {fail_every: 10}, on_error: {action: skip}}"});
  EXPECT_EQ(run.flat().size(), 92U) << run.failure();
}

TEST_F(FlowTest, ConcurrencyIsKeptTo) {
  GraphRun run(kChain, {"nodes.b={op: test.concurrent, from: a, concurrency: 3}", "runtime.io_threads=8"});
  EXPECT_EQ(run.flat(), range(103));
  EXPECT_LE(Stand::get().concurrent_max, 3);
  Stand::get().reset();
  GraphRun serial(kChain,
                  {"nodes.b={op: test.concurrent, from: a, with: {serial: true}}", "runtime.io_threads=8"});
  EXPECT_EQ(serial.flat(), range(103));
  EXPECT_EQ(Stand::get().concurrent_max, 1);
}

TEST_F(FlowTest, AnOrderedOpSeesTheStreamInOrder) {
  GraphRun run(kChain, {"nodes.b={op: test.ordered, from: a}", "runtime.threads=8"}, {.epochs = 2});
  run.flat();
  run.flat();
  auto twice = range(103);
  const auto once = twice;
  twice.insert(twice.end(), once.begin(), once.end());
  EXPECT_EQ(Stand::get().seen, twice);
}

TEST_F(FlowTest, StreamsEndAndBeginAgain) {
  for (const char* blocking : {"true", "false"}) {
    GraphRun run(kChain,
                 {std::string("nodes.count={op: test.stream, with: {n: 57, blocking: ") + blocking + "}}"},
                 {.epochs = 2});
    EXPECT_EQ(run.flat(), range(57)) << blocking;
    EXPECT_EQ(run.flat(), range(57)) << blocking;
  }
}

TEST_F(FlowTest, AnOutputMayBeOfSingleRecords) {
  GraphRun run(R"(
version: 1
nodes:
  count: {op: test.count, with: {n: 20}}
  a: {op: test.jitter, from: count}
outputs: {out: {from: a, fields: [index]}}
)");
  EXPECT_EQ(run.flat(), range(20));
}

}  // namespace
}  // namespace headrace::test
