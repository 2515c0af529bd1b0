// SPDX-License-Identifier: Apache-2.0
//
// YAML text to located values, and what of YAML is refused or handled on purpose.

#include "runtime/graph/document.h"

#include <gtest/gtest.h>

#include <string>

namespace headrace {
namespace {

Value good(std::string_view text) {
  Diagnostics diagnostics;
  Value value = read_document(text, "g.yaml", diagnostics);
  EXPECT_TRUE(diagnostics.empty()) << text << "\n" << diagnostics.render();
  return value;
}

/// What is reported; the value beside it, where a test wants to see what was kept.
std::string bad(std::string_view text, Value* kept = nullptr) {
  Diagnostics diagnostics;
  Value value = read_document(text, "g.yaml", diagnostics);
  EXPECT_TRUE(diagnostics.has_errors()) << text;
  if (kept) *kept = std::move(value);
  return diagnostics.render();
}

std::string place(const Value* value) { return value ? to_string(value->where()) : "nowhere"; }

TEST(Document, KnowsThePlaceOfEverything) {
  const Value root = good(
      "a: {b: 1, c: \"x\"}\n"
      "d:\n"
      "  - e\n"
      "  - f:\n"
      "    g: ~\n");
  EXPECT_EQ(to_string(root.where()), "g.yaml:1:1");
  EXPECT_EQ(place(root.find("a")), "g.yaml:1:4");
  EXPECT_EQ(place(root.find("a")->find("c")), "g.yaml:1:14");
  const Value& list = *root.find("d");
  EXPECT_EQ(place(&list), "g.yaml:3:3");
  EXPECT_EQ(place(&list.items()[0]), "g.yaml:3:5");
  EXPECT_EQ(to_string(list.items()[1].entries()[1].key.where()), "g.yaml:5:5");
  EXPECT_EQ(place(list.items()[1].find("g")), "g.yaml:5:8");
}

TEST(Document, CountsColumnsInCharacters) {
  const Value root = good("\xC3\xA4\xE2\x82\xAC: {\xF0\x9F\x90\x84: x, b: y}\n");
  EXPECT_EQ(place(&root.entries()[0].value), "g.yaml:1:5");
  EXPECT_EQ(place(root.entries()[0].value.find("b")), "g.yaml:1:15");
}

TEST(Document, PassesOverAByteOrderMarkAndReadsWindowsLineEnds) {
  const Value root = good(
      "\xEF\xBB\xBF"
      "a: 1\r\nb: x\r\n");
  EXPECT_EQ(root.find("a")->as_integer(), 1);
  EXPECT_EQ(place(root.find("a")), "g.yaml:1:4");
  EXPECT_EQ(root.find("b")->as_string(), "x");
  EXPECT_EQ(place(root.find("b")), "g.yaml:2:4");
}

TEST(Document, TakesQuotedAndBlockScalarsForText) {
  const Value root = good("a: \"1\"\nb: 'true'\nc: |\n  2\nd: !!str 3\ne: \"\"\nf: \"<<\"\n");
  EXPECT_EQ(root.find("a")->as_string(), "1");
  EXPECT_EQ(root.find("b")->as_string(), "true");
  EXPECT_EQ(root.find("c")->as_string(), "2\n");
  EXPECT_EQ(root.find("d")->as_string(), "3");
  EXPECT_EQ(root.find("e")->as_string(), "");
  EXPECT_EQ(root.find("a")->as_integer(), std::nullopt);
}

TEST(Document, KeepsTheOrderOfKeys) {
  EXPECT_EQ(good("z: 1\na: 2\nm: 3\n").key_names(), (std::vector<std::string>{"z", "a", "m"}));
}

TEST(Document, KeepsNullsAsWritten) {
  const Value root = good("a:\nb: ~\nc: Null\n");
  EXPECT_TRUE(root.find("a")->is_null());
  EXPECT_EQ(root.find("a")->text(), "");
  EXPECT_EQ(root.find("b")->text(), "~");
  EXPECT_EQ(root.find("c")->text(), "null");
}

TEST(Document, IsNullWhenItIsEmpty) {
  EXPECT_TRUE(good("").is_null());
  EXPECT_TRUE(good("\n# only a comment\n").is_null());
}

TEST(Document, RefusesDuplicateKeysAtTheSecondsPlace) {
  Value kept;
  EXPECT_EQ(bad("a: 1\nb: {c: 1, c: 2}\n\"a\": 3\n", &kept),
            "g.yaml:2:11: error: duplicate key 'c' (first given at g.yaml:2:5)\n"
            "g.yaml:3:1: error: duplicate key 'a' (first given at g.yaml:1:1)\n");
  EXPECT_EQ(kept.find("a")->as_integer(), 1);
}

TEST(Document, TellsKeysApartByTypeAndValue) {
  EXPECT_EQ(bad("16: a\n0x10: b\n"), "g.yaml:2:1: error: duplicate key '0x10' (first given at g.yaml:1:1)\n");
  EXPECT_EQ(good("1: a\n\"1\": b\ntrue: c\n\"true\": d\n").entries().size(), 4U);
}

TEST(Document, RefusesKeysThatAreListsOrMaps) {
  EXPECT_EQ(bad("? [a]\n: b\n"), "g.yaml:1:3: error: a key must be a name, not a list\n");
  EXPECT_EQ(bad("? {a: 1}\n: b\n"), "g.yaml:1:3: error: a key must be a name, not a map\n");
}

TEST(Document, FollowsAliases) {
  const Value root = good("a: &x {b: [1, 2]}\nc: *x\nd: [*x, *x]\n");
  EXPECT_EQ(root.find("c")->find("b")->items().size(), 2U);
  EXPECT_EQ(place(root.find("c")->find("b")), "g.yaml:1:11");
  EXPECT_EQ(root.find("d")->items()[1].find("b")->items()[1].as_integer(), 2);
}

TEST(Document, RefusesAnAliasInsideItsOwnAnchor) {
  EXPECT_EQ(bad("a: &x [1, *x]\n"),
            "g.yaml:1:11: error: an alias cannot stand inside the value that its anchor names\n");
  EXPECT_EQ(bad("a: &x {b: {c: *x}}\n"),
            "g.yaml:1:15: error: an alias cannot stand inside the value that its anchor names\n");
}

TEST(Document, RefusesAnAliasOfNothing) {
  EXPECT_EQ(
      bad("a: *x\n"),
      "g.yaml:1:4: error: this alias names no anchor above it (text that begins with '*' needs quotes)\n");
}

TEST(Document, StopsAnAliasBomb) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string below = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) text += (j ? ", " : "") + below;
    text += "]\n";
  }
  EXPECT_EQ(bad(text), "g.yaml:5:45: error: aliases expand to more than 100000 values\n");
}

