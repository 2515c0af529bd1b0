// SPDX-License-Identifier: Apache-2.0
//
// The ledger over graphs of every form: what came in is what came out, was left out, or is under way; and the
// lines that name what failed. What is expected is worked out here from what the ops of `test` do.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <thread>

#include "tests/runtime/flow/harness.h"
#include "tests/runtime/flow/test_ops.h"

namespace headrace::test {
namespace {

using Json = nlohmann::json;

class AccountTest : public testing::Test {
 protected:
  void SetUp() override { Stand::get().reset(); }
  void TearDown() override { expect_nothing_left(); }
};

/// The lines of a ledger from entry `from` on.
std::vector<Json> lines_of(Pipeline& pipeline, std::uint64_t from = 0) {
  std::string text;
  std::uint64_t next = 0;
  const Status status = pipeline.write_ledger(
      from,
      [&](std::string_view lines) {
        text += lines;
        return Status();
      },
      next);
  EXPECT_TRUE(status.ok()) << status.message();
  std::vector<Json> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    lines.push_back(Json::parse(text.substr(at, end - at)));
    at = end + 1;
  }
  return lines;
}

std::vector<Json> failures_in(const std::vector<Json>& lines) {
  std::vector<Json> failures;
  for (const Json& line : lines) {
    if (line.contains("outcome")) failures.push_back(line);
  }
  return failures;
}

std::int64_t sum_of_outcomes(const Json& epoch) {
  std::int64_t sum = 0;
  for (const char* key :
       {"delivered", "skipped", "dropped", "rest", "masked", "padded", "failed", "in_flight"})
    sum += epoch.at(key).get<std::int64_t>();
  return sum;
}

struct Expected {
  std::int64_t admitted = 0;
  std::int64_t skipped = 0;
  std::int64_t dropped = 0;
  std::int64_t rest = 0;
};

/// Runs both epochs of the graph to their ends and compares both accounts, in either order of the stream.
void expect_account(const std::string& graph, const Expected& expected,
                    const std::vector<std::string>& orders = {"strict", "any"}) {
  for (const std::string& order : orders) {
    for (const char* threads : {"1", "4"}) {
      SCOPED_TRACE(order + " with " + threads + " threads\n" + graph);
      PipelineOptions options;
      options.epochs = 2;
      GraphRun run("version: 1\nnodes:\n" + graph,
                   {"runtime.order=" + order, std::string("runtime.threads=") + threads}, options);
      std::vector<std::int64_t> delivered(2, 0);
      for (std::size_t e = 0; e < 2; ++e) {
        while (const auto batch = run.next()) {
          EXPECT_EQ(batch->epoch, e);
          delivered[e] += static_cast<std::int64_t>(batch->rows);
        }
      }
      ASSERT_EQ(run.last(), Pipeline::Next::end) << run.failure();
      const Json epochs = run.stats()["epochs"];
      ASSERT_EQ(epochs.size(), 2U);
      for (std::size_t e = 0; e < 2; ++e) {
        const Json& epoch = epochs[e];
        EXPECT_TRUE(epoch["complete"]);
        EXPECT_EQ(epoch["delivered"], delivered[e]);
        EXPECT_EQ(epoch["admitted"], expected.admitted) << epoch;
        EXPECT_EQ(epoch["skipped"], expected.skipped) << epoch;
        EXPECT_EQ(epoch["dropped"], expected.dropped) << epoch;
        EXPECT_EQ(epoch["rest"], expected.rest) << epoch;
        EXPECT_EQ(epoch["in_flight"], 0) << epoch;
        EXPECT_EQ(sum_of_outcomes(epoch), expected.admitted) << epoch;
      }
    }
  }
}

TEST_F(AccountTest, OfAChainThatSkipsFiltersAndLeavesARest) {
  // 100 samples: 15 fail (0, 7, ...), of the others those with 3 at the end (8 of 10, 63 and 7*.. apart) are
  // dropped.
  Expected expected{.admitted = 100};
  for (std::int64_t i = 0; i < 100; ++i) {
    if (i % 7 == 0) {
      ++expected.skipped;
    } else if (i % 10 == 3) {
      ++expected.dropped;
    }
  }
  const std::int64_t left = expected.admitted - expected.skipped - expected.dropped;
  const std::string chain = R"(
  count: {op: test.count, with: {n: 100, shuffle: true}}
  fail: {op: test.fail, from: count, with: {every: 7, late: true}, on_error: skip}
  drop: {op: test.drop, from: fail, with: {every: 10, offset: 3}}
)";
  expected.rest = left % 8;
  expect_account(
      chain + "  batch: {op: batch.stack, from: drop, with: {size: 8}}\noutputs: {out: {from: batch}}\n",
      expected);
  expected.rest = 0;
  expect_account(chain +
                     "  batch: {op: batch.stack, from: drop, with: {size: 8, last: partial}}\noutputs: {out: "
                     "{from: batch}}\n",
                 expected);
  expect_account(chain + "outputs: {out: {from: drop}}\n", expected);
}

