// SPDX-License-Identifier: Apache-2.0

#include "folder_listing.h"

#include <chrono>
#include <filesystem>
#include <headrace/cpp/call.hpp>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "fingerprint.h"
#include "listing_cache.h"

namespace headrace::source {
namespace {

/// What takes less is sooner listed anew than looked after.
constexpr std::chrono::seconds kWorthACache{1};

/// Links resolved, as far as the path leads somewhere.
std::string whole_path(const std::string& path) {
  std::error_code error;
  std::filesystem::path whole = std::filesystem::absolute(path, error);
  if (!error) whole = std::filesystem::weakly_canonical(whole, error);
  return error ? path : whole.string();
}

/// All that a tree depends on but the folders themselves.
std::string key_of(const FolderRules& rules) {
  const FileRules& files = rules.walk.files;
  std::string key = whole_path(rules.root);
  const auto add = [&](std::string_view text) { key.append(1, '\0').append(text); };
  add(rules.has_classes ? "classes" : "flat");
  add(files.follow_links ? "links followed" : "links not followed");
  for (const std::string& extension : files.extensions) add(extension);
  add("globs");
  for (const Glob& glob : files.globs) add(glob.pattern());
  return key;
}

/// "" for none.
std::string cache_file(const FolderRules& rules, const std::string& key) {
  if (rules.cache == "auto") return own_cache_file(key);
  if (rules.cache == "off") return "";
  const std::string root = whole_path(rules.root);
  if (whole_path(rules.cache).starts_with(root.ends_with('/') ? root : root + "/")) {
    throw Error(HEADRACE_INVALID_ARGUMENT,
                "cache '" + rules.cache +
                    "' lies in the root that it is for, and would change it (put it "
                    "elsewhere)");
  }
  return rules.cache;
}

struct LeftOut {
  std::uint64_t files = 0;
  std::uint64_t cycles = 0;
};

void count(const Folder& folder, LeftOut& left_out) {
  left_out.files += folder.left_out;
  left_out.cycles += folder.is_cycle ? 1 : 0;
  for (const auto& inside : folder.folders) count(*inside, left_out);
}

/// The folders of the root, or of each class.
std::vector<std::vector<FilledFolder>> groups_of(Folder& tree, bool has_classes) {
  std::vector<std::vector<FilledFolder>> groups;
  if (!has_classes) groups.push_back(in_order(tree));
  for (const auto& inside : tree.folders) {
    if (has_classes) groups.push_back(in_order(*inside));
  }
  return groups;
}

Hash128 hash_of(const std::vector<std::vector<FilledFolder>>& groups) {
  PathsHash hash;
  for (const auto& group : groups) {
    for (const FilledFolder& filled : group) {
      for (const NameBlock& names : filled.folder->files) hash.add(filled.path, names);
    }
  }
  return hash.value();
}

void check_classes(const FolderRules& rules, const Folder& tree,
                   const std::vector<std::vector<FilledFolder>>& groups) {
  if (groups.empty()) {
    throw Error(HEADRACE_NOT_FOUND,
                "root '" + rules.root +
                    "' holds no folder, and image_folder wants one a class (point root at the "
                    "folder of the classes, or set layout: flat)");
  }
  for (std::size_t i = 0; i < groups.size() && !rules.allow_empty; ++i) {
    if (!groups[i].empty()) continue;
    const std::string slash = rules.root.ends_with('/') ? "" : "/";
    throw Error(HEADRACE_NOT_FOUND, "class folder '" + rules.root + slash + tree.folders[i]->name +
                                        "' holds no " + rules.counts +
                                        " (remove the folder, or set allow_empty: true)");
  }
}

void fill(const FolderRules& rules, const Folder& tree, std::vector<std::vector<FilledFolder>> groups,
          Listing& listing) {
  if (rules.has_classes) check_classes(rules, tree, groups);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (rules.has_classes) listing.begin_class(tree.folders[i]->name);
    for (FilledFolder& filled : groups[i]) listing.add_folder(filled.path, std::move(filled.folder->files));
    groups[i] = {};
  }
  listing.finish();
  if (listing.size() == 0) {
    throw Error(HEADRACE_NOT_FOUND,
                "root '" + rules.root + "' holds no " + rules.counts + " (point root at your files)");
  }
}

}  // namespace

FolderListed list_folder(const FolderRules& rules, Listing& listing) {
  const std::string key = key_of(rules);
  const bool is_own_cache = rules.cache == "auto";
  ListingCache cache(cache_file(rules, key), key, is_own_cache,
                     {.warn = rules.warn, .cancelled = [&] { return rules.walk.cancelled(0); }});
  Folder tree;
  const std::optional<Hash128> known = cache.load(tree);
  const auto begun = std::chrono::steady_clock::now();
  FolderListed listed;
  listed.folders = walk(rules.root, rules.walk, tree);
  const bool was_slow = std::chrono::steady_clock::now() - begun > kWorthACache;

  std::vector<std::vector<FilledFolder>> groups = groups_of(tree, rules.has_classes);
  listed.paths = known && listed.folders.read == 0 ? *known : hash_of(groups);
  if (listed.folders.settled > 0 && (known || was_slow || !is_own_cache)) cache.store(tree, listed.paths);
  fill(rules, tree, std::move(groups), listing);

  LeftOut left_out;
  count(tree, left_out);
  if (left_out.files + left_out.cycles > 0) {
    rules.warn("root '" + rules.root + "': left out " + std::to_string(left_out.files) +
               " that are no regular files and " + std::to_string(left_out.cycles) +
               " links to a folder above them");
  }
  return listed;
}

}  // namespace headrace::source
