// SPDX-License-Identifier: Apache-2.0
//
// Graphs that are no chain: fan-out, zip, mix, shuffle, expand, transfer, groups, several outputs; and what
// ops may do with the suites.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <numeric>
#include <set>
#include <thread>

#include "tests/runtime/flow/harness.h"
#include "tests/runtime/flow/test_ops.h"

namespace headrace::test {
namespace {

std::vector<std::int64_t> sorted(std::vector<std::int64_t> v) {
  std::sort(v.begin(), v.end());
  return v;
}

/// The graph with one more node.
std::string with_node(std::string text, const std::string& node) {
  const std::string nodes = "nodes:\n";
  return text.insert(text.find(nodes) + nodes.size(), "  " + node + "\n");
}

class TopologyTest : public testing::Test {
 protected:
  void SetUp() override { Stand::get().reset(); }
  void TearDown() override { expect_nothing_left(); }
};

const char* const kTwoViews = R"(
version: 1
runtime: {threads: 4}
nodes:
  count: {op: test.count, with: {n: 200, shuffle: true}}
  a: {op: test.jitter, from: count}
  b: {op: test.jitter, from: count}
  a2: {op: test.fill, from: a, with: {size: 5}}
  b2: {op: test.fill, from: b, with: {size: 7}}
  zip: {op: flow.zip, from: [a2, b2], with: {suffixes: [_a, _b]}}
  batch: {op: batch.stack, from: zip, with: {size: 9, last: partial}}
outputs: {out: {from: batch}}
)";

TEST_F(TopologyTest, ZipPairsTheBranchesOfEachSample) {
  for (const char* order : {"strict", "any"}) {
    GraphRun run(kTwoViews, {std::string("runtime.order=") + order}, {.epochs = 2});
    for (int e = 0; e < 2; ++e) {
      std::vector<std::int64_t> all;
      while (const auto batch = run.next()) {
        const auto a = integers(value_of(*batch, "index_a"));
        EXPECT_EQ(a, integers(value_of(*batch, "index_b")));
        const auto* data = static_cast<const float*>(value_of(*batch, "data_b").data);
        for (std::size_t r = 0; r < a.size(); ++r) EXPECT_EQ(data[r * 7 + 6], static_cast<float>(a[r]));
        all.insert(all.end(), a.begin(), a.end());
      }
      EXPECT_EQ(all.size(), 200U) << run.failure();
      EXPECT_EQ(std::set<std::int64_t>(all.begin(), all.end()).size(), 200U);
    }
  }
}

TEST_F(TopologyTest, ADropOnOneBranchDropsItsPartnerAndIsCountedOnce) {
  GraphRun run(kTwoViews, {"nodes.b={op: test.drop, from: count, with: {every: 4}}"}, {.epochs = 2});
  for (int e = 0; e < 2; ++e) {
    const auto all = run.flat("index_a");
    EXPECT_EQ(all.size(), 150U);
    for (const std::int64_t i : all) EXPECT_NE(i % 4, 0);
  }
  const auto nodes = run.stats()["nodes"];
  EXPECT_EQ(nodes["b"]["dropped"], 100);
  EXPECT_EQ(nodes["zip"]["dropped"], 0);
}

TEST_F(TopologyTest, AFailureOnOneBranchIsSkippedForBoth) {
  GraphRun run(
      kTwoViews,
      {"nodes.a={op: test.fail, from: count, with: {every: 10, late: true}, on_error: {action: skip}}"});
  EXPECT_EQ(run.flat("index_b").size(), 180U) << run.failure();
  EXPECT_EQ(run.stats()["skipped"], 20);
}

TEST_F(TopologyTest, ASampleThatFailsOnBothBranchesIsOneSkippedSample) {
  GraphRun run(kTwoViews,
               {"nodes.a={op: test.fail, from: count, with: {every: 10}, on_error: {action: skip}}",
                "nodes.b={op: test.fail, from: count, with: {every: 10}, on_error: {action: skip}}"});
  EXPECT_EQ(run.flat("index_b").size(), 180U) << run.failure();
  EXPECT_EQ(run.stats()["skipped"], 20);
}

TEST_F(TopologyTest, ZipEndsWithTheShorterOfTwoSources) {
  GraphRun run(with_node(kTwoViews, "other: {op: test.count, with: {n: 150}}"),
               {"nodes.b={op: test.noop, from: other}", "nodes.count.with.shuffle=false"}, {.epochs = 2});
  for (int e = 0; e < 2; ++e) EXPECT_EQ(run.flat("index_a").size(), 150U) << run.failure();
}

const char* const kShuffle = R"(
version: 1
nodes:
  stream: {op: test.stream, with: {n: 500}}
  shuffle: {op: flow.shuffle, from: stream, with: {window: 64}}
  fill: {op: test.fill, from: shuffle, with: {size: 4}}
  batch: {op: batch.stack, from: fill, with: {size: 10}}
outputs: {out: {from: batch}}
)";

