// SPDX-License-Identifier: Apache-2.0
//
// Samples that fail and keep their places: on_error: mask, wherever in the graph they fail.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/runtime/flow/harness.h"
#include "tests/runtime/flow/test_ops.h"

namespace headrace::test {
namespace {

class MaskTest : public testing::Test {
 protected:
  void SetUp() override { Stand::get().reset(); }
  void TearDown() override { expect_nothing_left(); }
};

struct Row {
  std::int64_t index = 0;
  bool counts = true;
  bool operator==(const Row&) const = default;
};

/// `index` is `index_a` where a join had two.
std::vector<Row> rows_of(const Delivered& batch) {
  const bool is_joined = std::find(batch.names.begin(), batch.names.end(), "index_a") != batch.names.end();
  const headrace_value& index = value_of(batch, is_joined ? "index_a" : "index");
  const headrace_value& mask = value_of(batch, "mask");
  EXPECT_EQ(mask.dtype, HEADRACE_BOOL);
  EXPECT_EQ(mask.shape[0], index.shape[0]);
  std::vector<Row> out;
  for (std::int64_t i = 0; i < index.shape[0]; ++i) {
    out.push_back({static_cast<const std::int64_t*>(index.data)[i],
                   static_cast<const std::uint8_t*>(mask.data)[i] != 0});
  }
  return out;
}

std::vector<Row> rows_of_epoch(GraphRun& run) {
  std::vector<Row> out;
  while (const auto batch = run.next()) {
    const auto rows = rows_of(*batch);
    out.insert(out.end(), rows.begin(), rows.end());
  }
  EXPECT_EQ(run.last(), Pipeline::Next::end) << run.failure();
  return out;
}

/// 0 .. n-1, with those that fail in their places.
std::vector<Row> expected(std::int64_t n, std::int64_t every, std::int64_t offset) {
  std::vector<Row> out;
  for (std::int64_t i = 0; i < n; ++i) {
    const bool fails = i % every == offset;
    out.push_back({fails ? 0 : i, !fails});
  }
  return out;
}

const char* const kGraph = R"(
version: 1
vars: {n: 1003, every: 7, offset: 3, last: partial}
nodes:
  count: {op: test.count, with: {n: "${vars.n}"}}
  fail: {op: test.fail, from: count, with: {every: "${vars.every}", offset: "${vars.offset}", late: true}, on_error: mask}
  after: {op: test.jitter, from: fail, with: {us: 20}}
  fill: {op: test.fill, from: after, with: {size: 5}}
  batch: {op: batch.stack, from: fill, with: {size: 10, last: "${vars.last}"}}
outputs: {out: {from: batch}}
)";

TEST_F(MaskTest, KeepsThePlaceOfWhatFailed) {
  for (const char* threads : {"1", "2", "8"}) {
    for (const char* fuse : {"true", "false"}) {
      GraphRun run(kGraph, {std::string("runtime.threads=") + threads, std::string("runtime.fuse=") + fuse},
                   {.epochs = 2});
      for (int e = 0; e < 2; ++e) EXPECT_EQ(rows_of_epoch(run), expected(1003, 7, 3)) << threads;
      const auto stats = run.stats();
      EXPECT_EQ(stats["masked"], 2 * 143);
      EXPECT_EQ(stats["skipped"], 0);
      EXPECT_EQ(stats["delivered"], 2 * 860);
      EXPECT_EQ(stats["rows_moved"], 0);
      EXPECT_EQ(stats["nodes"]["fail"]["masked"], 2 * 143);
      EXPECT_EQ(stats["nodes"]["after"]["in"], 2 * 860) << "no op is called for it";
    }
  }
}

TEST_F(MaskTest, LeavesItsRowBlank) {
  GraphRun run(kGraph);
  while (const auto batch = run.next()) {
    const auto rows = rows_of(*batch);
    const auto* data = static_cast<const float*>(value_of(*batch, "data").data);
    const auto* paths = static_cast<const headrace_text*>(value_of(*batch, "path").data);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t j = 0; j < 5; ++j) {
        EXPECT_EQ(data[5 * i + j], static_cast<float>(rows[i].index));
      }
      const std::string path(paths[i].data, paths[i].size);
      EXPECT_EQ(path, rows[i].counts ? "item-" + std::to_string(rows[i].index) : "");
    }
  }
}

TEST_F(MaskTest, LosesNothingInOrderAny) {
  GraphRun run(kGraph, {"runtime.order=any", "runtime.threads=4"}, {.epochs = 2});
  for (int e = 0; e < 2; ++e) {
    auto rows = rows_of_epoch(run);
    auto wanted = expected(1003, 7, 3);
    const auto before = [](const Row& a, const Row& b) {
      return std::pair(a.counts, a.index) < std::pair(b.counts, b.index);
    };
    std::sort(rows.begin(), rows.end(), before);
    std::sort(wanted.begin(), wanted.end(), before);
    EXPECT_EQ(rows, wanted);
  }
}

