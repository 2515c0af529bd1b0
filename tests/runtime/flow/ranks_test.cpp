// SPDX-License-Identifier: Apache-2.0
//
// Several ranks, one pipeline each: who gets what, that all make the same number of steps, and how an epoch
// ends. What is expected is worked out here from the order that one rank alone sees.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/runtime/flow/harness.h"
#include "tests/runtime/flow/test_ops.h"

namespace headrace::test {
namespace {

using Batches = std::vector<std::vector<std::int64_t>>;

class RanksTest : public testing::Test {
 protected:
  void SetUp() override { Stand::get().reset(); }
  void TearDown() override { expect_nothing_left(); }
};

const char* const kGraph = R"(
version: 1
runtime: {seed: 5, threads: 2}
vars: {n: 26, size: 6, last: drop, every: 0, offset: 0}
nodes:
  count: {op: test.count, with: {n: "${vars.n}", shuffle: true}}
  draw: {op: test.draw, from: count}
  fail: {op: test.fail, from: draw, with: {every: "${vars.every}", offset: "${vars.offset}", late: true}, on_error: skip}
  fill: {op: test.fill, from: fail, with: {size: 3}}
  batch: {op: batch.stack, from: fill, with: {size: "${vars.size}", last: "${vars.last}"}}
outputs: {out: {from: batch}}
)";

std::vector<std::string> sets(std::size_t rank, std::size_t world, std::vector<std::string> more) {
  more.push_back("runtime.rank=" + std::to_string(rank));
  more.push_back("runtime.world=" + std::to_string(world));
  return more;
}

std::vector<std::string> shape(std::int64_t n, std::size_t size, const std::string& last) {
  return {"vars.n=" + std::to_string(n), "vars.size=" + std::to_string(size), "vars.last=" + last};
}

/// The order of each epoch, as one rank sees it.
Batches orders(std::int64_t n, std::int64_t epochs) {
  GraphRun run(kGraph, shape(n, 1, "partial"), {.epochs = epochs});
  Batches out;
  for (std::int64_t e = 0; e < epochs; ++e) out.push_back(run.flat());
  return out;
}

/// The steps of one rank in an epoch of `order`: it is laid out, extended or cut to whole global batches, and
/// every world-th is the rank's.
Batches expected(std::vector<std::int64_t> order, std::size_t rank, std::size_t world, std::size_t size,
                 const std::string& last) {
  const std::size_t n = order.size();
  while (last != "drop" && order.size() % (world * size) != 0) order.push_back(order[order.size() - n]);
  Batches out;
  for (std::size_t step = 0; (step + 1) * world * size <= order.size(); ++step) {
    std::vector<std::int64_t>& batch = out.emplace_back();
    for (std::size_t row = 0; row < size; ++row) batch.push_back(order[(step * size + row) * world + rank]);
  }
  return out;
}

std::vector<bool> mask_of(const Delivered& batch) {
  const headrace_value& value = value_of(batch, "mask");
  EXPECT_EQ(value.dtype, HEADRACE_BOOL);
  const auto* data = static_cast<const std::uint8_t*>(value.data);
  return std::vector<bool>(data, data + headrace_value_elements(&value));
}

TEST_F(RanksTest, MakeTheSameStepsAndGetWhatTheOrderSays) {
  struct Case {
    std::int64_t n;
    std::size_t size, world;
  };
  for (const Case& c : {Case{26, 6, 4}, Case{5, 2, 2}, Case{1, 3, 2}, Case{24, 6, 4}, Case{3, 4, 5}}) {
    const Batches each = orders(c.n, 3);
    for (const char* last : {"drop", "pad", "wrap"}) {
      std::set<std::size_t> steps;
      for (std::size_t rank = 0; rank < c.world; ++rank) {
        GraphRun run(kGraph, sets(rank, c.world, shape(c.n, c.size, last)), {.epochs = 3});
        for (const auto& order : each) {
          const Batches got = run.epoch();
          EXPECT_EQ(got, expected(order, rank, c.world, c.size, last)) << last << " " << rank;
          steps.insert(got.size());
        }
      }
      EXPECT_EQ(steps.size(), 1U) << last << " " << c.n;
    }
  }
}

TEST_F(RanksTest, TheMaskSaysWhatPaddingIs) {
  std::uint64_t delivered = 0;
  std::uint64_t padded = 0;
  for (std::size_t rank = 0; rank < 4; ++rank) {
    GraphRun run(kGraph, sets(rank, 4, shape(26, 6, "pad")));
    std::size_t k = 0;
    while (const auto batch = run.next()) {
      EXPECT_EQ(batch->rows, 6U);
      for (const bool real : mask_of(*batch)) EXPECT_EQ(real, k++ * 4 + rank < 26);
    }
    EXPECT_EQ(k, 12U);
    delivered += run.stats()["delivered"].get<std::uint64_t>();
    padded += run.stats()["padded"].get<std::uint64_t>();
  }
  EXPECT_EQ(delivered, 26U);
  EXPECT_EQ(padded, 22U);
}

TEST_F(RanksTest, WrappedRowsCountAndAreCounted) {
  auto settings = sets(1, 2, shape(5, 2, "wrap"));
  settings.emplace_back("nodes.fail.on_error=fail");
  GraphRun run(kGraph, settings);
  const auto batch = run.next();
  for (const auto& name : batch->names) EXPECT_NE(name, "mask");
  while (run.next()) {
  }
  EXPECT_EQ(run.stats()["delivered"], 2);  // positions 1 and 3
  EXPECT_EQ(run.stats()["padded"], 2);     // 5 and 7
}

/// By step: which samples with which draws, over all ranks.
std::map<std::size_t, std::multiset<std::pair<std::int64_t, std::int64_t>>> global_batches(
    std::size_t world, const std::string& last, const std::string& order) {
  std::map<std::size_t, std::multiset<std::pair<std::int64_t, std::int64_t>>> out;
  for (std::size_t rank = 0; rank < world; ++rank) {
    auto settings = sets(rank, world, shape(100, 12 / world, last));
    settings.push_back("runtime.order=" + order);
    GraphRun run(kGraph, settings, {.epochs = 2});
    std::size_t step = 0;
    for (int epoch = 0; epoch < 2; ++epoch) {
      while (const auto batch = run.next()) {
        const auto index = integers(value_of(*batch, "index"));
        const auto drawn = integers(value_of(*batch, "drawn"));
        for (std::size_t i = 0; i < index.size(); ++i) out[step].emplace(index[i], drawn[i]);
        ++step;
      }
    }
  }
  return out;
}

TEST_F(RanksTest, AGlobalBatchIsTheSameForEveryWorldThatDividesIt) {
  for (const char* last : {"drop", "pad", "wrap"}) {
    const auto alone = global_batches(1, last, "strict");
    EXPECT_EQ(alone.size(), std::string(last) == "drop" ? 16U : 18U);
    for (const std::size_t world : {2U, 3U, 4U, 6U})
      EXPECT_EQ(global_batches(world, last, "strict"), alone) << world;
  }
}

TEST_F(RanksTest, OrderAnyGivesEveryRankItsOwn) {
  const auto all_of = [](const char* order) {
    std::multiset<std::pair<std::int64_t, std::int64_t>> all;
    for (const auto& [step, batch] : global_batches(3, "pad", order)) all.insert(batch.begin(), batch.end());
    return all;
  };
  EXPECT_EQ(all_of("any"), all_of("strict"));
}

TEST_F(RanksTest, WhatOneSkipsIsMadeUpThere) {
  // 48 samples, batches of 6 on 2 ranks: 4 steps. Sample 5 fails wherever it is; tokens of one batch, so that
  // the next epoch waits for rows until this one has had them.
  for (const char* last : {"drop", "pad", "wrap"}) {
    for (const char* order : {"strict", "any"}) {
      std::uint64_t blank = 0;
      for (std::size_t rank = 0; rank < 2; ++rank) {
        auto settings = sets(rank, 2, shape(48, 6, last));
        for (const char* more :
             {"vars.every=48", "vars.offset=5", "nodes.batch.tokens=1", "outputs.out.prefetch=1"})
          settings.emplace_back(more);
        settings.push_back(std::string("runtime.order=") + order);
        GraphRun run(kGraph, settings, {.epochs = 3});
        for (int epoch = 0; epoch < 3; ++epoch) {
          std::size_t steps = 0;
          while (const auto batch = run.next()) {
            ++steps;
            const auto index = integers(value_of(*batch, "index"));
            const auto mask = mask_of(*batch);
            const auto* data = static_cast<const float*>(value_of(*batch, "data").data);
            const auto* paths = static_cast<const headrace_text*>(value_of(*batch, "path").data);
            ASSERT_EQ(index.size(), 6U);
            for (std::size_t i = 0; i < 6; ++i) {
              EXPECT_EQ(data[3 * i + 2], static_cast<float>(mask[i] ? index[i] : 0));
              EXPECT_EQ(paths[i].size == 0, !mask[i]);
              blank += mask[i] ? 0 : 1;
            }
          }
          EXPECT_EQ(steps, 4U) << last << order << run.failure();
        }
        EXPECT_EQ(run.stats()["delivered"].get<std::uint64_t>() + run.stats()["skipped"].get<std::uint64_t>(),
                  72U);
        EXPECT_EQ(run.stats()["padded"], run.stats()["skipped"]);
      }
      EXPECT_EQ(blank, 3U);
    }
  }
}

TEST_F(RanksTest, StayInStepWhenAlmostAllFails) {
  for (const char* order : {"strict", "any"}) {
    for (const char* every : {"1", "2", "7"}) {
      auto settings = sets(1, 3, shape(100, 4, "pad"));
      for (const char* more :
           {"vars.offset=0", "nodes.batch.tokens=1", "nodes.count.tokens=2", "outputs.out.prefetch=1"})
        settings.emplace_back(more);
      settings.push_back(std::string("vars.every=") + every);
      settings.push_back(std::string("runtime.order=") + order);
      GraphRun run(kGraph, settings, {.epochs = 4});
      for (int epoch = 0; epoch < 4; ++epoch) {
        std::size_t steps = 0;
        while (run.next()) ++steps;
        EXPECT_EQ(steps, 9U) << order << every << run.failure();
      }
    }
  }
}

TEST_F(RanksTest, RecordsThatAreCopiedAreMadeUpToo) {
  // The shuffle lies between the batch and what writes the fields, so that no row is lent.
  const char* const graph = R"(
version: 1
runtime: {rank: 0, world: 2}
nodes:
  count: {op: test.count, with: {n: 40}}
  fail: {op: test.fail, from: count, with: {every: 4}, on_error: skip}
  mixed: {op: flow.shuffle, from: fail, with: {window: 8}}
  batch: {op: batch.stack, from: mixed, with: {size: 5, last: drop}}
outputs: {out: {from: batch}}
)";
  GraphRun run(graph, {}, {.epochs = 2});
  for (int epoch = 0; epoch < 2; ++epoch) {
    std::vector<std::int64_t> real;
    std::size_t rows = 0;
    while (const auto batch = run.next()) {
      const auto index = integers(value_of(*batch, "index"));
      const auto mask = mask_of(*batch);
      for (std::size_t i = 0; i < index.size(); ++i, ++rows) {
        if (mask[i]) real.push_back(index[i]);
      }
    }
    EXPECT_EQ(rows, 20U);
    std::sort(real.begin(), real.end());
    EXPECT_EQ(real, (std::vector<std::int64_t>{2, 6, 10, 14, 18, 22, 26, 30, 34, 38}));
  }
}