TEST_F(TopologyTest, ShuffleGivesEachOnceInAnotherOrderEachEpochAndTheSameEachRun) {
  GraphRun run(kShuffle, {"runtime.threads=4"}, {.epochs = 2});
  GraphRun again(kShuffle, {"runtime.threads=1"}, {.epochs = 2});
  const auto first = run.flat();
  const auto second = run.flat();
  EXPECT_EQ(first, again.flat());
  EXPECT_EQ(second, again.flat());
  EXPECT_NE(first, second);
  std::vector<std::int64_t> all(500);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_NE(first, all);
  EXPECT_EQ(sorted(first), all);
  // A record cannot come earlier than the window allows.
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_LE(first[i], static_cast<std::int64_t>(i) + 64);
}

TEST_F(TopologyTest, ShuffleOnABranchStillPairs) {
  GraphRun run(with_node(kTwoViews, "shuffle: {op: flow.shuffle, from: b, with: {window: 10}}"),
               {"nodes.b2.from=shuffle", "nodes.count.tokens=64"}, {.epochs = 2});
  for (int e = 0; e < 2; ++e) EXPECT_EQ(run.flat("index_a").size(), 200U) << run.failure();
}

// Records whose size no spec tells must be able to fill the window before any has shown its size.
TEST_F(TopologyTest, ShuffleTakesRecordsOfUnknownSize) {
  for (const char* threads : {"1", "4"}) {
    GraphRun run(R"(
version: 1
nodes:
  count: {op: test.count, with: {n: 100}}
  fill: {op: test.fill, from: count, with: {size: 1000, unknown: true}}
  shuffle: {op: flow.shuffle, from: fill, with: {window: 20}}
outputs: {out: {from: shuffle, fields: [index]}}
)",
                 {std::string("runtime.threads=") + threads});
    EXPECT_EQ(run.flat().size(), 100U) << run.failure();
  }
}

// A window may be as large as its segment, in items or in bytes, and records may be dropped before it.
TEST_F(TopologyTest, AFullWindowGoesOnWhenRecordsAreDroppedBeforeIt) {
  for (const char* tokens : {"64", "{bytes: 2KiB}", "{items: 64, bytes: 1KiB}"}) {
    for (const char* order : {"strict", "any"}) {
      GraphRun run(with_node(kShuffle, "drop: {op: test.drop, from: stream, with: {every: 3}}"),
                   {"nodes.shuffle.from=drop", std::string("nodes.shuffle.tokens=") + tokens,
                    std::string("runtime.order=") + order, "nodes.stream.tokens=1"},
                   {.epochs = 2});
      for (int e = 0; e < 2; ++e) EXPECT_EQ(run.flat().size(), 330U) << tokens << run.failure();
    }
  }
}

TEST_F(TopologyTest, DropsBeforeAShuffledBranchStillReachTheJoin) {
  GraphRun run(
      with_node(with_node(kTwoViews, "shuffle: {op: flow.shuffle, from: b, with: {window: 10}, tokens: 11}"),
                "c: {op: test.drop, from: count, with: {every: 5}}"),
      {"nodes.b.from=c", "nodes.b2.from=shuffle"}, {.epochs = 2});
  for (int e = 0; e < 2; ++e) EXPECT_EQ(run.flat("index_a").size(), 160U) << run.failure();
}

const char* const kMix = R"(
version: 1
nodes:
  a: {op: test.stream, with: {n: 300}}
  b: {op: test.stream, with: {n: 100}}
  b_index: {op: test.jitter, from: b}
  a_index: {op: test.noop, from: a}
  mix: {op: flow.mix, from: [a_index, b_index], with: {weights: [3, 1], ends: all}}
  batch: {op: batch.stack, from: mix, with: {size: 8, last: partial}}
