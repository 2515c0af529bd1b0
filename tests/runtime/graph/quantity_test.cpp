// SPDX-License-Identifier: Apache-2.0
//
// Sizes and durations as they are written.

#include "runtime/graph/quantity.h"

#include <gtest/gtest.h>

#include "runtime/graph/scalar.h"

namespace headrace {
namespace {

std::int64_t size(std::string_view text) {
  const Result<std::int64_t> bytes = parse_size(text);
  return bytes.ok() ? *bytes : -1;
}

double seconds(std::string_view text) {
  const Result<double> parsed = parse_seconds(text);
  return parsed.ok() ? *parsed : -1;
}

Value plain(std::string_view text) {
  Diagnostics diagnostics;
  return plain_scalar(text, {}, diagnostics);
}

TEST(Size, HasBinaryAndDecimalUnits) {
  EXPECT_EQ(size("64MiB"), 67108864);
  EXPECT_EQ(size("8GiB"), 8589934592);
  EXPECT_EQ(size("1.5GiB"), 1610612736);
  EXPECT_EQ(size("500MB"), 500000000);
  EXPECT_EQ(size("10 KiB"), 10240);
  EXPECT_EQ(size("3kB"), 3000);
  EXPECT_EQ(size("2TB"), 2000000000000);
  EXPECT_EQ(size("1TiB"), 1099511627776);
  EXPECT_EQ(size("12B"), 12);
  EXPECT_EQ(size("4096"), 4096);
  EXPECT_EQ(size("0.1KiB"), 102);
}

TEST(Size, IsRefusedWhenItsUnitIsAGuess) {
  for (const char* text : {"", "MiB", "64M", "64mb", "64MIB", "-1MiB", "+1MiB", "1.5", "1e3", "1,5GiB",
                           "64MiBs", "1.5B", "0x10", "inf", "8388608TiB"}) {
    EXPECT_EQ(size(text), -1) << text;
  }
}

TEST(Size, OfAValueMayBeAPlainNumber) {
  EXPECT_EQ(*size_of(plain("4096")), 4096);
  EXPECT_EQ(*size_of(plain("64MiB")), 67108864);
  EXPECT_EQ(size_of(plain("-1")).status().message(),
            "a size such as 64MiB, 500MB or a whole number of bytes, not the integer -1");
  EXPECT_FALSE(size_of(plain("1.5")).ok());
  EXPECT_FALSE(size_of(plain("true")).ok());
}

TEST(Duration, HasUnitsFromMicrosecondsToHours) {
  EXPECT_DOUBLE_EQ(seconds("500ms"), 0.5);
  EXPECT_DOUBLE_EQ(seconds("30s"), 30);
  EXPECT_DOUBLE_EQ(seconds("2min"), 120);
  EXPECT_DOUBLE_EQ(seconds("1.5h"), 5400);
  EXPECT_DOUBLE_EQ(seconds("250us"), 0.00025);
  EXPECT_DOUBLE_EQ(seconds("3"), 3);
  EXPECT_DOUBLE_EQ(*seconds_of(plain("0.25")), 0.25);
}

TEST(Duration, IsRefusedWhenItsUnitIsAGuess) {
  for (const char* text : {"", "5m", "5sec", "-3s", "s", "5 s s"}) EXPECT_EQ(seconds(text), -1) << text;
  EXPECT_FALSE(seconds_of(plain("-1")).ok());
  EXPECT_FALSE(seconds_of(plain(".inf")).ok());
}

TEST(SizeText, UsesTheLargestUnitThatFits) {
  EXPECT_EQ(size_text(0), "0 B");
  EXPECT_EQ(size_text(1023), "1023 B");
  EXPECT_EQ(size_text(1024), "1 KiB");
  EXPECT_EQ(size_text(1536), "1.5 KiB");
  EXPECT_EQ(size_text(64 << 20), "64 MiB");
  EXPECT_EQ(size_text(9007199254740992), "8192 TiB");
}

}  // namespace
}  // namespace headrace
