// SPDX-License-Identifier: Apache-2.0
//
// Folders made for a test, and what a walk of them found as text.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/source/folder_walk.h"
#include "tests/runtime/plugin/temporary_folder.h"

namespace headrace::source {

/// Rules by which any file counts, and by whose clock everything was changed long ago.
inline WalkRules plain_rules(std::size_t threads = 4) {
  WalkRules rules;
  rules.threads = threads;
  rules.settle.known_file_systems_only = false;
  rules.settle.now_ns = [] { return system_now_ns() + 3'600'000'000'000; };
  return rules;
}

/// All that a walk found, but for stamps: a line a folder with its marks, a line a file.
inline std::string text_of(const Folder& folder) {
  std::string text = "[" + folder.path() + (folder.is_link ? " link" : "") +
                     (folder.is_cycle ? " cycle" : "") +
                     (folder.left_out > 0 ? " left out " + std::to_string(folder.left_out) : "") + "]\n";
  for (const NameBlock& block : folder.files) {
    for (std::uint32_t i = 0; i < block.size(); ++i) text += std::string(block[i]) + "\n";
  }
  for (const auto& inside : folder.folders) {
    EXPECT_EQ(inside->parent, &folder);
    text += text_of(*inside);
  }
  return text;
}

/// A tree that a walk of its own, on one thread, finds.
inline std::string listed_anew(const std::filesystem::path& root, WalkRules rules = plain_rules(1)) {
  Folder tree;
  walk(root.string(), rules, tree);
  return text_of(tree);
}

/// Some hundred files in folders up to five deep, some empty, with links to files, to folders, to folders
/// above and to nowhere.
inline void make_random_tree(const TemporaryFolder& root, unsigned seed) {
  namespace fs = std::filesystem;
  std::mt19937 random(seed);
  std::vector<fs::path> folders{root.path()};
  for (int i = 0; i < 60; ++i) {
    const fs::path& parent = folders[random() % folders.size()];
    if (std::distance(parent.begin(), parent.end()) >
        std::distance(root.path().begin(), root.path().end()) + 5)
      continue;
    const fs::path folder = parent / ("d" + std::to_string(random() % 40) + (random() % 3 == 0 ? "-x" : ""));
    if (fs::create_directory(folder)) folders.push_back(folder);
  }
  const char* const endings[] = {".jpg", ".JPG", ".txt", "", ".png"};
  for (int i = 0; i < 400; ++i) {
    const fs::path& folder = folders[random() % folders.size()];
    std::ofstream(folder / ("f" + std::to_string(random() % 1000) + endings[random() % 5])).put('x');
  }
  std::error_code taken;
  for (int i = 0; i < 12; ++i) {
    const fs::path link = folders[random() % folders.size()] / ("l" + std::to_string(i));
    const fs::path leaf = folders[random() % folders.size()];
    fs::create_symlink(i % 4 == 0 ? fs::path("/nowhere/at/all") : leaf, link, taken);
  }
}

}  // namespace headrace::source
