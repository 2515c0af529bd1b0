// SPDX-License-Identifier: Apache-2.0
//
// The ops that change colours, as a host sees them: what they declare and refuse, that they do what their
// functions do, in place or not, and how often they do it.
#include <algorithm>
#include <set>

#include "color/adjust.h"
#include "color_bench.h"

namespace headrace::image {
namespace {

TEST(ColorOps, DoWhatTheirFunctionsDo) {
  RowFilter filter;
  using Shape = const PictureShape&;
  struct Case {
    const char* op;
    With with;
    std::function<void(Shape, const void*, void*)> function;
  };
  const Case cases[] = {
      {"invert", {}, [](Shape s, const void* in, void* out) { invert(s, in, out); }},
      {"equalize", {}, [](Shape s, const void* in, void* out) { equalize(s, in, out); }},
      {"autocontrast", {}, [](Shape s, const void* in, void* out) { autocontrast(s, in, out); }},
      {"posterize", {{"bits", "2"}}, [](Shape s, const void* in, void* out) { posterize(s, in, out, 2); }},
      {"solarize",
       {{"threshold", "0.6"}},
       [](Shape s, const void* in, void* out) { solarize(s, in, out, 0.6); }},
      {"adjust_brightness",
       {{"brightness_factor", "1.2"}},
       [](Shape s, const void* in, void* out) { adjust_brightness(s, in, out, 1.2); }},
      {"adjust_contrast",
       {{"contrast_factor", "0.3"}},
       [](Shape s, const void* in, void* out) { adjust_contrast(s, in, out, 0.3); }},
      {"adjust_saturation",
       {{"saturation_factor", "1.7"}},
       [](Shape s, const void* in, void* out) { adjust_saturation(s, in, out, 1.7); }},
      {"adjust_hue",
       {{"hue_factor", "-0.2"}},
       [](Shape s, const void* in, void* out) { adjust_hue(s, in, out, -0.2); }},
      {"adjust_gamma",
       {{"gamma", "0.8"}, {"gain", "1.1"}},
       [](Shape s, const void* in, void* out) { adjust_gamma(s, in, out, 0.8, 1.1); }},
      {"adjust_sharpness",
       {{"sharpness_factor", "2.5"}},
       [&](Shape s, const void* in, void* out) { filter.adjust_sharpness(s, in, out, 2.5); }},
      {"gaussian_blur",
       {{"kernel_size", "[5, 3]"}, {"sigma", "1.3"}},
       [&](Shape s, const void* in, void* out) { filter.gaussian_blur(s, in, out, 5, 3, 1.3, 1.3); }},
      {"color_jitter",
       {{"hue", "[0.25, 0.25]"}},
       [](Shape s, const void* in, void* out) { adjust_hue(s, in, out, 0.25); }},
      {"random_grayscale", {{"p", "1"}}, [](Shape s, const void* in, void* out) {
         grayscale(s, in, out, 3);
       }}};
  for (const Case& c : cases) {
    for (const Value& image : {picture(), float_picture()}) {
      const Value expected = by_function(image, c.function);
      EXPECT_TRUE(result(c.op, c.with, image) == expected) << c.op;
      BenchOptions apart;
      apart.in_place = false;
      EXPECT_TRUE(result(c.op, c.with, image, 0, apart) == expected) << c.op << " elsewhere";
    }
  }
}

TEST(ColorOps, WorkInPlace) {
  const Value image = picture();
  const Value out = result("invert", {}, image);
  OpBench bench(plugin(), {.op = "image.invert"});
  EXPECT_EQ(bench.declare({{FieldSpec::of("image", image)}}).writes[0].in_place, 0);
  EXPECT_EQ(out.c().layout, HEADRACE_LAYOUT_HWC);
}

TEST(ColorOps, HandOnWhatTheyDoNotChange) {
  BenchOptions no_memory;
  no_memory.refuse_memory = true;
  const Value image = picture();
  for (const auto& [op, with] :
       std::map<std::string, With>{{"random_invert", {{"p", "0"}}},
                                   {"color_jitter", {}},
                                   {"rand_augment", {{"num_ops", "0"}}},
                                   {"random_apply", {{"p", "0"}, {"transforms", list(part("invert"))}}}}) {
    EXPECT_TRUE(result(op, with, image, 0, no_memory) == image) << op;
  }
}

TEST(ColorOps, KeepTheInputWhereToldTo) {
  OpBench bench(plugin(), {.op = "image.invert", .with = {{"out", "negative"}, {"keep", "true"}}});
  const Outcome outcome = bench.map({{"image", picture()}});
  ASSERT_TRUE(outcome.ok()) << outcome.error;
  EXPECT_TRUE(outcome.record["image"] == picture());
  EXPECT_TRUE(result("invert", {}, outcome.record["negative"]) == picture());
}

TEST(ColorOps, RefuseWhatTheyCannotWorkOn) {
  const Value two = picture(2);
  const std::string wants = "a picture of 2 channels has no colours: 1 (gray) or 3 (RGB) are wanted\n";
  for (const auto& [op, with] : std::map<std::string, With>{{"color_jitter", {{"hue", "0.1"}}},
                                                            {"adjust_hue", {{"hue_factor", "0.1"}}},
                                                            {"autocontrast", {}},
                                                            {"grayscale", {}},
                                                            {"random_grayscale", {}},
                                                            {"trivial_augment_wide", {}}}) {
    EXPECT_EQ(faults(op, with, two), "field: " + wants) << op;
  }
  EXPECT_EQ(faults("invert", {}, two), "");
  const Value halves = Value::empty(HEADRACE_FLOAT16, {2, 2, 3}, HEADRACE_LAYOUT_HWC);
  EXPECT_EQ(faults("invert", {}, halves),
            "field: 'image' is float16: uint8 or float32 is wanted; put this node before image.to_dtype\n");
}

TEST(ColorOps, RefuseParametersThatDoNotGoTogether) {
  EXPECT_EQ(faults("gaussian_blur", {{"kernel_size", "4"}}),
            "kernel_size: the kernel must have a middle: 4 is even\n");
  EXPECT_EQ(faults("gaussian_blur", {{"kernel_size", "[29, 3]"}}),
            "kernel_size: half the kernel must be shorter than the picture, which is 14 x 9\n");
  EXPECT_EQ(faults("gaussian_blur", {{"kernel_size", "3"}, {"sigma", "[2, 1]"}}),
            "sigma: the first of the two must not be above the second\n");
  EXPECT_EQ(faults("color_jitter", {{"brightness", "[1.5, 0.5]"}}),
            "brightness: the first of the two must not be above the second\n");
  EXPECT_EQ(faults("color_jitter", {{"hue", "-0.1"}}),
            "hue: one number is how far the hue turns either way, and must not be below 0\n");
  EXPECT_EQ(faults("solarize", {{"threshold", "128"}}, float_picture()),
            "threshold: floats go from 0 to 1, so that nothing would be inverted\n");
  EXPECT_EQ(faults("grayscale", {{"num_output_channels", "2"}}),
            "num_output_channels: 1 or 3 are wanted, not 2\n");
  EXPECT_EQ(faults("rand_augment", {{"magnitude", "10"}, {"num_magnitude_bins", "10"}}),
            "magnitude: it must be below num_magnitude_bins, which is 10\n");
  EXPECT_EQ(faults("rand_augment", {{"fill", "[1, 2]"}}), "fill: 2 numbers for 3 channels\n");
  EXPECT_EQ(faults("random_choice", {{"transforms", list(part("invert"))}, {"p", "[1, 2]"}}),
            "p: 2 numbers for 1 transforms\n");
  EXPECT_EQ(faults("random_choice", {{"transforms", list(part("invert"))}, {"p", "[0]"}}),
            "p: one of the transforms must have a chance above 0\n");
}

TEST(ColorOps, RefuseAPictureTooSmallForTheKernelWithARemedy) {
  OpBench bench(plugin(), {.op = "image.gaussian_blur", .with = {{"kernel_size", "9"}}});
  const FieldSpec any = FieldSpec::of("image", picture()).with_any(0).with_any(1);
  ASSERT_TRUE(bench.declare({{any}}).ok());
  const Outcome outcome =
      bench.map({{"image", Value::empty(HEADRACE_UINT8, {4, 30, 3}, HEADRACE_LAYOUT_HWC)}});
  EXPECT_EQ(outcome.status, HEADRACE_DATA_ERROR);
  EXPECT_EQ(outcome.error,
            "the picture, 30 x 4, is too small for the kernel; resize it first, or set on_error to skip such "
            "pictures");
}

TEST(Grayscale, GivesOneChannelOrThree) {
  const Value one = result("grayscale", {}, picture());
  EXPECT_EQ(one.shape(), (std::vector<std::int64_t>{kHeight, kWidth, 1}));
  const Value three = result("grayscale", {{"num_output_channels", "3"}}, float_picture());
  EXPECT_EQ(three.shape(), (std::vector<std::int64_t>{3, kHeight, kWidth}));
  const std::vector<float> planes = three.elements<float>();
  const auto pixels = static_cast<std::ptrdiff_t>(kHeight * kWidth);
  EXPECT_TRUE(std::equal(planes.begin(), planes.begin() + pixels, planes.begin() + pixels));
  const Value again = result("grayscale", {{"num_output_channels", "3"}}, one);
  EXPECT_EQ(again.shape(), (std::vector<std::int64_t>{kHeight, kWidth, 3}));
  EXPECT_EQ(again.elements<std::uint8_t>()[3], one.elements<std::uint8_t>()[1]);
}

TEST(ToDtype, GivesEveryTypeAndScalesWhenTold) {
  const Value image = picture();
  const Value floats = result("to_dtype", {{"dtype", "float32"}, {"scale", "true"}}, image);
  EXPECT_EQ(floats.c().layout, HEADRACE_LAYOUT_HWC);
  EXPECT_EQ(floats.elements<float>()[5], static_cast<float>(image.elements<std::uint8_t>()[5]) * kLevel);
  EXPECT_TRUE(result("to_dtype", {{"dtype", "uint8"}, {"scale", "true"}}, floats) == image);
  const Value numbers = result("to_dtype", {{"dtype", "float32"}}, image);
  EXPECT_EQ(numbers.elements<float>()[5], image.elements<std::uint8_t>()[5]);
  EXPECT_EQ(result("to_dtype", {{"dtype", "float16"}}, image).c().dtype, HEADRACE_FLOAT16);
  EXPECT_EQ(result("to_dtype", {{"dtype", "bfloat16"}}, floats).c().dtype, HEADRACE_BFLOAT16);
  BenchOptions no_memory;
  no_memory.refuse_memory = true;
  EXPECT_TRUE(result("to_dtype", {{"dtype", "uint8"}}, image, 0, no_memory) == image);
  EXPECT_EQ(faults("to_dtype", {{"dtype", "uint8"}}, Value::scalar<std::int64_t>(1)),
            "field: 'image' is no uint8 or float32 tensor\n");
}

/// How many of `count` samples come out changed.
int changed(const std::string& op, const With& with, int count, const Value& image) {
  OpBench bench(plugin(), {.op = "image." + op, .with = with});
  int number = 0;
  for (int i = 0; i < count; ++i) {
    bench.set_sample(sample_at(static_cast<std::uint64_t>(i)));
    number += bench.map({{"image", image}}).record["image"] == image ? 0 : 1;
  }
  return number;
}

TEST(RandomOps, HappenAsOftenAsTheySay) {
  constexpr int kCount = 2000;
  const Value image = Value::tensor<std::uint8_t>({3, 3, 3}, picture_pattern(27, 2), HEADRACE_LAYOUT_HWC);
  const std::pair<std::string, With> ops[] = {{"random_invert", {}},
                                              {"random_posterize", {{"bits", "1"}}},
                                              {"random_solarize", {{"threshold", "1"}}},
                                              {"random_autocontrast", {}},
                                              {"random_adjust_sharpness", {{"sharpness_factor", "3"}}},
                                              {"random_apply", {{"transforms", list(part("invert"))}}}};
  for (auto [op, with] : ops) {
    expect_share(changed(op, with, kCount, image), kCount, 0.5, op + " by default");
    with["p"] = "0.2";
    expect_share(changed(op, with, kCount, image), kCount, 0.2, op);
  }
  expect_share(changed("random_grayscale", {}, kCount, image), kCount, 0.1, "random_grayscale by default");
}

TEST(RandomOps, EqualizeHappensToo) {
  // A step is a 255th of the pixels: smaller pictures are not equalized at all.
  const Value image = Value::tensor<std::uint8_t>({32, 32, 1}, picture_pattern(1024, 2), HEADRACE_LAYOUT_HWC);
  expect_share(changed("random_equalize", {}, 500, image), 500, 0.5, "random_equalize");
}

TEST(ColorJitter, DrawsEvenlyFromItsRange) {
  // Floats tell the factor: brightness b makes 0.25 b of 0.25.
  const Value image = Value::tensor<float>({1, 1, 3}, {0.25F, 0.25F, 0.25F}, HEADRACE_LAYOUT_HWC);
  OpBench bench(plugin(), {.op = "image.color_jitter", .with = {{"brightness", "0.4"}}});
  constexpr int kCount = 4000;
  constexpr int kBins = 8;
  std::vector<int> bins(kBins);
  for (int i = 0; i < kCount; ++i) {
    bench.set_sample(sample_at(static_cast<std::uint64_t>(i)));
    const double factor =
        static_cast<double>(bench.map({{"image", image}}).record["image"].elements<float>()[0]) * 4;
    ASSERT_GE(factor, 0.6 - 1e-6);
    ASSERT_LE(factor, 1.4 + 1e-6);
    ++bins[static_cast<std::size_t>(std::clamp((factor - 0.6) / 0.8 * kBins, 0.0, kBins - 1.0))];
  }
  for (const int number : bins) expect_share(number, kCount, 1.0 / kBins, "a bin");
}

TEST(ColorJitter, ClipsItsRangeAtZero) {
  const Value image = Value::tensor<float>({1, 1, 1}, {0.25F}, HEADRACE_LAYOUT_HWC);
  OpBench bench(plugin(), {.op = "image.color_jitter", .with = {{"brightness", "3"}}});
  for (int i = 0; i < 200; ++i) {
    bench.set_sample(sample_at(static_cast<std::uint64_t>(i)));
    ASSERT_GE(bench.map({{"image", image}}).record["image"].elements<float>()[0], 0.0F);
  }
}

TEST(ColorJitter, DoesItsPartsInEveryOrderAlikeOften) {
  const Value image = picture(3, 8);
  const auto adjust = [](std::size_t which, const Value& from) {
    return by_function(from, [&](const PictureShape& s, const void* in, void* out) {
      if (which == 0) adjust_brightness(s, in, out, 1.3);
      if (which == 1) adjust_contrast(s, in, out, 1.6);
      if (which == 2) adjust_saturation(s, in, out, 0.4);
      if (which == 3) adjust_hue(s, in, out, 0.2);
    });
  };
  std::vector<std::string> expected;
  std::array<std::size_t, 4> order{0, 1, 2, 3};
  do {
    Value now = image;
    for (const std::size_t which : order) now = adjust(which, now);
    expected.push_back(raw(now));
  } while (std::next_permutation(order.begin(), order.end()));
  ASSERT_EQ(std::set(expected.begin(), expected.end()).size(), 24U);
  OpBench bench(plugin(), {.op = "image.color_jitter",
                           .with = {{"brightness", "[1.3, 1.3]"},
                                    {"contrast", "[1.6, 1.6]"},
                                    {"saturation", "[0.4, 0.4]"},
                                    {"hue", "[0.2, 0.2]"}}});
  constexpr int kCount = 2400;
  std::vector<int> seen(24);
  for (int i = 0; i < kCount; ++i) {
    bench.set_sample(sample_at(static_cast<std::uint64_t>(i)));
    const std::string out = raw(bench.map({{"image", image}}).record["image"]);
    const auto found = std::find(expected.begin(), expected.end(), out);
    ASSERT_NE(found, expected.end());
    ++seen[static_cast<std::size_t>(found - expected.begin())];
  }
  for (const int number : seen) expect_share(number, kCount, 1.0 / 24, "an order");
}

}  // namespace
}  // namespace headrace::image