TEST_F(AccountTest, OfAStream) {
  const std::string stream = R"(
  stream: {op: test.stream, with: {n: 50, blocking: true}}
  fail: {op: test.async, from: stream, with: {fail_every: 9}, on_error: skip}
  batch: {op: batch.stack, from: fail, with: {size: 10}}
outputs: {out: {from: batch}}
)";
  expect_account(stream, {.admitted = 50, .skipped = 6, .rest = 4});
}

TEST_F(AccountTest, OfAForkThatComesTogether) {
  // Fails on the left: 0, 6, ..; drops on the right: 0, 4, ..; a sample that did both counts once, as a
  // failure.
  Expected expected{.admitted = 60};
  for (std::int64_t i = 0; i < 60; ++i) {
    if (i % 6 == 0) {
      ++expected.skipped;
    } else if (i % 4 == 0) {
      ++expected.dropped;
    }
  }
  expected.rest = (60 - expected.skipped - expected.dropped) % 7;
  expect_account(R"(
  count: {op: test.count, with: {n: 60}}
  left: {op: test.fail, from: count, with: {every: 6, late: true}, on_error: skip}
  right: {op: test.drop, from: count, with: {every: 4}}
  zip: {op: flow.zip, from: [left, right], with: {suffixes: [_l, _r]}}
  batch: {op: batch.stack, from: zip, with: {size: 7}}
outputs: {out: {from: batch, fields: [index_l]}}
)",
                 expected);
}

TEST_F(AccountTest, OfASampleThatFailsOnBothBranchesAndOfThreeBranches) {
  expect_account(
      R"(
  count: {op: test.count, with: {n: 30}}
  early: {op: test.fail, from: count, with: {every: 10, offset: 5}, on_error: skip}
  a: {op: test.fail, from: early, with: {every: 3}, on_error: skip}
  b: {op: test.fail, from: early, with: {every: 3, late: true}, on_error: skip}
  c: {op: test.drop, from: early, with: {every: 6}}
  zip: {op: flow.zip, from: [a, b, c], with: {suffixes: [_a, _b, _c]}}
outputs: {out: {from: zip, fields: [index_a]}}
)",
      {.admitted = 30, .skipped = 12});  // 5, 15, 25 early, of which 15 also by 3; 0, 3, .. but for 15
}

TEST_F(AccountTest, OfSourcesThatAreZipped) {
  // Two samples of one place become one; what has no partner is dropped.
  expect_account(R"(
  long: {op: test.count, with: {n: 20}}
  short: {op: test.count, with: {n: 14}}
  fail: {op: test.fail, from: long, with: {every: 5}, on_error: skip}
  zip: {op: flow.zip, from: [fail, short], with: {suffixes: [_l, _s]}}
outputs: {out: {from: zip, fields: [index_l]}}
)",
                 // Of places 0 .. 19 fail 0, 5, 10 and, without a partner, 15; 14, 16, .. 19 have none.
                 {.admitted = 20, .skipped = 4, .dropped = 5});
}

