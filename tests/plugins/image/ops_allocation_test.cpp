// SPDX-License-Identifier: Apache-2.0
//
// In steady state the transforms take nothing from the heap: every call of operator new in this program is
// counted, and a call on the bench that runs a transform makes as many as one that hands its picture on.
#include <gtest/gtest.h>

#include <headrace/testing/op_bench.h>

#include "counted_news.h"
#include "references.h"

namespace headrace::image {
namespace {

using headrace::testing::NodeText;
using headrace::testing::OpBench;
using headrace::testing::Record;
using headrace::testing::Value;
using testing::news;

constexpr int kRounds = 60;

/// operator new in kRounds calls, after as many on the same samples.
long news_in_steady_state(const NodeText& node) {
  OpBench bench(*headrace_plugin_get(HEADRACE_ABI_MAJOR, HEADRACE_ABI_MINOR), node);
  const Record record{{"image", Value::tensor<std::uint8_t>({20, 30, 3}, testing::picture_pattern(1800, 2),
                                                            HEADRACE_LAYOUT_HWC)}};
  const auto run = [&] {
    for (int i = 0; i < kRounds; ++i) {
      headrace_sample sample = {};
      sample.size = sizeof sample;
      sample.position = static_cast<std::uint64_t>(i);
      bench.set_sample(sample);
      EXPECT_TRUE(bench.map(record).ok()) << node.op;
    }
  };
  run();
  const long before = news();
  run();
  return news() - before;
}

TEST(Transforms, AllocateNothingInSteadyState) {
  const long idle = news_in_steady_state({.op = "image.invert"});
  EXPECT_GT(idle, 0);
  const std::string jitter =
      "{op: image.color_jitter, with: {brightness: 0.4, contrast: 0.4, saturation: 0.4, hue: 0.1}}";
  const NodeText nodes[] = {
      {.op = "image.color_jitter", .with = {{"contrast", "0.4"}, {"hue", "0.2"}}},
      {.op = "image.gaussian_blur", .with = {{"kernel_size", "9"}}},
      {.op = "image.adjust_sharpness", .with = {{"sharpness_factor", "2"}}},
      {.op = "image.equalize"},
      {.op = "image.autocontrast"},
      {.op = "image.grayscale", .with = {{"num_output_channels", "3"}}},
      {.op = "image.auto_augment"},
      {.op = "image.rand_augment", .with = {{"num_ops", "5"}}},
      {.op = "image.trivial_augment_wide"},
      {.op = "image.aug_mix"},
      {.op = "image.random_choice", .with = {{"transforms", "[" + jitter + ", {op: image.equalize}]"}}},
      {.op = "image.random_order",
       .with = {{"transforms",
                 "[" + jitter + ", {op: image.random_order, with: {transforms: [{op: image.invert}]}}]"}}}};
  for (const NodeText& node : nodes) EXPECT_EQ(news_in_steady_state(node), idle) << node.op;
}

}  // namespace
}  // namespace headrace::image
