// SPDX-License-Identifier: Apache-2.0
//
// Walks by several threads: against one thread, and against std::filesystem.

#include "plugins/source/folder_walk.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <headrace/cpp/call.hpp>
#include <tuple>

#include "tests/plugins/source/trees.h"

namespace headrace::source {
namespace {

namespace fs = std::filesystem;

std::string failure(const std::string& root, const WalkRules& rules) {
  Folder tree;
  try {
    walk(root, rules, tree);
  } catch (const Error& e) {
    return e.what();
  }
  return "no failure";
}

TEST(FolderWalk, FindsTheSameOnAnyNumberOfThreads) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    const TemporaryFolder root;
    make_random_tree(root, seed);
    for (const bool follow_links : {true, false}) {
      WalkRules rules = plain_rules(1);
      rules.files.follow_links = follow_links;
      rules.files.extensions = seed % 2 == 0 ? std::vector<std::string>{".jpg"} : std::vector<std::string>{};
      const std::string expected = listed_anew(root.path(), rules);
      for (const std::size_t threads : {2, 7, 32}) {
        rules.threads = threads;
        EXPECT_EQ(listed_anew(root.path(), rules), expected)
            << "seed " << seed << ", " << threads << " threads";
      }
    }
  }
}

TEST(FolderWalk, OrdersByFolderThenNameAsBytes) {
  for (unsigned seed = 0; seed < 5; ++seed) {
    const TemporaryFolder root;
    make_random_tree(root, seed);
    std::vector<std::tuple<std::string, std::string>> expected;
    for (const auto& entry : fs::recursive_directory_iterator(root.path())) {
      const fs::path path = entry.path().lexically_relative(root.path());
      if (!entry.is_directory()) expected.emplace_back(path.parent_path().string(), path.filename().string());
    }
    std::sort(expected.begin(), expected.end());
    WalkRules rules = plain_rules();
    rules.files.follow_links = false;
    Folder tree;
    walk(root.path().string(), rules, tree);
    std::vector<std::tuple<std::string, std::string>> found;
    for (const FilledFolder& filled : in_order(tree)) {
      for (const NameBlock& names : filled.folder->files) {
        for (std::uint32_t i = 0; i < names.size(); ++i) found.emplace_back(filled.path, names[i]);
      }
    }
    // Links to folders are neither files nor followed.
    std::erase_if(expected, [&](const auto& file) {
      return fs::is_directory(root.path() / std::get<0>(file) / std::get<1>(file));
    });
    EXPECT_EQ(found, expected) << "seed " << seed;
  }
}

TEST(FolderWalk, SortsFoldersOfManyNames) {
  const TemporaryFolder root;
  const fs::path one = root.write("one", "");
  for (int i = 0; i < 70'000; ++i)
    ASSERT_TRUE(link(one.c_str(), (root.path() / ("n" + std::to_string(i * 7919 % 70'000))).c_str()) == 0 ||
                errno == EMLINK);
  Folder tree;
  walk(root.path().string(), plain_rules(), tree);
  std::string last;
  std::size_t count = 0;
  for (const NameBlock& names : tree.files) {
    for (std::uint32_t i = 0; i < names.size(); ++i, ++count) {
      ASSERT_LT(last, names[i]);
      last = names[i];
    }
  }
  EXPECT_EQ(count, static_cast<std::size_t>(std::distance(fs::directory_iterator(root.path()), {})));
}

TEST(FolderWalk, TellsHowFarItIsAndLeavesNoFileOut) {
  const TemporaryFolder root;
  make_random_tree(root, 3);
  WalkRules rules = plain_rules();
  std::uint64_t told = 0;
  rules.cancelled = [&](std::uint64_t files) {
    told += files;
    return false;
  };
  const std::string found = listed_anew(root.path(), rules);
  const auto folders = std::count(found.begin(), found.end(), '[');
  EXPECT_EQ(told, static_cast<std::uint64_t>(std::count(found.begin(), found.end(), '\n') - folders));
}

TEST(FolderWalk, EndsWhenItIsToldTo) {
  const TemporaryFolder root;
  make_random_tree(root, 4);
  for (int after = 0; after < 2; ++after) {
    WalkRules rules = plain_rules();
    rules.cancelled = [asked = 0, after](std::uint64_t) mutable { return asked++ == after; };
    EXPECT_EQ(failure(root.path().string(), rules), "the listing was stopped");
  }
}

TEST(FolderWalk, NamesTheFirstOfSeveralFoldersThatCannotBeRead) {
  const TemporaryFolder root;
  for (const char* name : {"a/x/1", "b/locked/1", "c/locked/1", "c/2"}) root.write(name, "");
  ASSERT_EQ(chmod(root.path().c_str(), 0755), 0);
  for (const char* name : {"b/locked", "c/locked"}) ASSERT_EQ(chmod((root.path() / name).c_str(), 0), 0);
  const uid_t before = geteuid();
  if (before == 0) {
    ASSERT_EQ(seteuid(65534), 0);
  }
  for (const std::size_t threads : {1, 2, 16}) {
    EXPECT_EQ(failure(root.path().string(), plain_rules(threads)),
              "folder '" + root.path().string() +
                  "/b/locked' cannot be listed: Permission denied (give this user the right to read it)");
  }
  if (before == 0) {
    ASSERT_EQ(seteuid(before), 0);
  }
  for (const char* name : {"b/locked", "c/locked"}) ASSERT_EQ(chmod((root.path() / name).c_str(), 0700), 0);
}

}  // namespace
}  // namespace headrace::source