TEST_F(AccountTest, OfAMixThatEndsWithItsFirst) {
  const std::string mix = R"(
  a: {op: test.count, with: {n: 30}}
  b: {op: test.count, with: {n: 40}}
  fail: {op: test.fail, from: b, with: {every: 8}, on_error: skip}
  mix: {op: flow.mix, from: [a, fail], with: {weights: [1, 1], ends: all}}
outputs: {out: {from: mix}}
)";
  expect_account(mix, {.admitted = 70, .skipped = 5});
  std::string first = mix;
  first.replace(first.find("ends: all"), 9, "ends: first");
  PipelineOptions options;
  GraphRun run("version: 1\nnodes:\n" + first, {}, options);
  std::int64_t delivered = 0;
  while (run.next() != nullptr) ++delivered;
  const Json epoch = run.stats()["epochs"][0];
  EXPECT_EQ(epoch["admitted"], 70);
  EXPECT_EQ(epoch["dropped"], 65 - delivered) << epoch;
  EXPECT_GT(epoch["dropped"], 0);
  EXPECT_EQ(epoch["in_flight"], 0);
}

TEST_F(AccountTest, OfChildren) {
  // index mod 4 children each: 0, 1, 2, 3, of which the childless are dropped; then each child is a sample.
  constexpr std::int64_t kChildren = 10 * (1 + 2 + 3);
  expect_account(R"(
  count: {op: test.count, with: {n: 40}}
  children: {op: test.children, from: count, with: {n: 3, vary: true}}
  batch: {op: batch.stack, from: children, with: {size: 7}}
outputs: {out: {from: batch}}
)",
                 {.admitted = kChildren + 10, .dropped = 10, .rest = kChildren % 7});
}

TEST_F(AccountTest, OfBatchesOfBatchesBehindAWindow) {
  expect_account(R"(
  stream: {op: test.stream, with: {n: 100}}
  fail: {op: test.fail, from: stream, with: {every: 11}, on_error: skip}
  shuffle: {op: flow.shuffle, from: fail, with: {window: 16}}
  inner: {op: batch.stack, from: shuffle, with: {size: 4}}
  outer: {op: batch.stack, from: inner, with: {size: 3}}
outputs: {out: {from: outer, fields: [index]}}
)",
                 // 90 good: 22 inner batches and 2 left; 7 outer ones and one inner left.
                 {.admitted = 100, .skipped = 10, .rest = 2 + 4});
}

TEST_F(AccountTest, OfBatchesThatFailOrAreDroppedAsAWhole) {
  // The op behind the batch looks at its first index: 0, 4, 8, ...
  expect_account(R"(
  count: {op: test.count, with: {n: 40}}
  batch: {op: batch.stack, from: count, with: {size: 4}}
  fail: {op: test.fail, from: batch, with: {every: 16}, on_error: skip}
  drop: {op: test.drop, from: fail, with: {every: 16, offset: 8}}
outputs: {out: {from: drop, fields: [index]}}
)",
                 {.admitted = 40, .skipped = 12, .dropped = 8}, {"strict"});
}

TEST_F(AccountTest, OfOneNodeWithTwoOutputsCountsEachSampleOnce) {
  PipelineOptions options;
  GraphRun run(R"(
version: 1
nodes:
  count: {op: test.count, with: {n: 20}}
  drop: {op: test.drop, from: count, with: {every: 5}}
outputs: {a: {from: drop}, b: {from: drop, fields: [path]}}
)",
               {}, options);
  std::thread other([&] {
    while (run.next(1) != nullptr) {
    }
  });
  EXPECT_EQ(run.flat("index", 0).size(), 16U);
  other.join();
  const Json epoch = run.stats()["epochs"][0];
  EXPECT_TRUE(epoch["complete"]);
  EXPECT_EQ(epoch["delivered"], 16);
  EXPECT_EQ(epoch["admitted"], 20);
  EXPECT_EQ(epoch["in_flight"], 0);
}

