// SPDX-License-Identifier: Apache-2.0
//
// The ops made of others (random_apply, random_choice, random_order, the policies) as a host sees them: each
// part with draws of its own, as often as its weight says.
#include <algorithm>
#include <array>
#include <set>

#include "color_bench.h"
#include "ops/container_ops.h"

namespace headrace::image {
namespace {

TEST(Containers, ApplyAllInTurn) {
  const With with{{"p", "1"}, {"transforms", list(part("posterize", "bits: 3"), part("invert"))}};
  const Value expected = result("invert", {}, result("posterize", {{"bits", "3"}}, picture()));
  EXPECT_TRUE(result("random_apply", with, picture()) == expected);
}

TEST(Containers, ChooseByWeight) {
  const Value image = picture();
  const Value inverted = result("invert", {}, image);
  const Value posterized = result("posterize", {{"bits", "1"}}, image);
  With with{
      {"transforms", list(part("invert"), part("posterize", "bits: 1"), part("random_invert", "p: 0"))}};
  const auto count = [&](int samples) {
    OpBench bench(plugin(), {.op = "image.random_choice", .with = with});
    std::array<int, 3> seen{};
    for (int i = 0; i < samples; ++i) {
      bench.set_sample(sample_at(static_cast<std::uint64_t>(i)));
      const Value out = bench.map({{"image", image}}).record["image"];
      ++seen[out == inverted ? 0 : out == posterized ? 1 : 2];
    }
    return seen;
  };
  constexpr int kCount = 3000;
  for (const int number : count(kCount)) expect_share(number, kCount, 1.0 / 3, "alike");
  with["p"] = "[1, 0, 3]";
  const std::array<int, 3> weighted = count(kCount);
  expect_share(weighted[0], kCount, 0.25, "a quarter");
  EXPECT_EQ(weighted[1], 0);
  for (const char* extreme : {"[1e308, 0, 1.5e308]", "[5e-324, 0, 5e-324]"}) {
    with["p"] = extreme;
    const std::array<int, 3> seen = count(300);
    EXPECT_GT(seen[0], 60) << extreme;
    EXPECT_EQ(seen[1], 0) << extreme;
    EXPECT_GT(seen[2], 60) << extreme;
  }
}

TEST(Containers, OrderAtRandom) {
  const Value image = picture();
  const auto solarized = [](const Value& v) { return result("solarize", {{"threshold", "90"}}, v); };
  const auto posterized = [](const Value& v) { return result("posterize", {{"bits", "2"}}, v); };
  const Value one = posterized(solarized(image));
  const Value other = solarized(posterized(image));
  ASSERT_FALSE(one == other);
  OpBench bench(
      plugin(),
      {.op = "image.random_order",
       .with = {{"transforms", list(part("solarize", "threshold: 90"), part("posterize", "bits: 2"))}}});
  int first = 0;
  for (int i = 0; i < 1000; ++i) {
    bench.set_sample(sample_at(static_cast<std::uint64_t>(i)));
    const Value out = bench.map({{"image", image}}).record["image"];
    ASSERT_TRUE(out == one || out == other);
    first += out == one ? 1 : 0;
  }
  expect_share(first, 1000, 0.5, "an order");
}

TEST(Containers, GiveEachPartDrawsOfItsOwn) {
  // What the second part does is the same, whatever stands before it and however much that draws.
  const std::string last = part("color_jitter", "brightness: 0.9, hue: 0.5");
  const Value image = picture();
  for (std::uint64_t position = 0; position < 50; ++position) {
    const auto after = [&](const std::string& first) {
      return result("random_apply", {{"p", "1"}, {"transforms", list(first, last)}}, image, position);
    };
    const Value expected = after(part("random_invert", "p: 0"));
    ASSERT_TRUE(after(part("color_jitter", "contrast: [1, 1]")) == expected);
    ASSERT_TRUE(after(part("rand_augment", "num_ops: 0")) == expected);
    ASSERT_TRUE(after(part("random_order", "transforms: " + list(part("random_invert", "p: 0")))) ==
                expected);
    const Value alone = result("color_jitter", {{"brightness", "0.9"}, {"hue", "0.5"}}, image, position);
    ASSERT_FALSE(alone == expected);
  }
}

TEST(Containers, HoldContainers) {
  const std::string inner =
      part("random_choice", "transforms: " + list(part("invert"), part("equalize")) + ", p: [1, 0]");
  EXPECT_TRUE(result("random_apply", {{"p", "1"}, {"transforms", list(inner, part("posterize", "bits: 8"))}},
                     picture()) == result("invert", {}, picture()));
}

TEST(Containers, LieThreeDeepAtMost) {
  std::string within = part("invert");
  for (int depth = 1; depth <= 2; ++depth) within = part("random_order", "transforms: " + list(within));
  EXPECT_EQ(faults("random_apply", {{"transforms", list(within)}}), "");
  within = part("random_order", "transforms: " + list(within));
  EXPECT_EQ(faults("random_apply", {{"transforms", list(within)}}),
            "transforms: ops that hold ops lie at most 3 deep within each other\n");
}

TEST(Containers, ObjectAtThePartsParameter) {
  EXPECT_EQ(
      faults("random_apply", {{"transforms", list(part("invert"), part("gaussian_blur", "kernel_size: 4"))}}),
      "transforms[1].with.kernel_size: the kernel must have a middle: 4 is even\n");
  const std::string inner = part("random_choice", "transforms: " + list(part("color_jitter", "hue: -0.1")));
  EXPECT_EQ(
      faults("random_order", {{"transforms", list(inner)}}),
      "transforms[0].with.transforms[0].with.hue: one number is how far the hue turns either way, and must "
      "not be below 0\n");
  EXPECT_EQ(
      faults("random_apply", {{"transforms", list(part("equalize"), part("autocontrast"))}}, picture(2)),
      "transforms[1]: a picture of 2 channels has no colours: 1 (gray) or 3 (RGB) are wanted\n");
  EXPECT_EQ(
      faults("random_apply", {{"transforms", list(part("invert", "out: x"))}}),
      "transforms[0]: a part works on the picture of the op that holds it: field, out and keep are that "
      "op's\n");
}

TEST(Containers, KnowTheOpsThatMayBeParts) {
  for (const char* name : kTransformNames) {
    const auto* const end = plugin().ops + plugin().op_count;
    EXPECT_TRUE(std::any_of(plugin().ops, end, [&](const headrace_op* op) {
      return std::string(op->name) == name;
    })) << name;
  }
}

TEST(Policies, ChangePicturesAndAreTheSameForTheSameSample) {
  const Value image = picture();
  for (const char* op : {"auto_augment", "rand_augment", "trivial_augment_wide", "aug_mix"}) {
    for (const Value& from : {image, float_picture()}) {
      int different = 0;
      for (std::uint64_t position = 0; position < 40; ++position) {
        const Value out = result(op, {}, from, position);
        BenchOptions apart;
        apart.in_place = false;
        ASSERT_TRUE(result(op, {}, from, position, apart) == out) << op << " " << position;
        different += out == from ? 0 : 1;
      }
      EXPECT_GT(different, 15) << op;
    }
  }
}

TEST(Policies, FillWhatNobodySaw) {
  // Moved by at most 150/331 of 14 pixels, a white picture shows the fill at an edge, and nothing else.
  const Value white = Value::tensor<std::uint8_t>(
      {kHeight, kWidth, 3}, std::vector<std::uint8_t>(3 * kHeight * kWidth, 255), HEADRACE_LAYOUT_HWC);
  const With with{{"num_ops", "1"}, {"magnitude", "30"}, {"fill", "[10, 20, 30]"}};
  bool is_filled = false;
  for (std::uint64_t position = 0; position < 60 && !is_filled; ++position) {
    const std::vector<std::uint8_t> out =
        result("rand_augment", with, white, position).elements<std::uint8_t>();
    for (std::size_t i = 0; i < out.size(); i += 3)
      is_filled = is_filled || (out[i] == 10 && out[i + 1] == 20 && out[i + 2] == 30);
  }
  EXPECT_TRUE(is_filled);
}

}  // namespace
}  // namespace headrace::image
