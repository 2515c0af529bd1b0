// SPDX-License-Identifier: Apache-2.0
//
// What the tests of colour ops and of the ops made of them share: pictures, calls of an op by its name, the
// text of parts.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

#include "color/levels.h"
#include "ops/container_ops.h"
#include "ops_bench.h"
#include "references.h"

namespace headrace::image {

using headrace::testing::Declared;
using headrace::testing::FieldSpec;
using testing::BenchOptions;
using testing::NodeText;
using testing::OpBench;
using testing::Outcome;
using testing::picture_pattern;
using testing::plugin;
using testing::Record;
using testing::run_op;
using testing::sample_at;
using testing::Value;
using With = std::map<std::string, std::string>;

inline constexpr std::int64_t kHeight = 9;
inline constexpr std::int64_t kWidth = 14;

inline Value picture(std::int64_t channels = 3, std::uint64_t seed = 2) {
  return Value::tensor<std::uint8_t>(
      {kHeight, kWidth, channels},
      picture_pattern(static_cast<std::size_t>(kHeight * kWidth * channels), seed), HEADRACE_LAYOUT_HWC);
}

inline Value float_picture() {
  const std::vector<std::uint8_t> levels = picture_pattern(3 * kHeight * kWidth, 4);
  std::vector<float> floats;
  for (const std::uint8_t level : levels) floats.push_back(static_cast<float>(level) * kLevel);
  return Value::tensor<float>({3, kHeight, kWidth}, floats, HEADRACE_LAYOUT_CHW);
}

inline std::string raw(const Value& value) {
  return {static_cast<const char*>(value.c().data), value.byte_count()};
}

inline Value result(const std::string& op, const With& with, const Value& image, std::uint64_t position = 0,
                    BenchOptions options = {}) {
  const Outcome outcome = run_op({.op = "image." + op, .with = with}, {{"image", image}}, position, options);
  EXPECT_TRUE(outcome.ok()) << op << ": " << outcome.error;
  return outcome.ok() ? outcome.record["image"] : Value();
}

/// "param: text" of each objection.
inline std::string faults(const std::string& op, const With& with, const Value& image = picture()) {
  return testing::faults({.op = "image." + op, .with = with}, {{"image", image}});
}

/// A part's text: part("invert") is {op: image.invert}.
inline std::string part(const std::string& op, const std::string& with = "") {
  return "{op: image." + op + (with.empty() ? "" : ", with: {" + with + "}") + "}";
}

template <class... Parts>
inline std::string list(const Parts&... parts) {
  std::string text;
  ((text += (text.empty() ? "[" : ", ") + std::string(parts)), ...);
  return text + "]";
}

/// What f(shape, in, out) makes of the picture.
template <class F>
inline Value by_function(const Value& image, F&& f) {
  Value out = Value::empty(image.c().dtype, image.shape(), image.c().layout);
  f(shape_of(image.c()), image.c().data, out.c().data);
  return out;
}

/// Within five standard deviations of a binomial distribution.
inline void expect_share(int number, int count, double p, const std::string& what) {
  EXPECT_NEAR(number, count * p, 5 * std::sqrt(count * p * (1 - p))) << what;
}

}  // namespace headrace::image