TEST_F(AccountTest, OfOutputsOfTwoNodesSaysThatItDoesNotKnow) {
  GraphRun run(R"(
version: 1
nodes:
  count: {op: test.count, with: {n: 20}}
  few: {op: test.drop, from: count, with: {every: 2}}
outputs: {all: {from: count}, few: {from: few}}
)");
  std::thread other([&] {
    while (run.next(1) != nullptr) {
    }
  });
  while (run.next(0) != nullptr) {
  }
  other.join();
  const Json epoch = run.stats()["epochs"][0];
  EXPECT_EQ(epoch["admitted"], 20);
  EXPECT_EQ(epoch["dropped"], 10);
  EXPECT_TRUE(epoch["delivered"].is_null());
  EXPECT_TRUE(epoch["in_flight"].is_null());
}

TEST_F(AccountTest, OfARunThatIsStoppedHasTheRestInFlight) {
  GraphRun run(R"(
version: 1
nodes:
  count: {op: test.count, with: {n: 1000}}
  drop: {op: test.drop, from: count, with: {every: 9}}
  batch: {op: batch.stack, from: drop, with: {size: 8}}
outputs: {out: {from: batch}}
)");
  for (int b = 0; b < 3; ++b) ASSERT_NE(run.next(), nullptr);
  run.pipeline().stop();
  EXPECT_EQ(run.next(), nullptr);
  const std::vector<Json> lines = lines_of(run.pipeline());
  ASSERT_EQ(lines.size(), 2U);  // the header and the epoch that is not over
  EXPECT_EQ(lines[0]["format"], "headrace-ledger");
  EXPECT_EQ(lines[1]["complete"], false);
  EXPECT_EQ(lines[1]["delivered"], 24);
  EXPECT_EQ(sum_of_outcomes(lines[1]), lines[1]["admitted"]);
  EXPECT_GT(lines[1]["in_flight"], 0);
}

TEST_F(AccountTest, NamesWhatFailedWithItsPlaceAndItsPath) {
  PipelineOptions options;
  options.epochs = 2;
  GraphRun run(R"(
version: 1
name: named
runtime: {seed: 3}
nodes:
  count: {op: test.count, with: {n: 50, shuffle: true}}
  fail: {op: test.fail, from: count, with: {every: 20, offset: 7}, on_error: skip}
outputs: {out: {from: fail, fields: [index]}}
)",
               {}, options);
  run.flat();
  run.flat();
  const std::vector<Json> lines = lines_of(run.pipeline());
  EXPECT_EQ(lines.front()["graph"], "named");
  EXPECT_EQ(lines.front()["seed"], 3);
  EXPECT_EQ(lines.front()["sources"]["count"]["length"], 50);
  const std::vector<Json> failures = failures_in(lines);
  ASSERT_EQ(failures.size(), 6U);
  std::set<std::pair<int, int>> seen;
  for (const Json& line : failures) {
    EXPECT_EQ(line["outcome"], "skipped");
    EXPECT_EQ(line["node"], "fail");
    EXPECT_EQ(line["op"], "test.fail");
    EXPECT_EQ(line["source"], "count");
    EXPECT_EQ(line["reason"], "bad on purpose");
    EXPECT_EQ(line["path"], "item-" + std::to_string(line["index"].get<int>()));
    EXPECT_EQ(line["index"].get<int>() % 20, 7);
    seen.emplace(line["epoch"].get<int>(), line["index"].get<int>());
  }
  EXPECT_EQ(seen.size(), 6U);
  EXPECT_EQ(lines.back()["epoch"], 1);
  EXPECT_EQ(lines_of(run.pipeline(), lines.size() - 1), std::vector<Json>{lines.back()});
  EXPECT_TRUE(lines_of(run.pipeline(), lines.size()).empty());
}

