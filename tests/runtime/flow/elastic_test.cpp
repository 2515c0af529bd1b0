// SPDX-License-Identifier: Apache-2.0
//
// A job that is stopped on some ranks goes on on others: in step t all ranks together give what they would
// have given, whatever their number, also when it changes more than once in an epoch; and where samples are
// skipped nothing is given twice or not at all.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/runtime/flow/harness.h"
#include "tests/runtime/flow/test_ops.h"

namespace headrace::test {
namespace {

constexpr std::int64_t kEpochs = 2;
constexpr std::size_t kGlobalBatch = 40;

const char* const kGraph = R"(
version: 1
runtime: {seed: 3, threads: 2}
vars: {n: 1003, size: 10, last: drop, every: 0}
nodes:
  count: {op: test.count, with: {n: "${vars.n}", shuffle: true}}
  draw: {op: test.draw, from: count}
  fail: {op: test.fail, from: draw, with: {every: "${vars.every}"}, on_error: skip}
  batch: {op: batch.stack, from: fail, with: {size: "${vars.size}", last: "${vars.last}"}}
outputs: {out: {from: batch}}
)";

struct Job {
  std::string last;
  int every;  ///< of how many samples one fails; 0: none does
};

/// What all ranks give together in a step of an epoch: each sample with what was drawn for it.
using Step = std::multiset<std::pair<std::int64_t, std::int64_t>>;
using Steps = std::map<std::pair<std::uint64_t, std::uint64_t>, Step>;

/// The ranks of a job, one pipeline each, in lockstep.
class World {
 public:
  World(const Job& job, std::size_t world, const std::vector<std::string>& checkpoints = {})
      : is_whole_(job.last != "partial") {
    std::vector<Checkpoint> saved;
    for (const std::string& text : checkpoints) saved.push_back(*read_checkpoint(text));
    for (std::size_t rank = 0; rank < world; ++rank) {
      ranks_.push_back(std::make_unique<GraphRun>(
          kGraph,
          std::vector<std::string>{"runtime.rank=" + std::to_string(rank),
                                   "runtime.world=" + std::to_string(world),
                                   "vars.size=" + std::to_string(kGlobalBatch / world),
                                   "vars.last=" + job.last, "vars.every=" + std::to_string(job.every)},
          PipelineOptions{.epochs = kEpochs, .checkpoints = saved}));
    }
  }

  /// One step of all ranks, or the end of an epoch. False when there is nothing more.
  bool step(Steps& steps) {
    std::size_t given = 0;
    for (const auto& rank : ranks_) {
      if (is_over(*rank)) continue;
      const auto batch = rank->next();
      if (batch == nullptr) {
        EXPECT_EQ(rank->last(), Pipeline::Next::end) << rank->failure();
        if (rank->last() != Pipeline::Next::end) return false;
        continue;
      }
      ++given;
      EXPECT_TRUE(!is_whole_ || batch->rows == kGlobalBatch / ranks_.size()) << batch->rows;
      add(*batch, steps[{batch->epoch, batch->step}]);
    }
    EXPECT_TRUE(given == 0 || given == ranks_.size()) << given << " of the ranks made a step";
    return std::any_of(ranks_.begin(), ranks_.end(), [](const auto& rank) { return !is_over(*rank); });
  }
  void drain(Steps& steps) {
    while (step(steps)) {
    }
  }
  std::vector<std::string> save() {
    std::vector<std::string> texts;
    for (const auto& rank : ranks_) texts.push_back(*rank->pipeline().save());
    return texts;
  }

 private:
  static bool is_over(GraphRun& rank) { return rank.stats()["outputs"]["out"]["epoch"] == kEpochs; }
  static void add(const Delivered& batch, Step& step) {
    const auto index = integers(value_of(batch, "index"));
    const auto drawn = integers(value_of(batch, "drawn"));
    const bool has_mask = std::find(batch.names.begin(), batch.names.end(), "mask") != batch.names.end();
    for (std::size_t row = 0; row < index.size(); ++row) {
      const bool counts = !has_mask || static_cast<const bool*>(value_of(batch, "mask").data)[row];
      if (counts) step.emplace(index[row], drawn[row]);
    }
  }

  const bool is_whole_;
  std::vector<std::unique_ptr<GraphRun>> ranks_;
};

class Elastic : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { Stand::get().reset(); }
  void TearDown() override { expect_nothing_left(); }
};