outputs: {out: {from: batch, fields: [index]}}
)";

TEST_F(TopologyTest, MixGivesAllOfItsInputsWhenItEndsWithAll) {
  GraphRun run(kMix, {"runtime.threads=4"}, {.epochs = 2});
  GraphRun again(kMix, {"runtime.threads=1", "nodes.a_index={op: test.jitter, from: a}"}, {.epochs = 2});
  for (int e = 0; e < 2; ++e) {
    const auto all = run.flat();
    EXPECT_EQ(all.size(), 400U) << run.failure();
    EXPECT_EQ(all, again.flat());
  }
}

TEST_F(TopologyTest, MixEndsWithTheFirst) {
  GraphRun run(kMix, {"nodes.mix.with.ends=first", "nodes.b.with.n=10"}, {.epochs = 2});
  for (int e = 0; e < 2; ++e) {
    const auto all = run.flat();
    EXPECT_LT(all.size(), 310U);
    EXPECT_GT(all.size(), 10U);
  }
}

const char* const kExpand = R"(
version: 1
nodes:
  count: {op: test.count, with: {n: 60}}
  children: {op: test.children, from: count, with: {n: 3, vary: true}}
  a: {op: test.jitter, from: children}
  fill: {op: test.fill, from: a, with: {size: 3}}
  batch: {op: batch.stack, from: fill, with: {size: 7, last: partial}}
outputs: {out: {from: batch}}
)";

TEST_F(TopologyTest, ExpandGivesEveryChildInOrder) {
  for (const char* tokens : {"1", "2", "50"}) {
    GraphRun run(kExpand, {"runtime.threads=4", std::string("nodes.children.tokens=") + tokens},
                 {.epochs = 2});
    for (int e = 0; e < 2; ++e) {
      std::vector<std::int64_t> index;
      std::vector<std::int64_t> child;
      while (const auto batch = run.next()) {
        for (const std::int64_t i : integers(value_of(*batch, "index"))) index.push_back(i);
        for (const std::int64_t i : integers(value_of(*batch, "child"))) child.push_back(i);
      }
      std::vector<std::int64_t> want_index;
      std::vector<std::int64_t> want_child;
      for (std::int64_t i = 0; i < 60; ++i) {
        for (std::int64_t c = 0; c < i % 4; ++c) {
          want_index.push_back(i);
          want_child.push_back(c);
        }
      }
      EXPECT_EQ(index, want_index) << run.failure();
      EXPECT_EQ(child, want_child);
    }
  }
}

TEST_F(TopologyTest, ChildrenDrawApart) {
  GraphRun run(kExpand, {"nodes.fill={op: test.draw, from: a}"});
  const auto drawn = run.flat("drawn");
  EXPECT_EQ(std::set<std::int64_t>(drawn.begin(), drawn.end()).size(), drawn.size());
}

TEST_F(TopologyTest, DrawsAreTheSameAtAnyThreadCountAndDifferByNodeSeedAndEpoch) {
  const std::string node = "nodes.fill={op: test.draw, from: a}";
  GraphRun run(kExpand, {node, "runtime.threads=4"}, {.epochs = 2});
  GraphRun again(kExpand, {node, "runtime.threads=1"});
  const auto first = run.flat("drawn");
  EXPECT_EQ(first, again.flat("drawn"));
  EXPECT_NE(first, run.flat("drawn"));
  GraphRun seeded(kExpand, {node, "runtime.seed=7"});
  EXPECT_NE(first, seeded.flat("drawn"));
}

TEST_F(TopologyTest, GroupsFillBatchesOfTheirOwn) {
  GraphRun run(R"(
version: 1
nodes:
  count: {op: test.count, with: {n: 25}}
  a: {op: test.jitter, from: count}
  batch: {op: test.parity, from: a, with: {size: 4}}
outputs: {out: {from: batch}}
)");
  const auto batches = run.epoch();
  ASSERT_EQ(batches.size(), 7U) << run.failure();
  EXPECT_EQ(batches[0], (std::vector<std::int64_t>{0, 2, 4, 6}));
  EXPECT_EQ(batches[1], (std::vector<std::int64_t>{1, 3, 5, 7}));
  for (const auto& b : batches) {
    for (const std::int64_t i : b) EXPECT_EQ(i % 2, b[0] % 2);
  }
}