TEST_F(AccountTest, KeepsAFailuresPlaceThroughJoinsAndMixesAndToChildren) {
  for (const std::string middle : {"  again: {op: test.noop, from: count}\n  on: {op: flow.zip, from: "
                                   "[count, again], with: {suffixes: ['', _r]}}\n",
                                   "  none: {op: test.count, with: {n: 0}}\n  on: {op: flow.mix, from: "
                                   "[count, none], with: {ends: all}}\n",
                                   "  on: {op: test.children, from: count, with: {n: 1}}\n"}) {
    SCOPED_TRACE(middle);
    GraphRun run("version: 1\nnodes:\n  count: {op: test.count, with: {n: 30, shuffle: true}}\n" + middle +
                 "  fail: {op: test.fail, from: on, with: {every: 30, offset: 17}, on_error: skip}\n"
                 "outputs: {out: {from: fail, fields: [index]}}\n");
    EXPECT_EQ(run.flat().size(), 29U) << run.failure();
    const std::vector<Json> failures = failures_in(lines_of(run.pipeline()));
    ASSERT_EQ(failures.size(), 1U);
    EXPECT_EQ(failures[0]["index"], 17);
    EXPECT_EQ(failures[0]["path"], "item-17");
  }
}

TEST_F(AccountTest, ABudgetThatIsSpentLeavesItsListBehind) {
  for (const char* threads : {"1", "4"}) {
    GraphRun run(R"(
version: 1
nodes:
  count: {op: test.count, with: {n: 1000}}
  fail: {op: test.fail, from: count, with: {every: 3, offset: 1}, on_error: {action: skip, max_count: 5}}
  batch: {op: batch.stack, from: fail, with: {size: 8}}
outputs: {out: {from: batch}}
)",
                 {std::string("runtime.threads=") + threads});
    run.flat();
    EXPECT_EQ(run.last(), Pipeline::Next::failed);
    const std::vector<Json> lines = lines_of(run.pipeline());
    EXPECT_EQ(failures_in(lines).size(), 6U);
    EXPECT_EQ(lines.back()["skipped"], 6);
    EXPECT_EQ(sum_of_outcomes(lines.back()), lines.back()["admitted"]);
    // The message: the first of them by position, why there was one too many, and each with its path.
    const std::string text = run.failure();
    EXPECT_NE(text.find("; that is the first of 6 failures, and on_error allows 5 an epoch:\n  sample "),
              std::string::npos)
        << text;
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 6) << text;
    std::vector<std::uint64_t> positions;
    for (const Json& line : failures_in(lines)) {
      positions.push_back(line["position"]);
      EXPECT_NE(text.find("(" + line["path"].get<std::string>() + "): bad on purpose"), std::string::npos)
          << text;
    }
    const std::uint64_t first = *std::min_element(positions.begin(), positions.end());
    EXPECT_EQ(text.rfind("node 'fail', sample " + std::to_string(first) + " of epoch 0 (item-", 0), 0U)
        << text;
  }
}

TEST_F(AccountTest, ALongListIsCutAndSaysSo) {
  GraphRun run(R"(
version: 1
runtime: {threads: 1}
nodes:
  count: {op: test.count, with: {n: 1000}}
  fail: {op: test.fail, from: count, with: {every: 2}, on_error: {action: skip, max_fraction: 0.05}}
outputs: {out: {from: fail}}
)");
  run.flat();
  EXPECT_NE(run.failure().find("\n  sample 38 (item-38): bad on purpose\n  and 31 more"), std::string::npos)
      << run.failure();
  EXPECT_EQ(failures_in(lines_of(run.pipeline())).size(), 51U);
}

TEST_F(AccountTest, ASampleThatEndsTheRunIsListedAsFailed) {
  GraphRun run(R"(
version: 1
runtime: {threads: 1}
nodes:
  count: {op: test.count, with: {n: 100}}
  fail: {op: test.fail, from: count, with: {every: 100, offset: 20}}
outputs: {out: {from: fail}}
)");
  run.flat();
  EXPECT_EQ(run.failure(), "node 'fail', sample 20 of epoch 0 (item-20): bad on purpose");
  const std::vector<Json> lines = lines_of(run.pipeline());
  const std::vector<Json> failures = failures_in(lines);
  ASSERT_EQ(failures.size(), 1U);
  EXPECT_EQ(failures[0]["outcome"], "failed");
  EXPECT_EQ(failures[0]["index"], 20);
  EXPECT_EQ(lines.back()["failed"], 1);
}

}  // namespace
}  // namespace headrace::test