TEST_P(Elastic, EveryStepGivesTheSameOnAnyNumberOfRanks) {
  const Job job{GetParam(), 0};
  Steps whole;
  World(job, 1).drain(whole);
  EXPECT_EQ(whole.size(), kEpochs * (1003 / kGlobalBatch + (job.last == "drop" ? 0U : 1U)));
  for (const auto& worlds : std::vector<std::vector<std::size_t>>{
           {4, 2}, {4, 8}, {4, 4}, {4, 1}, {1, 5}, {4, 2, 8}, {8, 2, 2, 4}, {2, 4, 8, 1}}) {
    for (const int cut : {0, 1, 11, 24, 25, 26, 30}) {
      Steps all;
      std::vector<std::string> saved;
      for (std::size_t i = 0; i < worlds.size(); ++i) {
        World world(job, worlds[i], saved);
        if (i + 1 == worlds.size()) {
          world.drain(all);
        } else {
          for (int step = 0; step < (i == 0 ? cut : 3); ++step) world.step(all);
          saved = world.save();
        }
      }
      EXPECT_EQ(all, whole) << testing::PrintToString(worlds) << " cut after " << cut;
    }
  }
}

TEST_P(Elastic, WhatIsSkippedMakesNothingMissingOrDoubled) {
  const Job job{GetParam(), 9};
  std::map<std::uint64_t, Step> whole;
  Steps alone;
  World({"partial", 9}, 1).drain(alone);
  for (const auto& [at, step] : alone) whole[at.first].insert(step.begin(), step.end());
  for (const auto& worlds : std::vector<std::vector<std::size_t>>{{4, 2}, {4, 8}, {4, 4}, {4, 8, 2}}) {
    for (const int cut : {1, 11, 20}) {
      Steps steps;
      std::vector<std::string> saved;
      for (std::size_t i = 0; i < worlds.size(); ++i) {
        World world(job, worlds[i], saved);
        if (i + 1 == worlds.size()) {
          world.drain(steps);
        } else {
          for (int step = 0; step < (i == 0 ? cut : 2); ++step) world.step(steps);
          saved = world.save();
        }
      }
      std::map<std::uint64_t, Step> all;
      for (const auto& [at, step] : steps) all[at.first].insert(step.begin(), step.end());
      for (auto& [epoch, given] : all) {
        const std::string where = testing::PrintToString(worlds) + " cut after " + std::to_string(cut);
        if (job.last == "pad") {
          EXPECT_EQ(given, whole[epoch]) << where;
        }
        // drop leaves some out and wrap gives some again, of which none may be another epoch's.
        const std::set<std::pair<std::int64_t, std::int64_t>> once(given.begin(), given.end());
        if (job.last == "drop") {
          EXPECT_EQ(once.size(), given.size()) << where;
        }
        for (const auto& sample : once)
          EXPECT_TRUE(job.last == "wrap" || whole[epoch].contains(sample)) << where;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Lasts, Elastic, testing::Values("drop", "pad", "wrap"),
                         [](const auto& each) { return each.param; });

TEST(ElasticRefusals, SayWhatIsMissing) {
  const Job job{"drop", 0};
  Steps steps;
  World world(job, 4);
  world.step(steps);
  const std::vector<std::string> saved = world.save();
  const auto refusal = [&](std::vector<std::string> texts, std::size_t ranks) -> std::string {
    try {
      const World resumed(job, ranks, texts);
    } catch (const std::runtime_error& why) {
      return why.what();
    }
    return "";
  };
  EXPECT_NE(refusal({saved[0], saved[1]}, 2).find("2 of the checkpoints of 4 ranks"), std::string::npos);
  EXPECT_NE(refusal({saved[0]}, 4).find("rank 1 of 4 cannot go on with 1 of the checkpoints"),
            std::string::npos);
  EXPECT_NE(refusal({saved[0], saved[1], saved[2], saved[2]}, 2).find("one of each"), std::string::npos);
  world.step(steps);
  const std::vector<std::string> later = world.save();
  EXPECT_NE(refusal({saved[0], saved[1], saved[2], later[3]}, 2).find("not taken at the same step"),
            std::string::npos);
}

}  // namespace
}  // namespace headrace::test
