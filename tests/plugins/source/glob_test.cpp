// SPDX-License-Identifier: Apache-2.0
//
// Patterns against paths; check_glob.py holds the table against Python's glob (recursive, hidden files
// included).

#include "plugins/source/glob.h"

#include <gtest/gtest.h>

namespace headrace::source {
namespace {

struct Case {
  const char* pattern;
  const char* path;
  bool matches;
};

constexpr Case kCases[] = {
    {"*.jpg", "a.jpg", true},
    {"*.jpg", "a/b.jpg", false},
    {"*.jpg", ".jpg", true},
    {"*.jpg", "a.JPG", false},
    {"**/*.jpg", "a.jpg", true},
    {"**/*.jpg", "a/b/c.jpg", true},
    {"a/**/*.jpg", "a/b.jpg", true},
    {"a/**/*.jpg", "a/x/y/b.jpg", true},
    {"a/**/*.jpg", "b/a/b.jpg", false},
    {"**/x/**/y/*.png", "x/y/a.png", true},
    {"**/x/**/y/*.png", "p/x/q/r/y/a.png", true},
    {"**/x/**/y/*.png", "p/x/q/y/r/a.png", false},
    {"**/x/**/y/*.png", "x/y/y/a.png", true},
    {"**", "a/b/c", true},
    {"a/**", "a/b/c", true},
    {"a/**", "b", false},
    {"?.jpg", "ab.jpg", false},
    {"[a-c]?.jpg", "bz.jpg", true},
    {"[!a-c]?.jpg", "bz.jpg", false},
    {"train/*/1*.jpg", "train/cat/12.jpg", true},
    {"train/*/1*.jpg", "train/cat/deep/12.jpg", false},
    {"a/b", "a/b/c", false},
    {"a/b/c", "a/b", false},
};

TEST(Glob, MatchesAsPythonsGlobDoes) {
  for (const Case& c : kCases)
    EXPECT_EQ(Glob(c.pattern).matches(c.path), c.matches) << c.pattern << " and " << c.path;
}

TEST(Glob, IsNotSlowForPatternsMadeToBeSo) {
  std::string pattern;
  std::string path;
  for (int i = 0; i < 40; ++i) {
    pattern += "**/a/";
    path += "a/";
  }
  EXPECT_FALSE(Glob(pattern + "b").matches(path + "c"));
}

}  // namespace
}  // namespace headrace::source