TEST_F(RanksTest, DroppedRecordsAreMadeUp) {
  auto settings = sets(0, 2, shape(48, 6, "drop"));
  settings.emplace_back("nodes.fail={op: test.drop, from: draw, with: {every: 3}}");
  GraphRun run(kGraph, settings);
  std::size_t steps = 0;
  std::size_t real = 0;
  while (const auto batch = run.next()) {
    ++steps;
    for (const bool counts : mask_of(*batch)) real += counts ? 1 : 0;
  }
  EXPECT_EQ(steps, 4U);
  EXPECT_EQ(real, 24U - run.stats()["nodes"]["fail"]["dropped"].get<std::size_t>());
}

TEST_F(RanksTest, AStreamIsDealtInRounds) {
  const char* const graph = R"(
version: 1
vars: {last: drop, blocking: false}
nodes:
  stream: {op: test.stream, with: {n: 57, blocking: "${vars.blocking}"}, tokens: 1}
  batch: {op: batch.stack, from: stream, with: {size: 5, last: "${vars.last}"}}
outputs: {out: {from: batch}}
)";
  for (const char* blocking : {"false", "true"}) {
    for (const std::string last : {"drop", "pad"}) {
      for (std::size_t rank = 0; rank < 4; ++rank) {
        GraphRun run(graph, sets(rank, 4, {"vars.last=" + last, std::string("vars.blocking=") + blocking}),
                     {.epochs = 2});
        for (int epoch = 0; epoch < 2; ++epoch) {
          // 14 whole rounds, and one more record for rank 0.
          std::vector<std::int64_t> mine;
          for (std::int64_t g = static_cast<std::int64_t>(rank); g < 57; g += 4) mine.push_back(g);
          mine.resize(last == "drop" ? 10 : 15);
          EXPECT_EQ(run.flat(), mine) << last << rank << run.failure();
        }
        if (last == "pad") {
          EXPECT_EQ(run.stats()["padded"], rank == 0 ? 0 : 2);
        }
      }
    }
  }
}

