// SPDX-License-Identifier: Apache-2.0
//
// What `sampling` of a source gives in a run, with its files, on several ranks; and what is said of files
// that are at fault.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "tests/runtime/flow/harness.h"
#include "tests/runtime/flow/test_ops.h"
#include "tests/runtime/plugin/temporary_folder.h"

namespace headrace::test {
namespace {

class SamplingTest : public testing::Test {
 protected:
  void SetUp() override { Stand::get().reset(); }
  void TearDown() override { expect_nothing_left(); }

  /// A file in a folder of this test's own.
  std::string file(const std::string& name, const std::string& text) const {
    const std::filesystem::path path = folder_.path() / name;
    std::ofstream(path) << text;
    return path.string();
  }

 private:
  const TemporaryFolder folder_;
};

const char* const kGraph = R"(
version: 1
vars: {n: 10, size: 4, last: partial, shuffle: false}
nodes:
  count: {op: test.count, with: {n: "${vars.n}", shuffle: "${vars.shuffle}"}}
  batch: {op: batch.stack, from: count, with: {size: "${vars.size}", last: "${vars.last}"}}
outputs: {out: {from: batch}}
)";

std::vector<std::int64_t> epoch_of(const std::string& sampling, std::vector<std::string> sets = {}) {
  sets.push_back("nodes.count.sampling=" + sampling);
  GraphRun run(kGraph, sets);
  return run.flat();
}

std::string fault_of(const std::string& sampling) {
  try {
    epoch_of(sampling);
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  return "";
}

TEST_F(SamplingTest, ChoosesAndRepeats) {
  using Indices = std::vector<std::int64_t>;
  EXPECT_EQ(epoch_of("{subset: [3, 6]}"), (Indices{3, 4, 5}));
  EXPECT_EQ(epoch_of("{subset: 0.5}"), (Indices{0, 2, 4, 6, 8}));
  EXPECT_EQ(epoch_of("{subset: [3, 5], repeat: 2}"), (Indices{3, 4, 3, 4}));
  EXPECT_EQ(epoch_of("{num_samples: 3}"), (Indices{0, 1, 2}));
  EXPECT_EQ(epoch_of("{subset: " + file("some.txt", "7\n 1\r\n4\n\n") + "}"), (Indices{7, 1, 4}));
  EXPECT_EQ(epoch_of("{subset: [2, 9], replacement: true, num_samples: 200}").size(), 200U);
}

TEST_F(SamplingTest, DrawsByTheWeightsOfTheListingAlsoOfASubset) {
  const std::string weights = file("weights.txt", "9\n0\n0\n0\n1\n3\n0\n0\n0\n9e2\n");
  std::map<std::int64_t, int> seen;
  for (const std::int64_t i : epoch_of("{subset: [1, 9], num_samples: 4000, weights: " + weights + "}"))
    ++seen[i];
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_NEAR(seen[5], 3000, 110);  // 4 standard deviations
  EXPECT_EQ(epoch_of("{num_samples: 2, replacement: false, subset: [1, 9], weights: " + weights + "}").size(),
            2U);
}

TEST_F(SamplingTest, IsDealtToRanksAndEnds) {
  const std::string weights = file("weights.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n");
  for (const std::string& sampling :
       {"{num_samples: 26, weights: " + weights + "}", std::string("{subset: 0.7, repeat: 4}"),
        "{num_samples: 7, replacement: false, weights: " + weights + "}"}) {
    const std::vector<std::int64_t> order = epoch_of(sampling, {"vars.shuffle=true"});
    for (std::size_t rank = 0; rank < 3; ++rank) {
      const std::vector<std::int64_t> mine = epoch_of(
          sampling,
          {"vars.shuffle=true", "vars.last=wrap", "runtime.rank=" + std::to_string(rank), "runtime.world=3"});
      ASSERT_EQ(mine.size(), (order.size() + 11) / 12 * 4);
      for (std::size_t k = 0; k < mine.size(); ++k) EXPECT_EQ(mine[k], order[(k * 3 + rank) % order.size()]);
    }
  }
}

TEST_F(SamplingTest, SaysHowManyARankIsDealt) {
  GraphRun run(kGraph, {"nodes.count.sampling={subset: 0.7, repeat: 4}", "vars.last=pad", "runtime.rank=0",
                        "runtime.world=3"});
  const auto described = nlohmann::json::parse(run.pipeline().describe_json());
  EXPECT_EQ(described["count"]["length"], 10);
  EXPECT_EQ(described["count"]["dealt"], 12);
}

TEST_F(SamplingTest, SaysWhatIsWrongWithAFile) {
  const auto weights = [&](const std::string& text) {
    return fault_of("{weights: " + file("w.txt", text) + "}");
  };
  const std::string at = "node 'count': sampling.weights: " + file("w.txt", "");
  EXPECT_EQ(weights("1\n2\n-3\n"), at + ":3: '-3' is no weight: it must be finite and not below 0");
  EXPECT_EQ(weights("1\nnan\n"), at + ":2: 'nan' is no weight: it must be finite and not below 0");
  EXPECT_EQ(weights("1\n1e999\n"), at + ":2: '1e999' is not a number");
  EXPECT_EQ(weights("1\n\n2\n"), at + ":2: '' is not a number");
  EXPECT_EQ(weights("1\n2 3\n"), at + ":2: '2 3' is not a number");
  EXPECT_EQ(weights("1\n2\n"),
            at + " has 2 lines and the listing 10 samples (one weight a line, in the listing's order)");
  EXPECT_EQ(weights("1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n"),
            at + ":11: the listing has 10 samples, and this is one line more");
  EXPECT_EQ(weights("0\n0\n0\n0\n0\n0\n0\n0\n0\n0\n"),
            "node 'count': sampling.weights: all of them are 0, so that nothing can be drawn");
  EXPECT_EQ(fault_of("{weights: /nowhere/w.txt}"),
            "node 'count': sampling.weights: /nowhere/w.txt cannot be read: No such file or directory");
  EXPECT_EQ(fault_of("{weights: /dev/zero}"),
            "node 'count': sampling.weights: /dev/zero is no regular file (write the numbers to one)");
  EXPECT_EQ(fault_of("{weights: /}"), "node 'count': sampling.weights: / cannot be read: Is a directory");
}

TEST_F(SamplingTest, SaysWhatIsWrongWithASubset) {
  EXPECT_EQ(fault_of("{subset: [3, 11]}"),
            "node 'count': sampling.subset: [3, 11] goes beyond the listing, which has 10 samples");
  EXPECT_EQ(fault_of("{subset: 0.01}"), "node 'count': sampling.subset: 0.01 of 10 samples is less than one");
  const std::string indices = file("i.txt", "1\n10\n");
  EXPECT_EQ(
      fault_of("{subset: " + indices + "}"),
      "node 'count': sampling.subset: " + indices + ":2: '10' goes beyond the listing, which has 10 samples");
  EXPECT_EQ(fault_of("{subset: " + file("empty.txt", "") + "}"),
            "node 'count': sampling.subset: " + file("empty.txt", "") + " has no line");
  EXPECT_EQ(
      fault_of("{num_samples: 11}"),
      "node 'count': sampling.num_samples: 11 are asked for and there are 10 (replacement: true draws one "
      "several times)");
}

}  // namespace
}  // namespace headrace::test