TEST(Document, BoundsItsDepth) {
  const auto nested = [](std::size_t depth) {
    return "a: " + std::string(depth, '[') + std::string(depth, ']') + "\n";
  };
  good(nested(kMaxDocumentDepth - 1));
  EXPECT_EQ(bad(nested(kMaxDocumentDepth)), "g.yaml:1:67: error: nested deeper than 64 levels\n");
  EXPECT_EQ(bad(nested(100'000)), "g.yaml:1:67: error: nested deeper than 64 levels\n");
}

TEST(Document, BoundsItsDepthThroughAliases) {
  std::string text = "a0: &a0 [[[[[[[[[[x]]]]]]]]]]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string n = std::to_string(i);
    text += "a" + n + ": &a" + n + " [[[[[[[[[[*a" + std::to_string(i - 1) + "]]]]]]]]]]\n";
  }
  EXPECT_EQ(bad(text), "g.yaml:7:19: error: nested deeper than 64 levels\n");
}

TEST(Document, MergesMapsBelowTheKeysWrittenInPlace) {
  const Value root = good(
      "base: &base {a: 1, b: 2}\n"
      "more: &more {b: 3, c: 4}\n"
      "one: {<<: *base, a: 9}\n"
      "two: {d: 5, <<: [*base, *more]}\n");
  const Value& one = *root.find("one");
  EXPECT_EQ(one.find("a")->as_integer(), 9);
  EXPECT_EQ(one.find("b")->as_integer(), 2);
  EXPECT_EQ(one.find("<<"), nullptr);
  const Value& two = *root.find("two");
  EXPECT_EQ(two.find("b")->as_integer(), 2) << "earlier maps of the list win";
  EXPECT_EQ(two.find("c")->as_integer(), 4);
  EXPECT_EQ(two.find("d")->as_integer(), 5);
}

TEST(Document, MergesOnlyAPlainMergeKey) {
  EXPECT_EQ(good("\"<<\": {a: 1}\n").entries()[0].key.text(), "<<");
  EXPECT_EQ(bad("<<: 3\n"), "g.yaml:1:5: error: '<<' merges a map or a list of maps, not the integer 3\n");
  EXPECT_EQ(bad("a: {<<: {b: 1}, <<: {c: 1}}\n"),
            "g.yaml:1:17: error: duplicate key '<<' (first given at g.yaml:1:5)\n");
}

TEST(Document, HoldsOneDocument) {
  good("--- \na: 1\n...\n");
  EXPECT_EQ(bad("a: 1\n---\nb: 2\n"),
            "g.yaml:2:1: error: a graph file holds one document (remove this '---' and what follows, or make "
            "it a file "
            "of its own)\n");
  EXPECT_EQ(bad("- a\nb: 1\n"),
            "g.yaml:2:1: error: what stands here belongs to nothing above (check the indentation)\n");
}

TEST(Document, RefusesTags) {
  EXPECT_EQ(bad("a: !crop {b: 1}\nb: !!int \"3\"\nc: !!python/name:x y\n"),
            "g.yaml:1:4: error: the tag !crop has no meaning in a graph file (remove it)\n"
            "g.yaml:2:4: error: the tag !!int has no meaning in a graph file (remove it)\n"
            "g.yaml:3:4: error: the tag !!python/name:x has no meaning in a graph file (remove it)\n");
}

TEST(Document, RefusesMissingElements) {
  EXPECT_EQ(bad("a: [1,,2]\nb: {,c: 1}\n"),
            "g.yaml:1:7: error: an element is missing before this comma\n"
            "g.yaml:2:5: error: an element is missing before this comma\n");
  EXPECT_EQ(good("a: [1,]\n").find("a")->items().size(), 1U);
  EXPECT_TRUE(good("a: {b, c: 1}\n").find("a")->find("b")->is_null());
}

TEST(Document, RefusesTextThatIsNoUtf8) {
  EXPECT_EQ(bad("a: 1\nb: x\xFFy\n"), "g.yaml:2:5: error: byte 0xff is no UTF-8 (save the file as UTF-8)\n");
  // Overlong, surrogate, beyond U+10FFFF, cut short.
  for (const char* bytes : {"\xC0\xAF", "\xE0\x80\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82"}) {
    EXPECT_NE(bad(std::string("a: ") + bytes).find("g.yaml:1:4: error: byte 0x"), std::string::npos);
  }
  EXPECT_FALSE(bad("\xFF\xFE"
                   "a")
                   .empty());
}

TEST(Document, RefusesControlCharacters) {
  // yaml-cpp would take 0x04 for the end of the file.
  EXPECT_EQ(bad("a: 1\n\x04\nb: 2\n"), "g.yaml:2:1: error: control character 0x04 (remove it)\n");
  EXPECT_EQ(bad(std::string("a: \0", 4)), "g.yaml:1:4: error: control character 0x00 (remove it)\n");
  EXPECT_EQ(bad("a: 1\rb: 2\n"), "g.yaml:1:5: error: control character 0x0d (remove it)\n");
  EXPECT_EQ(bad("a: \"x\\0y\"\n"), "g.yaml:1:4: error: a text cannot hold the character \\0\n");
}

TEST(Document, RefusesTabsThatIndent) {
  EXPECT_EQ(bad("nodes:\n\ta: 1\n"), "g.yaml:2:1: error: a tab cannot indent (use spaces)\n");
  EXPECT_EQ(bad("nodes:\n  a:\n  \tb: x\n"), "g.yaml:3:3: error: a tab cannot indent (use spaces)\n");
  EXPECT_EQ(bad("nodes:\n  a: 1\n\tb: 1\n"), "g.yaml:3:1: error: a tab cannot indent (use spaces)\n");
  EXPECT_EQ(good("a: \t1\t# one\nb:\t|\n  \tx\n").find("a")->as_integer(), 1);
}

TEST(Document, PointsAtBracketsAndQuotesThatAreNeverClosed) {
  EXPECT_EQ(bad("a: [1, 2\n"), "g.yaml:1:4: error: this '[' is never closed\n");
  EXPECT_EQ(bad("a:\n  b: {c: [1], d: 2\n\n"), "g.yaml:2:6: error: this '{' is never closed\n");
  EXPECT_EQ(bad("a: [1, 2\nb: 3\n"), "g.yaml:2:2: error: expected ',' or ']' (the '[' is at g.yaml:1:4)\n");
  EXPECT_EQ(bad("a: {b: [1, 2}, c}\n"),
            "g.yaml:1:13: error: this bracket does not close the '[' at g.yaml:1:8\n");
  EXPECT_EQ(bad("a: [1]]\n"), "g.yaml:1:7: error: this bracket closes nothing\n");
  // yaml-cpp would take the end of the file for the quote.
  EXPECT_EQ(bad("a: \"x\nb: 1\n"), "g.yaml:1:4: error: this quote is never closed\n");
  EXPECT_EQ(bad("a: 'it''s\n"), "g.yaml:1:4: error: this quote is never closed\n");
  EXPECT_EQ(bad("a: &x \"y\\\""), "g.yaml:1:7: error: this quote is never closed\n");
  good("a: 'it''s'\nb: \"\\\"\"\nc: &x \"y\"\n");
}

TEST(Document, SaysWhatItExpected) {
  EXPECT_EQ(bad("a: b: c\n"),
            "g.yaml:1:5: error: a ': ' cannot stand here (check the indentation; text that holds one needs "
            "quotes)\n");
  EXPECT_EQ(
      bad("a:\n    b: 1\n  c: 2\n"),
      "g.yaml:3:3: error: expected 'key: value' as in the lines above, which begin at g.yaml:1:1 (check the "
      "indentation and quotes)\n");
  EXPECT_EQ(
      bad("a: \"x\" y\n"),
      "g.yaml:1:8: error: expected 'key: value' as in the lines above, which begin at g.yaml:1:1 (check the "
      "indentation and quotes)\n");
  EXPECT_EQ(bad("a: @x\n"), "g.yaml:1:4: error: text cannot begin with this character (put it in quotes)\n");
  EXPECT_EQ(bad("a: - b\n"),
            "g.yaml:1:4: error: a list element cannot stand here (begin it on a line of its own)\n");
  EXPECT_EQ(bad("a: \"\\q\"\n"), "g.yaml:1:7: error: unknown escape character: q\n");
}

TEST(Document, IsBrokenAfterASyntaxError) {
  Value kept;
  bad("a: 1\nb: [\n", &kept);
  EXPECT_TRUE(kept.is_broken());
}

TEST(Document, HasABoundOnItsSize) {
  EXPECT_EQ(bad(std::string(kMaxDocumentBytes + 1, '#')), "g.yaml: error: the file is larger than 16 MiB\n");
}

TEST(Document, ReportsSeveralMistakesAtOnce) {
  EXPECT_EQ(bad("a: 010\nb: !x y\nb: 1\n").find("g.yaml:1:4"), 0U);
  Diagnostics diagnostics;
  read_document("a: 010\nb: !x y\nb: 1\n", "g.yaml", diagnostics);
  EXPECT_EQ(diagnostics.error_count(), 3U);
}

TEST(Setting, HasNoLinesAndUntypedScalars) {
  Diagnostics diagnostics;
  const Value list = read_setting("[1, 'b', 007]", "--set a", diagnostics);
  ASSERT_TRUE(diagnostics.empty()) << diagnostics.render();
  EXPECT_EQ(to_string(list.items()[0].where()), "--set a");
  EXPECT_EQ(list.items()[0].as_string(), "1");
  EXPECT_EQ(list.items()[0].as_integer(), 1);
  EXPECT_FALSE(list.items()[1].is_untyped());
  EXPECT_EQ(list.items()[2].as_string(), "007");
}

TEST(Setting, SaysHowToWriteText) {
  Diagnostics diagnostics;
  EXPECT_TRUE(read_setting("*.jpg", "--set a.glob", diagnostics).is_broken());
  EXPECT_EQ(
      diagnostics.render(),
      "--set a.glob: error: cannot read '*.jpg' as a value (for text, quote it: --set a.glob='\"*.jpg\"')\n");
}

}  // namespace
}  // namespace headrace
