// SPDX-License-Identifier: Apache-2.0
//
// Scalars and their types, among them the examples of the YAML 1.2.2 specification, section 10.3.2
// (example 10.9).

#include "runtime/graph/scalar.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace headrace {
namespace {

const Location kHere{"g.yaml", 3, 7};

Value typed(std::string_view text) {
  Diagnostics diagnostics;
  Value value = plain_scalar(text, kHere, diagnostics);
  EXPECT_TRUE(diagnostics.empty()) << diagnostics.render();
  EXPECT_EQ(value.where(), kHere);
  EXPECT_EQ(value.text(), text);
  return value;
}

std::string fault(std::string_view text) {
  Diagnostics diagnostics;
  EXPECT_TRUE(plain_scalar(text, kHere, diagnostics).is_broken());
  return diagnostics.render();
}

TEST(Scalar, IsTypedLikeTheExamplesOfTheSpecification) {
  EXPECT_TRUE(typed("null").is_null());
  EXPECT_EQ(typed("true").as_boolean(), true);
  EXPECT_EQ(typed("True").as_boolean(), true);
  EXPECT_EQ(typed("false").as_boolean(), false);
  EXPECT_EQ(typed("FALSE").as_boolean(), false);
  EXPECT_EQ(typed("0").as_integer(), 0);
  EXPECT_EQ(typed("0o7").as_integer(), 7);
  EXPECT_EQ(typed("0x3A").as_integer(), 0x3A);
  EXPECT_EQ(typed("-19").as_integer(), -19);
  EXPECT_EQ(typed("0.").as_real(), 0.0);
  EXPECT_EQ(typed("-0.0").as_real(), 0.0);
  EXPECT_EQ(typed(".5").as_real(), 0.5);
  EXPECT_EQ(typed("+12e03").as_real(), 12000.0);
  EXPECT_EQ(typed("-2E+05").as_real(), -200000.0);
  EXPECT_EQ(typed(".inf").as_real(), std::numeric_limits<double>::infinity());
  EXPECT_EQ(typed("-.Inf").as_real(), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(typed("+.INF").as_real(), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(typed(".NAN").as_real().value()));
}

TEST(Scalar, IsTextWhereYaml11SawSomethingElse) {
  for (const char* text :
       {"yes",   "no",  "on", "off", "y",  "1_000", "1:30", "2001-01-01", "0b101", "tRUE",  "nan", "inf",
        "-0x10", "0o8", "0x", ".",   "e3", "1e",    "1e+",  "+",          "-",     "1.2.3", "<<",  "64MiB"}) {
    EXPECT_TRUE(typed(text).is_string()) << text;
    EXPECT_EQ(typed(text).as_string(), text);
  }
}

TEST(Scalar, HoldsTheLargestIntegers) {
  EXPECT_EQ(typed("9223372036854775807").as_integer(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(typed("-9223372036854775808").as_integer(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(typed("+5").as_integer(), 5);
}

TEST(Scalar, RefusesNumbersThatDoNotFit) {
  EXPECT_EQ(fault("9223372036854775808"), "g.yaml:3:7: error: 9223372036854775808 does not fit in 64 bits\n");
  EXPECT_EQ(fault("0xFFFFFFFFFFFFFFFF"), "g.yaml:3:7: error: 0xFFFFFFFFFFFFFFFF does not fit in 64 bits\n");
  EXPECT_EQ(fault("1e999"), "g.yaml:3:7: error: 1e999 does not fit in a 64-bit floating-point number\n");
}

TEST(Scalar, RefusesLeadingZerosThatTwoYamlsReadDifferently) {
  EXPECT_EQ(fault("010"),
            "g.yaml:3:7: error: 010 has a leading zero, which YAML 1.1 reads as octal and YAML 1.2 as "
            "decimal (drop "
            "the zero, or write \"010\" for text)\n");
  EXPECT_FALSE(fault("-007").empty());
  EXPECT_FALSE(fault("00").empty());
  EXPECT_EQ(typed("00.5").as_real(), 0.5);
}

TEST(Scalar, IsARealWhereADoubleHoldsTheInteger) {
  EXPECT_EQ(typed("3").as_real(), 3.0);
  EXPECT_EQ(typed("9007199254740992").as_real(), 9007199254740992.0);
  EXPECT_EQ(typed("9007199254740993").as_real(), std::nullopt);
  EXPECT_EQ(typed("3.0").as_integer(), std::nullopt);
}

TEST(UntypedScalar, IsTextAndNumberAtOnce) {
  const Value year = untyped_scalar("2012", kHere);
  EXPECT_EQ(year.as_integer(), 2012);
  EXPECT_EQ(year.as_string(), "2012");
  const Value agent = untyped_scalar("007", kHere);
  EXPECT_EQ(agent.as_string(), "007");
  EXPECT_EQ(agent.as_integer(), std::nullopt);
  EXPECT_EQ(untyped_scalar("", kHere).as_string(), "");
  EXPECT_EQ(typed("2012").as_string(), std::nullopt);
}

TEST(Value, DescribesItselfForMessages) {
  EXPECT_EQ(typed("null").describe(), "nothing");
  EXPECT_EQ(typed("True").describe(), "true");
  EXPECT_EQ(typed("0x10").describe(), "the integer 0x10");
  EXPECT_EQ(typed("1e3").describe(), "the number 1e3");
  EXPECT_EQ(typed("abc").describe(), "the text 'abc'");
  EXPECT_EQ(Value::list({}, kHere).describe(), "a list");
  EXPECT_EQ(Value::map({}, kHere).describe(), "a map");
  const std::string umlauts = "\xC3\xA4";
  std::string many;
  for (int i = 0; i < 50; ++i) many += umlauts;
  EXPECT_EQ(typed(many).describe(), "the text '" + many.substr(0, 60) + "...'");
  EXPECT_EQ(typed("x" + many).describe(), "the text 'x" + many.substr(0, 58) + "...'");
}

}  // namespace
}  // namespace headrace
