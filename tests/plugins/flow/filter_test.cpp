// SPDX-License-Identifier: Apache-2.0
//
// flow.filter: what is kept, of every type.

#include "flow_bench.h"

namespace headrace {
namespace {

using testing::FieldSpec;
using testing::OpBench;
using testing::Outcome;
using testing::Value;

bool keeps(const Value& value, std::map<std::string, std::string> with) {
  with.emplace("field", "x");
  OpBench bench(flow_plugin(), {.op = "flow.filter", .with = std::move(with)});
  const Outcome out = bench.map({{"x", value}, {"rides", kLabel}});
  EXPECT_TRUE(out.status == HEADRACE_OK || out.status == HEADRACE_DROP) << out.error;
  EXPECT_TRUE(out.violations.empty());
  if (out.status == HEADRACE_OK) {
    EXPECT_EQ(out.record.names(), (std::vector<std::string>{"x", "rides"}));
    EXPECT_EQ(out.record["x"].c().data, value.c().data);
  }
  return out.status == HEADRACE_OK;
}

template <class T>
void expect_bounds(T low, T middle, T high) {
  const std::map<std::string, std::string> bounds = {{"min", std::to_string(middle)},
                                                     {"max", std::to_string(middle)}};
  EXPECT_FALSE(keeps(Value::scalar(low), bounds));
  EXPECT_TRUE(keeps(Value::scalar(middle), bounds));
  EXPECT_FALSE(keeps(Value::scalar(high), bounds));
  EXPECT_TRUE(keeps(Value::scalar(middle),
                    {{"in", "[" + std::to_string(high) + ", " + std::to_string(middle) + "]"}}));
  EXPECT_FALSE(keeps(Value::scalar(low), {{"in", std::to_string(middle)}}));
}

TEST(Filter, ComparesEveryNumberType) {
  expect_bounds<std::uint8_t>(1, 2, 255);
  expect_bounds<std::int8_t>(-128, 2, 127);
  expect_bounds<std::uint16_t>(1, 300, 65535);
  expect_bounds<std::int16_t>(-300, 2, 300);
  expect_bounds<std::uint32_t>(1, 70000, 4294967295U);
  expect_bounds<std::int32_t>(-70000, 2, 70000);
  expect_bounds<std::uint64_t>(1, 5000000000U, 18446744073709551615U);
  expect_bounds<std::int64_t>(-5000000000, 2, 5000000000);
  expect_bounds<float>(-1.5F, 0.25F, 1e30F);
  expect_bounds<double>(-1.5, 0.25, 1e300);
}

TEST(Filter, ComparesBooleansAndStrings) {
  EXPECT_TRUE(keeps(Value::tensor<std::uint8_t>({}, {1}), {{"in", "true"}}));
  EXPECT_TRUE(keeps(Value::string("cat"), {{"in", "[dog, cat]"}}));
  EXPECT_FALSE(keeps(Value::string("cat2"), {{"in", "[dog, cat]"}}));
  EXPECT_TRUE(keeps(Value::string("cat"), {{"min", "b"}, {"max", "d"}}));
  EXPECT_TRUE(keeps(Value::string("2012"), {{"in", "'2012'"}}));
  EXPECT_TRUE(keeps(Value::string(""), {{"in", "''"}}));
}

TEST(Filter, HasOneBoundOrTwo) {
  EXPECT_TRUE(keeps(Value::scalar(5.0), {{"min", "5"}}));
  EXPECT_FALSE(keeps(Value::scalar(5.0), {{"min", "5.1"}}));
  EXPECT_TRUE(keeps(Value::scalar(5.0), {{"max", "5"}}));
  EXPECT_FALSE(keeps(Value::scalar(std::numeric_limits<double>::quiet_NaN()), {{"min", "-1e308"}}));
}

std::string fault(const Value& value, std::map<std::string, std::string> with) {
  with.emplace("field", "x");
  OpBench bench(flow_plugin(), {.op = "flow.filter", .with = std::move(with)});
  return bench.declare({{FieldSpec::of("x", value)}}).fault_text();
}

TEST(Filter, RefusesWhatCannotBeCompared) {
  EXPECT_EQ(fault(kPicture, {{"min", "1"}}),
            "field: field 'x' has 3 axes, and only single numbers can be compared\n");
  EXPECT_EQ(fault(Value::bytes("x"), {{"min", "1"}}), "field: field 'x' is neither a string nor a number\n");
  EXPECT_EQ(fault(Value::empty(HEADRACE_FLOAT16, {}), {{"min", "1"}}),
            "field: field 'x' is of 16 bits; float32 can be compared\n");
  EXPECT_EQ(fault(kLabel, {{"in", "[1, cat]"}}), "in: 'cat' is text, but field 'x' is a number\n");
  EXPECT_EQ(fault(Value::string("x"), {{"in", "2012"}}),
            "in: field 'x' is a string, and what it is compared with is not (write it in quotes)\n");
}

TEST(Filter, RefusesToKeepEverythingOrNothing) {
  EXPECT_EQ(fault(kLabel, {}), "flow.filter keeps everything: it needs in, min or max\n");
  EXPECT_EQ(fault(kLabel, {{"min", "2"}, {"max", "1"}}),
            "max: max is less than min, so nothing would be kept\n");
  EXPECT_EQ(fault(kLabel, {{"in", "2"}, {"max", "1"}}), "in: in and bounds exclude each other (use one)\n");
  EXPECT_EQ(fault(kLabel, {{"in", "2"}, {"field", "y"}}), "there is no field 'y'\n");
}

}  // namespace
}  // namespace headrace