const char* const kTransfer = R"(
version: 1
nodes:
  count: {op: test.count, with: {n: 100}}
  touch: {op: test.noop, from: count}
  batch: {op: batch.stack, from: touch, with: {size: 10}}
  upload: {op: test.transfer, from: batch}
outputs: {out: {from: upload}}
)";

TEST_F(TopologyTest, ATransferKeepsOrderAndCounts) {
  GraphRun run(kTransfer, {"nodes.upload.tokens=2", "runtime.threads=4"}, {.epochs = 2});
  for (int e = 0; e < 2; ++e) EXPECT_EQ(run.epoch().size(), 10U) << run.failure();
}

TEST_F(TopologyTest, SeveralOutputsAreFedFromOneGraph) {
  GraphRun run(R"(
version: 1
nodes:
  count: {op: test.count, with: {n: 100}}
  a: {op: test.noop, from: count}
  b: {op: test.drop, from: count, with: {every: 2}}
  batch_a: {op: batch.stack, from: a, with: {size: 10}}
  batch_b: {op: batch.stack, from: b, with: {size: 5}}
outputs:
  all: {from: batch_a}
  odd: {from: batch_b}
)");
  std::vector<std::int64_t> odd;
  std::thread other([&] { odd = run.flat("index", 1); });
  const auto all = run.flat("index", 0);
  other.join();
  EXPECT_EQ(all.size(), 100U) << run.failure();
  EXPECT_EQ(odd.size(), 50U);
}

TEST_F(TopologyTest, BatchesOfBatchesCountTheirSamples) {
  GraphRun run(R"(
version: 1
nodes:
  count: {op: test.stream, with: {n: 26}}
  inner: {op: batch.stack, from: count, with: {size: 3}}
  outer: {op: batch.stack, from: inner, with: {size: 2, last: partial}}
outputs:
  all: {from: outer}
)");
  std::vector<std::uint64_t> rows;
  while (const auto batch = run.next()) rows.push_back(batch->rows);
  EXPECT_EQ(rows, (std::vector<std::uint64_t>{6, 6, 6, 6})) << run.failure();
  const auto stats = run.stats();
  EXPECT_EQ(stats["delivered"], 24);
  EXPECT_EQ(stats["nodes"]["inner"]["dropped"], 2);
}

TEST_F(TopologyTest, ABatchThatIsSkippedCountsAllItsSamples) {
  GraphRun run(R"(
version: 1
nodes:
  count: {op: test.stream, with: {n: 40}}
  batch: {op: batch.stack, from: count, with: {size: 4}}
  fail: {op: test.fail, from: batch, with: {every: 5}, on_error: {action: skip}}
outputs:
  all: {from: fail}
)");
  while (run.next()) {
  }
  const auto stats = run.stats();
  EXPECT_EQ(stats["nodes"]["fail"]["skipped"], 2) << run.failure();
  EXPECT_EQ(stats["skipped"], 8);
  EXPECT_EQ(stats["delivered"], 32);
}

TEST_F(TopologyTest, OutputsOfOneNodeDeliverTheSameSamplesAndOthersNobodyKnows) {
  const std::string text = R"(
version: 1
nodes:
  count: {op: test.stream, with: {n: 20}}
  batch: {op: batch.stack, from: count, with: {size: 5}}
outputs:
  a: {from: batch}
  b: {from: batch}
)";
  const std::string apart = with_node(text, "other: {op: test.noop, from: batch}");
  for (const bool together : {true, false}) {
    GraphRun run(together ? text : apart, {together ? "outputs.b.from=batch" : "outputs.b.from=other"});
    std::thread second([&] { run.flat("index", 1); });
    run.flat("index", 0);
    second.join();
    const auto stats = run.stats();
    EXPECT_EQ(stats["samples"], 40) << run.failure();
    EXPECT_EQ(stats["delivered"], together ? nlohmann::json(20) : nlohmann::json());
    EXPECT_EQ(stats["outputs"]["a"]["samples"], 20);
  }
}