TEST_F(MaskTest, AWholeEpochMayBeBlank) {
  GraphRun run(kGraph, {"vars.every=1", "vars.offset=0", "vars.n=20"});
  EXPECT_EQ(rows_of_epoch(run), expected(20, 1, 0));
  EXPECT_EQ(run.stats()["delivered"], 0);
}

TEST_F(MaskTest, ABudgetOfFailuresEndsTheRun) {
  GraphRun run(kGraph, {"nodes.fail.on_error={action: mask, max_count: 5}"});
  while (run.next()) {
  }
  EXPECT_EQ(run.last(), Pipeline::Next::failed);
  EXPECT_NE(run.failure().find("that is the first of 6 failures, and on_error allows 5 an epoch"),
            std::string::npos)
      << run.failure();
}

TEST_F(MaskTest, AMaskedSampleOfTheDroppedRestIsDropped) {
  GraphRun run(kGraph, {"vars.last=drop", "vars.every=1003", "vars.offset=1001"});
  EXPECT_EQ(rows_of_epoch(run).size(), 1000U);
  const auto stats = run.stats();
  EXPECT_EQ(stats["masked"], 0);
  EXPECT_EQ(stats["nodes"]["batch"]["dropped"], 3);
  EXPECT_EQ(stats["delivered"], 1000);
}

TEST_F(MaskTest, PadsAndMasksAtOnce) {
  GraphRun run(kGraph, {"vars.last=pad", "vars.n=23"});
  auto wanted = expected(23, 7, 3);
  for (std::int64_t i = 0; i < 7; ++i) wanted.push_back({i == 3 ? 0 : i, false});
  EXPECT_EQ(rows_of_epoch(run), wanted);
  const auto stats = run.stats();
  EXPECT_EQ(stats["delivered"], 20);
  EXPECT_EQ(stats["masked"], 3);
  EXPECT_EQ(stats["padded"], 7);
}

TEST_F(MaskTest, WorksWhereverASampleFails) {
  const auto run_of = [](const std::string& nodes) {
    return "version: 1\nnodes:\n" + nodes +
           "  batch: {op: batch.stack, from: last, with: {size: 4, last: pad}}\noutputs: {out: {from: "
           "batch}}\n";
  };
  for (const std::string nodes :
       {// on an I/O thread, before a shuffle, and behind an op that wants the stream in order
        "  count: {op: test.count, with: {n: 40}}\n"
        "  io: {op: test.blocking, from: count}\n"
        "  fail: {op: test.fail, from: io, with: {every: 5}, on_error: mask}\n"
        "  mixed: {op: flow.shuffle, from: fail, with: {window: 6}}\n"
        "  last: {op: test.ordered, from: mixed}\n",
        // asynchronously, behind a transfer
        "  count: {op: test.count, with: {n: 40}}\n"
        "  moved: {op: test.transfer, from: count}\n"
        "  last: {op: test.async, from: moved, with: {fail_every: 5}, on_error: mask}\n",
        // on one branch of a fork
        "  count: {op: source.range, with: {n: 40}}\n"
        "  a: {op: test.fail, from: count, with: {every: 5}, on_error: mask}\n"
        "  b: {op: test.fill, from: count, with: {size: 2}}\n"
        "  last: {op: flow.zip, from: [a, b], with: {suffixes: [_a, _b]}}\n"}) {
    for (const char* order : {"strict", "any"}) {
      GraphRun run(run_of(nodes), {std::string("runtime.order=") + order, "runtime.threads=4"},
                   {.epochs = 2});
      for (int e = 0; e < 2; ++e) {
        auto rows = rows_of_epoch(run);
        EXPECT_EQ(rows.size(), 40U);
        EXPECT_EQ(std::count(rows.begin(), rows.end(), Row{0, false}), 8);
        std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.index < b.index; });
        for (std::int64_t i = 0; i < 32; ++i)
          EXPECT_EQ(rows[static_cast<std::size_t>(8 + i)], (Row{i + i / 4 + 1, true}));
      }
      EXPECT_EQ(run.stats()["masked"], 16) << nodes;
      EXPECT_EQ(run.stats()["delivered"], 64);
    }
  }
}

