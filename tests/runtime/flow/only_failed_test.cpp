// SPDX-License-Identifier: Apache-2.0
//
// Runs that are confined to the samples of a ledger.
#include <gtest/gtest.h>

#include <string>

#include "tests/runtime/flow/harness.h"
#include "tests/runtime/flow/test_ops.h"

namespace headrace::test {
namespace {

class OnlyFailedTest : public testing::Test {
 protected:
  void SetUp() override { Stand::get().reset(); }
  void TearDown() override { expect_nothing_left(); }
};

/// Runs the graph to its end; gives its ledger.
std::string ledger_of(const std::string& graph, std::int64_t epochs) {
  PipelineOptions options;
  options.epochs = epochs;
  GraphRun run(graph, {}, options);
  for (std::int64_t e = 0; e < epochs; ++e) {
    while (run.next() != nullptr) {
    }
  }
  std::string text;
  std::uint64_t next = 0;
  const Status status = run.pipeline().write_ledger(
      0,
      [&](std::string_view lines) {
        text += lines;
        return Status();
      },
      next);
  EXPECT_TRUE(status.ok());
  return text;
}

PipelineOptions only(const std::string& ledger) {
  Result<NamedSamples> named = read_ledger(ledger);
  EXPECT_TRUE(named.ok()) << named.status().message();
  PipelineOptions options;
  options.only = std::make_shared<NamedSamples>(std::move(named).value());
  return options;
}

const std::string kIndexed = R"(
version: 1
nodes:
  count: {op: test.count, with: {n: 60, shuffle: true}}
  fail: {op: test.fail, from: count, with: {every: 20, offset: 7}, on_error: skip}
outputs: {out: {from: fail, fields: [index]}}
)";

TEST_F(OnlyFailedTest, RunsEachOnceInTheOrderOfTheListing) {
  const std::string ledger = ledger_of(kIndexed, 3);
  {
    GraphRun again(kIndexed, {}, only(ledger));
    EXPECT_TRUE(again.flat().empty());
    EXPECT_EQ(again.last(), Pipeline::Next::end) << again.failure();
    EXPECT_EQ(again.stats()["epochs"][0]["admitted"], 3);
    EXPECT_EQ(again.stats()["epochs"][0]["skipped"], 3);
  }
  GraphRun mended(kIndexed, {"nodes.fail.with.every=1000", "nodes.fail.with.offset=999"}, only(ledger));
  EXPECT_EQ(mended.flat(), (std::vector<std::int64_t>{7, 27, 47}));
  EXPECT_EQ(mended.stats()["epochs"][0]["delivered"], 3);
}

TEST_F(OnlyFailedTest, PicksThemOutOfAStream) {
  const std::string graph = R"(
version: 1
nodes:
  stream: {op: test.stream, with: {n: 60}}
  fail: {op: test.fail, from: stream, with: {every: 20, offset: 7}, on_error: skip}
  batch: {op: batch.stack, from: fail, with: {size: 2, last: partial}}
outputs: {out: {from: batch, fields: [index]}}
)";
  const std::string ledger = ledger_of(graph, 1);
  GraphRun mended(graph, {"nodes.fail.with.offset=19"}, only(ledger));
  EXPECT_EQ(mended.flat(), (std::vector<std::int64_t>{7, 27, 47}));
  EXPECT_EQ(mended.last(), Pipeline::Next::end) << mended.failure();
  EXPECT_EQ(mended.stats()["epochs"][0]["admitted"], 3);
}

TEST_F(OnlyFailedTest, AnEmptyListEndsAtOnce) {
  const std::string ledger = ledger_of(
      "version: 1\nnodes:\n  count: {op: test.count, with: {n: 5}}\noutputs: {out: {from: count}}\n", 1);
  GraphRun run(kIndexed, {}, only(ledger));
  EXPECT_TRUE(run.flat().empty());
  EXPECT_EQ(run.last(), Pipeline::Next::end) << run.failure();
  EXPECT_TRUE(run.stats()["epochs"][0]["admitted"] == 0);
}

TEST_F(OnlyFailedTest, ASampleThatIsNowAnotherEndsTheRun) {
  std::string ledger = ledger_of(kIndexed, 1);
  ledger.replace(ledger.find("item-27"), 7, "item-99");
  GraphRun run(kIndexed, {"nodes.fail.with.offset=19", "runtime.threads=1"}, only(ledger));
  run.flat();
  EXPECT_EQ(run.last(), Pipeline::Next::failed);
  EXPECT_NE(run.failure().find("node 'count', sample 27 of epoch 0 (item-27): the ledger, line "),
            std::string::npos)
      << run.failure();
  EXPECT_NE(run.failure().find(", knows it as 'item-99': the listing has changed since"), std::string::npos)
      << run.failure();
}

TEST_F(OnlyFailedTest, RefusesAListingThatHasBecomeShorterAndOtherGraphs) {
  const std::string ledger = ledger_of(kIndexed, 1);
  const auto why = [&](const std::vector<std::string>& sets) {
    return Pipeline::open(plan_of(kIndexed, sets), only(ledger)).status().message();
  };
  EXPECT_NE(why({"nodes.count.with.n=40"}).find("of 'count', which has 40: the listing has changed since"),
            std::string::npos)
      << why({"nodes.count.with.n=40"});
  const std::string other =
      "version: 1\nnodes:\n  files: {op: test.count, with: {n: 60}}\noutputs: {out: {from: files}}\n";
  EXPECT_NE(
      Pipeline::open(plan_of(other), only(ledger)).status().message().find("the graph has no source 'count'"),
      std::string::npos);
}

TEST_F(OnlyFailedTest, RefusesJoinsOfSeveralSources) {
  const std::string graph = R"(
version: 1
nodes:
  a: {op: test.count, with: {n: 10}}
  b: {op: test.count, with: {n: 10}}
  fail: {op: test.fail, from: a, with: {every: 5}, on_error: skip}
  zip: {op: flow.zip, from: [fail, b], with: {suffixes: [_a, _b]}}
outputs: {out: {from: zip, fields: [index_a]}}
)";
  const std::string ledger = ledger_of(graph, 1);
  EXPECT_NE(Pipeline::open(plan_of(graph), only(ledger))
                .status()
                .message()
                .find("node 'zip' joins samples of several sources"),
            std::string::npos);
}

}  // namespace
}  // namespace headrace::test
