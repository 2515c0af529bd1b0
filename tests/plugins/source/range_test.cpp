// SPDX-License-Identifier: Apache-2.0
//
// source.range: with and without an end.

#include "source_bench.h"

namespace headrace {
namespace {

using testing::OpBench;
using testing::Outcome;

std::int64_t index_of(const Outcome& out, const char* field = "index") {
  EXPECT_TRUE(out.ok()) << out.error;
  return out.record[field].elements<std::int64_t>().at(0);
}

TEST(Range, GivesAsManyNumbersAsAskedInAnyOrder) {
  OpBench bench(source_plugin(),
                {.op = "source.range", .with = {{"n", "5"}, {"out", "i"}, {"shuffle", "true"}}});
  ASSERT_TRUE(bench.start().ok());
  EXPECT_EQ(bench.length(), 5);
  EXPECT_TRUE(bench.declared().indexed);
  EXPECT_TRUE(bench.declared().shuffle);
  EXPECT_EQ(index_of(bench.source(4), "i"), 4);
  EXPECT_EQ(index_of(bench.source(0), "i"), 0);
}

TEST(Range, CountsWithoutEndAndGoesOnWhereItWasSaved) {
  OpBench first(source_plugin(), {.op = "source.range", .with = {{"endless", "true"}}});
  ASSERT_TRUE(first.start().ok());
  EXPECT_EQ(first.length(), -1);
  EXPECT_FALSE(first.declared().indexed);
  EXPECT_TRUE(first.declared().serial);
  for (std::int64_t i = 0; i < 3; ++i) EXPECT_EQ(index_of(first.source()), i);
  OpBench second(source_plugin(), {.op = "source.range", .with = {{"endless", "true"}}});
  ASSERT_TRUE(second.restore(first.save().second).ok());
  EXPECT_EQ(index_of(second.source()), 3);
  EXPECT_EQ(second.restore("short").error, "the saved state is not one of source.range");
}

TEST(Range, HasAFingerprintOfItsLength) {
  const auto fingerprint = [](const std::map<std::string, std::string>& with) {
    OpBench bench(source_plugin(), {.op = "source.range", .with = with});
    EXPECT_TRUE(bench.start().ok());
    EXPECT_NE(bench.fingerprint(), (std::array<std::uint64_t, 2>{0, 0}));
    return bench.fingerprint();
  };
  EXPECT_EQ(fingerprint({{"n", "5"}}), fingerprint({{"n", "5"}, {"shuffle", "true"}}));
  EXPECT_NE(fingerprint({{"n", "5"}}), fingerprint({{"n", "6"}}));
  EXPECT_NE(fingerprint({{"n", "5"}}), fingerprint({{"endless", "true"}}));
}

TEST(Range, NeedsOneOfNAndEndless) {
  const auto fault = [](const std::map<std::string, std::string>& with) {
    return OpBench(source_plugin(), {.op = "source.range", .with = with}).declare({}).fault_text();
  };
  EXPECT_EQ(fault({}), "n: source.range needs either n or endless: true\n");
  EXPECT_EQ(fault({{"n", "3"}, {"endless", "true"}}), "n: source.range needs either n or endless: true\n");
  EXPECT_EQ(fault({{"endless", "true"}, {"shuffle", "true"}}),
            "shuffle: what has no end cannot be shuffled (flow.shuffle has a window)\n");
  EXPECT_EQ(fault({{"n", "0"}}), "");
}

}  // namespace
}  // namespace headrace