TEST_F(MaskTest, ASampleThatFailsOnSeveralBranchesIsOne) {
  const char* const graph = R"(
version: 1
nodes:
  count: {op: source.range, with: {n: 40}}
  a: {op: test.fail, from: count, with: {every: 5}, on_error: mask}
  b: {op: test.fail, from: count, with: {every: 10}, on_error: mask}
  c: {op: test.drop, from: count, with: {every: 20}}
  zip: {op: flow.zip, from: [a, b, c], with: {suffixes: [_a, _b, _c]}}
  batch: {op: batch.stack, from: zip, with: {size: 38}}
outputs: {out: {from: batch}}
)";
  for (const char* order : {"strict", "any"}) {
    GraphRun run(graph, {std::string("runtime.order=") + order, "runtime.threads=4"});
    EXPECT_EQ(rows_of_epoch(run).size(), 38U);
    EXPECT_EQ(run.stats()["masked"], 6) << "0 and 20 were dropped, 5, 10, 15, 25, 30 and 35 were not";
    EXPECT_EQ(run.stats()["delivered"], 32);
  }
}

TEST_F(MaskTest, APaddedBatchOfChildrenIsFilledWithBlankRows) {
  const char* const graph = R"(
version: 1
nodes:
  count: {op: source.range, with: {n: 7}}
  many: {op: test.children, from: count, with: {n: 2, vary: true}}
  batch: {op: batch.stack, from: many, with: {size: 4, last: pad}}
outputs: {out: {from: batch}}
)";
  GraphRun run(graph, {}, {.epochs = 2});
  // The children of 1, 2, 4 and 5; 0, 3 and 6 have none.
  const std::vector<Row> rows{{1, true}, {2, true}, {2, true},  {4, true},
                              {5, true}, {5, true}, {0, false}, {0, false}};
  for (int e = 0; e < 2; ++e) EXPECT_EQ(rows_of_epoch(run), rows);
  EXPECT_EQ(run.stats()["padded"], 4);
}

TEST_F(MaskTest, APaddedBatchOfEachGroupIsFilledWithBlankRows) {
  const char* const graph = R"(
version: 1
nodes:
  count: {op: test.count, with: {n: 11}}
  batch: {op: test.parity, from: count, with: {size: 4, pad: true}}
outputs: {out: {from: batch}}
)";
  GraphRun run(graph, {}, {.epochs = 2});
  for (int e = 0; e < 2; ++e) {
    const std::vector<Row> rows = rows_of_epoch(run);
    ASSERT_EQ(rows.size(), 16U);
    EXPECT_EQ(std::count(rows.begin(), rows.end(), Row{0, false}), 5);
    for (std::size_t i = 0; i < 16; i += 4) {
      for (std::size_t j = 1; j < 4; ++j) {
        if (rows[i + j].counts) {
          EXPECT_EQ(rows[i + j].index % 2, rows[i].index % 2) << "groups stay apart";
        }
      }
    }
  }
}

TEST_F(MaskTest, AFailedBatchLeavesARowOfTheOuterBatch) {
  const char* const graph = R"(
version: 1
nodes:
  count: {op: source.range, with: {n: 24}}
  inner: {op: batch.stack, from: count, with: {size: 3}}
  fail: {op: test.fail, from: inner, with: {every: 9}, on_error: mask}
  outer: {op: batch.stack, from: fail, with: {size: 4}}
outputs: {out: {from: outer}}
)";
  GraphRun run(graph);
  std::vector<bool> mask;
  std::vector<std::int64_t> index;
  while (const auto batch = run.next()) {
    EXPECT_EQ(batch->rows, 12U);
    const headrace_value& value = value_of(*batch, "mask");
    for (std::int64_t i = 0; i < headrace_value_elements(&value); ++i)
      mask.push_back(static_cast<const std::uint8_t*>(value.data)[i] != 0);
    const auto more = integers(value_of(*batch, "index"));
    index.insert(index.end(), more.begin(), more.end());
  }
  // Batches that begin with 0, 9 and 18 fail.
  EXPECT_EQ(mask, (std::vector<bool>{false, true, true, false, true, true, false, true}));
  EXPECT_EQ(index, (std::vector<std::int64_t>{0,  0,  0,  3,  4,  5,  6, 7, 8, 0,  0,  0,
                                              12, 13, 14, 15, 16, 17, 0, 0, 0, 21, 22, 23}));
  EXPECT_EQ(run.stats()["masked"], 9);
  EXPECT_EQ(run.stats()["delivered"], 15);
}

TEST_F(MaskTest, AnOpThatDropsAndDidNotSaySoIsAtFault) {
  GraphRun run(R"(
version: 1
nodes:
  count: {op: test.count, with: {n: 20}}
  drop: {op: test.drop, from: count, with: {every: 3, declared: false}}
  batch: {op: batch.stack, from: drop, with: {size: 4}}
outputs: {out: {from: batch}}
)",
               {"runtime.threads=1"});
  while (run.next()) {
  }
  EXPECT_EQ(
      run.failure(),
      "node 'drop', sample 0 of epoch 0 (item-0): the op dropped a record and did not declare that it drops");
}

}  // namespace
}  // namespace headrace::test
