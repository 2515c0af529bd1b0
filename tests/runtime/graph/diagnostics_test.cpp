// SPDX-License-Identifier: Apache-2.0
//
// Order and looks of diagnostics, and the names that a typo is taken for.

#include "runtime/graph/diagnostics.h"

#include <gtest/gtest.h>

namespace headrace {
namespace {

using Names = std::vector<std::string>;

TEST(Diagnostics, ComeOutInTheOrderOfTheFile) {
  Diagnostics diagnostics;
  diagnostics.error({"b.yaml", 1, 1}, "last");
  diagnostics.error({"a.yaml", 10, 2}, "third");
  diagnostics.warning({"a.yaml", 9, 12}, "second");
  diagnostics.note({"a.yaml", 9, 2}, "first");
  EXPECT_EQ(diagnostics.render(),
            "a.yaml:9:2: note: first\n"
            "a.yaml:9:12: warning: second\n"
            "a.yaml:10:2: error: third\n"
            "b.yaml:1:1: error: last\n");
}

TEST(Diagnostics, AtOnePlaceKeepTheOrderInWhichTheyWereFound) {
  Diagnostics diagnostics;
  diagnostics.error({"a.yaml", 1, 1}, "z");
  diagnostics.error({"a.yaml", 1, 1}, "a");
  EXPECT_EQ(diagnostics.render(), "a.yaml:1:1: error: z\na.yaml:1:1: error: a\n");
}

TEST(Diagnostics, SayTheSameOnce) {
  Diagnostics diagnostics;
  diagnostics.error({"a.yaml", 1, 1}, "same");
  diagnostics.error({"a.yaml", 1, 1}, "same");
  EXPECT_EQ(diagnostics.error_count(), 1U);
  diagnostics.error({"a.yaml", 1, 2}, "same");
  EXPECT_EQ(diagnostics.error_count(), 2U);
}

TEST(Diagnostics, LeaveOutWhatIsUnknownOfAPlace) {
  Diagnostics diagnostics;
  diagnostics.error({"--set a.b", 0, 0}, "no line");
  diagnostics.error({}, "no file");
  EXPECT_EQ(diagnostics.render(), "error: no file\n--set a.b: error: no line\n");
}

TEST(Diagnostics, OfWarningsAloneAreNoErrors) {
  Diagnostics diagnostics;
  diagnostics.warning({"a.yaml", 1, 1}, "careful");
  EXPECT_FALSE(diagnostics.has_errors());
  EXPECT_FALSE(diagnostics.empty());
}

TEST(EditDistance, CountsEachKindOfEditOnce) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("scale", "scael"), 1U);
  EXPECT_EQ(edit_distance("crop", "corp"), 1U);
  EXPECT_EQ(edit_distance("crop", "crp"), 1U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  // The restricted distance edits no part twice: "ca" -> "ac" -> "abc" does not count.
  EXPECT_EQ(edit_distance("ca", "abc"), 3U);
}

TEST(NearestName, FindsATypo) {
  const Names names{"size", "scale", "ratio", "interpolation"};
  EXPECT_EQ(nearest_name("scael", names), "scale");
  EXPECT_EQ(nearest_name("Size", names), "size");
  EXPECT_EQ(nearest_name("interpolatoin", names), "interpolation");
  EXPECT_EQ(nearest_name("rato", names), "ratio");
}

TEST(NearestName, IsNobodyWhenAllAreFar) {
  EXPECT_EQ(nearest_name("banana", {"size", "scale", "ratio"}), std::nullopt);
  EXPECT_EQ(nearest_name("", {"a"}), std::nullopt);
  EXPECT_EQ(nearest_name("x", {"y"}), std::nullopt);
  EXPECT_EQ(nearest_name("size", {}), std::nullopt);
  EXPECT_EQ(nearest_name(std::string(100'000, 'a'), {std::string(100'000, 'b')}), std::nullopt);
}

TEST(NearestName, TakesTheNearestAndThenTheFirst) {
  EXPECT_EQ(nearest_name("cropp", {"drop", "crop"}), "crop");
  EXPECT_EQ(nearest_name("bat", {"bad", "cat"}), "bad");
}

TEST(DidYouMean, FallsBackToTheNamesThereAre) {
  EXPECT_EQ(did_you_mean_or_allowed("scael", {"size", "scale"}), " (did you mean 'scale'?)");
  EXPECT_EQ(did_you_mean_or_allowed("banana", {"size", "scale"}), " (allowed: size, scale)");
  EXPECT_EQ(did_you_mean_or_allowed("banana", Names(13, "size")), "");
  EXPECT_EQ(did_you_mean("banana", {"size"}), "");
}

}  // namespace
}  // namespace headrace