// Between taking a record out and giving its token back the consumer is what makes the graph go on.
TEST_F(TopologyTest, AnOutputBesideABatchNeedsOneTokenOnly) {
  for (int i = 0; i < 5; ++i) {
    GraphRun run(R"(
version: 1
runtime: {threads: 1}
nodes:
  count: {op: test.count, with: {n: 3000}, tokens: 1}
  batch: {op: batch.stack, from: count, with: {size: 7, last: partial}}
outputs:
  batches: {from: batch}
  records: {from: count, fields: [index]}
)");
    std::size_t records = 0;
    std::thread other([&] { records = run.flat("index", 1).size(); });
    EXPECT_EQ(run.flat("index", 0).size(), 3000U) << run.failure();
    other.join();
    EXPECT_EQ(records, 3000U);
  }
}

TEST_F(TopologyTest, AnUnwrittenOutputIsTheOpsFault) {
  GraphRun run(R"(
version: 1
runtime: {threads: 1}
nodes:
  count: {op: test.count, with: {n: 4}}
  forget: {op: test.forget, from: count}
  batch: {op: batch.stack, from: forget, with: {size: 2}}
outputs: {out: {from: batch}}
)");
  run.flat();
  EXPECT_EQ(run.failure(),
            "node 'forget', sample 0 of epoch 0 (item-0): the op did not write its output 'forgotten'");
}

TEST_F(TopologyTest, AdoptedMemoryIsGivenBackOnceEvenAfterTheEnd) {
  std::vector<std::unique_ptr<Delivered>> kept;
  {
    GraphRun run(R"(
version: 1
nodes:
  count: {op: test.count, with: {n: 40}}
  adopt: {op: test.adopt, from: count}
outputs: {out: {from: adopt, fields: [own]}}
)");
    while (auto record = run.next()) kept.push_back(std::move(record));
  }
  ASSERT_EQ(kept.size(), 40U);
  EXPECT_EQ(Stand::get().live_item_states, 40);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    EXPECT_EQ(integers(value_of(*kept[i], "own")),
              (std::vector<std::int64_t>{static_cast<std::int64_t>(i), 7}));
  }
}

TEST_F(TopologyTest, ParallelForAndAsyncReadsWorkInACall) {
  const std::string path = testing::TempDir() + "headrace_read_async.txt";
  std::ofstream(path) << "0123456789";
  GraphRun run(R"(
version: 1
nodes:
  count: {op: test.count, with: {n: 50}}
  sum: {op: test.sum, from: count, with: {n: 100}}
  read: {op: test.read_async, from: sum, with: {path: "PATH", size: 4}}
  batch: {op: batch.stack, from: read, with: {size: 10}}
outputs: {out: {from: batch}}
)",
               {"nodes.read.with.path=" + path, "runtime.threads=4"});
  std::size_t batches = 0;
  while (const auto batch = run.next()) {
    ++batches;
    EXPECT_EQ(integers(value_of(*batch, "sum")), std::vector<std::int64_t>(10, 4950));
    const headrace_value& head = value_of(*batch, "head");
    ASSERT_EQ(head.kind, HEADRACE_BYTES_LIST);
    const auto* texts = static_cast<const headrace_text*>(head.data);
    EXPECT_EQ(std::string(texts[9].data, texts[9].size), "0123");
  }
  EXPECT_EQ(batches, 5U) << run.failure();
}

TEST_F(TopologyTest, ShapesKnownOnlySampleBySampleAreCollatedByCopy) {
  GraphRun run(R"(
version: 1
nodes:
  count: {op: test.count, with: {n: 30}}
  fill: {op: test.fill, from: count, with: {size: 6, unknown: true}}
  batch: {op: batch.stack, from: fill, with: {size: 4, last: partial}}
outputs: {out: {from: batch}}
)");
  std::size_t n = 0;
  while (const auto batch = run.next()) {
    const headrace_value& data = value_of(*batch, "data");
    EXPECT_EQ(data.shape[1], 6);
    EXPECT_EQ(static_cast<const float*>(data.data)[0], static_cast<float>(n));
    n += batch->rows;
  }
  EXPECT_EQ(n, 30U) << run.failure();
}

}  // namespace
}  // namespace headrace::test
