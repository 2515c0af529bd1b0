// SPDX-License-Identifier: Apache-2.0
//
// flow.mix: whose turn it is, and what can be mixed at all.

#include <array>

#include "flow_bench.h"

namespace headrace {
namespace {

using testing::Declared;
using testing::FieldSpec;
using testing::OpBench;
using testing::Schema;
using testing::Value;

const Schema kOne = {FieldSpec::of("label", kLabel)};

OpBench mix(std::map<std::string, std::string> with, std::size_t inputs) {
  OpBench bench(flow_plugin(), {.op = "flow.mix", .with = std::move(with)});
  bench.declare(std::vector<Schema>(inputs, kOne));
  return bench;
}

std::array<double, 3> shares(OpBench& bench, std::uint64_t live) {
  constexpr int kDraws = 30'000;
  std::array<double, 3> share{};
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    const auto [outcome, input] = bench.choose(3, live, i);
    EXPECT_TRUE(outcome.ok());
    share.at(input) += 1.0 / kDraws;
  }
  return share;
}

TEST(Mix, TakesInputsByWeight) {
  OpBench bench = mix({{"weights", "[1, 2, 5]"}}, 3);
  const auto share = shares(bench, 7);
  EXPECT_NEAR(share[0], 1.0 / 8, 0.01);
  EXPECT_NEAR(share[1], 2.0 / 8, 0.01);
  EXPECT_NEAR(share[2], 5.0 / 8, 0.01);
}

TEST(Mix, TakesInputsEquallyWithoutWeights) {
  OpBench bench = mix({}, 3);
  for (const double share : shares(bench, 7)) EXPECT_NEAR(share, 1.0 / 3, 0.01);
}

TEST(Mix, SharesTheWeightOfAnInputThatEnded) {
  OpBench bench = mix({{"weights", "[1, 2, 5]"}, {"ends", "all"}}, 3);
  const auto share = shares(bench, 3);
  EXPECT_NEAR(share[0], 1.0 / 3, 0.01);
  EXPECT_NEAR(share[1], 2.0 / 3, 0.01);
  EXPECT_EQ(share[2], 0);
  EXPECT_EQ(bench.declared().ends, HEADRACE_ENDS_ALL);
}

TEST(Mix, ChoosesTheOnlyInputThatIsLeft) {
  OpBench bench = mix({{"weights", "[1000000, 1e-300, 1]"}}, 3);
  for (std::uint64_t i = 0; i < 100; ++i) EXPECT_EQ(bench.choose(3, 2, i).second, 1U);
}

TEST(Mix, TakesEveryFieldFromEveryInput) {
  OpBench bench(flow_plugin(), {.op = "flow.mix"});
  const Schema first = {FieldSpec::of("image", kPicture), FieldSpec::of("label", kLabel)};
  const Schema second = {
      FieldSpec::of("label", kLabel),
      FieldSpec::of("image", Value::empty(HEADRACE_UINT8, {9, 9, 3}, HEADRACE_LAYOUT_HWC))};
  const Declared& declared = bench.declare({first, second});
  EXPECT_EQ(declared.fault_text(), "");
  EXPECT_EQ(declared.ends, HEADRACE_ENDS_FIRST);
  std::string takes;
  for (const Declared::Take& take : declared.takes) takes += take.field + std::to_string(take.input) + " ";
  EXPECT_EQ(takes, "image0 image1 label0 label1 ");
}

TEST(Mix, NamesEveryDifference) {
  OpBench bench(flow_plugin(), {.op = "flow.mix", .with = {{"weights", "[1, 1, 1]"}}});
  const Schema first = {FieldSpec::of("image", kPicture), FieldSpec::of("label", kLabel),
                        FieldSpec::of("key", Value::string("k"))};
  const Schema second = {
      FieldSpec::of("image", Value::empty(HEADRACE_FLOAT32, {3, 4, 5}, HEADRACE_LAYOUT_CHW)),
      FieldSpec::of("label", kLabel), FieldSpec::of("path", Value::string("p"))};
  EXPECT_EQ(bench.declare({first, second}).fault_text(),
            "weights: there are 3 weights for 2 inputs\n"
            "field 'image' is uint8[4, 5, 3] HWC in input 1 but float32[3, 4, 5] CHW in input 2 (what is "
            "mixed must agree in all but "
            "sizes)\n"
            "input 1 has the field 'key', which input 2 lacks (what is mixed must have the same fields)\n"
            "input 2 has the field 'path', which input 1 lacks (what is mixed must have the same fields)\n");
}

TEST(Mix, RefusesAWeightOfNothing) { EXPECT_THROW(mix({{"weights", "[0, 1]"}}, 2), std::invalid_argument); }

}  // namespace
}  // namespace headrace
