// SPDX-License-Identifier: Apache-2.0
//
// Values and records of the bench.

#include "headrace/testing/value.h"

#include <gtest/gtest.h>

#include "headrace/testing/declared.h"

namespace headrace::testing {
namespace {

TEST(Value, KeepsWhatItIsMadeOf) {
  const Value tensor = Value::tensor<std::int16_t>({2, 3}, {1, 2, 3, 4, 5, -6});
  EXPECT_EQ(tensor.shape(), (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(tensor.elements<std::int16_t>(), (std::vector<std::int16_t>{1, 2, 3, 4, 5, -6}));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(tensor.c().data) % 64, 0U);
  EXPECT_EQ(Value::scalar(2.5).elements<double>(), std::vector<double>{2.5});
  EXPECT_EQ(Value::bytes(std::string_view("a\0b", 3)).content(), std::string("a\0b", 3));
  EXPECT_THROW(tensor.elements<float>(), std::invalid_argument);
  EXPECT_THROW(Value::tensor<float>({2}, {1.0F}), std::invalid_argument);
  EXPECT_THROW(tensor.content(), std::invalid_argument);
}

TEST(Value, IsEqualByKindShapeAndContent) {
  const Value a = Value::tensor<std::uint8_t>({2}, {1, 2});
  EXPECT_EQ(a, Value::tensor<std::uint8_t>({2}, {1, 2}));
  EXPECT_FALSE(a == Value::tensor<std::uint8_t>({2}, {1, 3}));
  EXPECT_FALSE(a == Value::tensor<std::uint8_t>({1, 2}, {1, 2}));
  EXPECT_FALSE(a == Value::tensor<std::int8_t>({2}, {1, 2}));
  EXPECT_FALSE(Value::bytes("x") == Value::string("x"));
  EXPECT_EQ(Value::empty(HEADRACE_FLOAT32, {0, 3}), Value::empty(HEADRACE_FLOAT32, {0, 3}));
}

TEST(Record, KeepsTheOrderOfItsFields) {
  Record record = {{"b", Value::scalar(1)}, {"a", Value::scalar(2)}};
  record.set("c", Value::scalar(3));
  record.set("b", Value::scalar(4));
  EXPECT_EQ(record.names(), (std::vector<std::string>{"b", "a", "c"}));
  EXPECT_EQ(record["b"], Value::scalar(4));
  record.remove("a");
  EXPECT_EQ(record.find("a"), nullptr);
  EXPECT_THROW(record["a"], std::out_of_range);
}

TEST(FieldSpec, ReadsAsAPersonWouldWriteIt) {
  const Value picture = Value::empty(HEADRACE_FLOAT32, {3, 4, 5}, HEADRACE_LAYOUT_CHW);
  const FieldSpec spec = FieldSpec::of("image", picture);
  EXPECT_EQ(spec.to_string(), "image: float32[3, 4, 5] CHW");
  EXPECT_EQ(spec.with_any(1, "H").with_any(2).on({HEADRACE_CUDA, 1}).to_string(),
            "image: float32[3, H, ?] CHW on cuda:1");
  EXPECT_EQ(FieldSpec::of("path", Value::string("x")).to_string(), "path: string");
  EXPECT_EQ(spec.known_bytes(), 240);
  EXPECT_EQ(spec.known_bytes(1), 80);
  EXPECT_EQ(spec.with_any(1).known_bytes(), -1);
}

}  // namespace
}  // namespace headrace::testing