TEST_F(RanksTest, AMixOfShardsKeepsStep) {
  const char* const graph = R"(
version: 1
vars: {last: drop}
nodes:
  a: {op: test.count, with: {n: 21}}
  b: {op: test.count, with: {n: 40, shuffle: true}}
  fail: {op: test.fail, from: b, with: {every: 5}, on_error: skip}
  mixed: {op: flow.mix, from: [a, fail], with: {weights: [1, 2], ends: all}}
  batch: {op: batch.stack, from: mixed, with: {size: 4, last: "${vars.last}"}}
outputs: {out: {from: batch}}
)";
  for (const char* last : {"drop", "pad"}) {
    std::set<std::size_t> steps;
    for (std::size_t rank = 0; rank < 3; ++rank) {
      GraphRun run(graph, sets(rank, 3, {std::string("vars.last=") + last}));
      steps.insert(run.epoch().size());
    }
    EXPECT_EQ(steps, std::set<std::size_t>{std::string(last) == "drop" ? 5U : 6U}) << last;
  }
}

TEST_F(RanksTest, ReachTheirShareOfAHugeSetAtOnce) {
  for (std::size_t rank = 0; rank < 3; ++rank) {
    GraphRun run(kGraph, sets(rank, 3, shape(std::int64_t{1} << 40, 6, "pad")));
    const auto batch = run.next();
    ASSERT_NE(batch, nullptr);
    for (const std::int64_t index : integers(value_of(*batch, "index")))
      EXPECT_LT(index, std::int64_t{1} << 40);
  }
}

TEST_F(RanksTest, NestedBatchesKeepTheirMasks) {
  const char* const graph = R"(
version: 1
nodes:
  count: {op: source.range, with: {n: 17}}
  inner: {op: batch.stack, from: count, with: {size: 3, last: pad}}
  outer: {op: batch.stack, from: inner, with: {size: 2, last: pad}}
outputs: {out: {from: outer, fields: [index, mask]}}
)";
  for (std::size_t rank = 0; rank < 2; ++rank) {
    GraphRun run(graph, sets(rank, 2, {}));
    std::size_t k = 0;
    std::size_t batches = 0;
    while (const auto batch = run.next()) {
      ++batches;
      EXPECT_EQ(batch->rows, 6U);
      EXPECT_EQ(value_of(*batch, "mask").ndim, 2);
      EXPECT_EQ(value_of(*batch, "mask").shape[1], 3);
      for (const bool real : mask_of(*batch)) EXPECT_EQ(real, k++ * 2 + rank < 17);
    }
    EXPECT_EQ(batches, 2U);
  }
}

}  // namespace
}  // namespace headrace::test
