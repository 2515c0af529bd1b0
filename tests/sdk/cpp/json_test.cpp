// SPDX-License-Identifier: Apache-2.0
//
// json_text(): the ill-formed sequences are those of the Unicode Standard 15, table 3-8 and section 3.9.

#include <gtest/gtest.h>

#include <headrace/cpp/json.hpp>

namespace headrace {
namespace {

TEST(JsonText, EscapesWhatJsonReserves) {
  EXPECT_EQ(json_text("a \"b\" \\ /"), "\"a \\\"b\\\" \\\\ /\"");
  EXPECT_EQ(json_text(std::string_view("\0\n\t\x1f", 4)), "\"\\u0000\\u000a\\u0009\\u001f\"");
  EXPECT_EQ(json_text(""), "\"\"");
}

TEST(JsonText, KeepsUtf8) {
  for (const char* text :
       {"é", "日本", "\xF0\x9F\x90\x88", "\x7F", "\xED\x9F\xBF", "\xEE\x80\x80", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_EQ(json_text(text), "\"" + std::string(text) + "\"");
  }
}

TEST(JsonText, RepairsWhatIsNoUtf8ByteByByte) {
  const std::string r = "\xEF\xBF\xBD";
  EXPECT_EQ(json_text("a\xFFz"), "\"a" + r + "z\"");
  EXPECT_EQ(json_text("\xC0\xAF"), "\"" + r + r + "\"");                  // overlong
  EXPECT_EQ(json_text("\xE0\x9F\x80"), "\"" + r + r + r + "\"");          // overlong
  EXPECT_EQ(json_text("\xED\xA0\x80"), "\"" + r + r + r + "\"");          // a surrogate
  EXPECT_EQ(json_text("\xF4\x90\x80\x80"), "\"" + r + r + r + r + "\"");  // beyond U+10FFFF
  EXPECT_EQ(json_text("\xE6\x97"), "\"" + r + r + "\"");                  // cut short
  EXPECT_EQ(json_text("\xC3"), "\"" + r + "\"");
}

}  // namespace
}  // namespace headrace
