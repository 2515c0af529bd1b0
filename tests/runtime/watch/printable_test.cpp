// SPDX-License-Identifier: Apache-2.0
//
// What names of files and plugins' words may do to a message: nothing.
#include "runtime/printable.h"

#include <gtest/gtest.h>

#include "runtime/graph/diagnostics.h"
#include "runtime/watch/log.h"

namespace headrace {
namespace {

TEST(Printable, LeavesTextAlone) {
  for (const char* text : {"", "photos/cat 1.jpg", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x90\x88", "a\\xffb"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, EscapesControlCharacters) {
  EXPECT_EQ(printable("a\nb\tc\x1b[31m\x7f"), "a\\x0ab\\x09c\\x1b[31m\\x7f");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\xc2\\x9b31m");  // CSI as one character, which terminals obey too
  EXPECT_EQ(printable("a\nb\tc\r", "\n\t"), "a\nb\tc\\x0d");
}

TEST(Printable, EscapesWhatIsNoUtf8ByteByByte) {
  EXPECT_EQ(printable("\xff.jpg"), "\\xff.jpg");
  EXPECT_EQ(printable("\xc0\x80 \xed\xa0\x80 \xe2\x82"), "\\xc0\\x80 \\xed\\xa0\\x80 \\xe2\\x82");
}

TEST(Printable, IsWhatADiagnosticIs) {
  Diagnostic diagnostic;
  diagnostic.where = {"\xff.yaml", 3, 1};
  diagnostic.text = "no \x1b file '\xfe'\n  second line";
  EXPECT_EQ(to_string(diagnostic), "\\xff.yaml:3:1: error: no \\x1b file '\\xfe'\n  second line");
}

TEST(Printable, IsWhatTheLogIs) {
  std::string heard;
  set_log([](void* to, headrace_log_level,
             headrace_text text) { static_cast<std::string*>(to)->assign(text.data, text.size); },
          &heard, HEADRACE_LOG_INFO);
  log(HEADRACE_LOG_WARNING, "skipped: \xff\nerror: forged");
  set_log(nullptr, nullptr, HEADRACE_LOG_WARNING);
  EXPECT_EQ(heard, "skipped: \\xff\\x0aerror: forged");
}

}  // namespace
}  // namespace headrace
