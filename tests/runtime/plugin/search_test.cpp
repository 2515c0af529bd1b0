// SPDX-License-Identifier: Apache-2.0
//
// Names and paths of plugins made into files.

#include "runtime/plugin/search.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "temporary_folder.h"

namespace headrace {
namespace {

namespace fs = std::filesystem;

/// Sets a variable for one test.
class Environment {
 public:
  Environment(const char* name, const std::string& value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    setenv(name, value.c_str(), 1);
  }
  ~Environment() { old_.empty() ? unsetenv(name_) : setenv(name_, old_.c_str(), 1); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
  std::string old_;
};

TEST(Search, TakesTheFirstFolderThatHasTheName) {
  const TemporaryFolder folder;
  folder.write("b/acme.so", "");
  folder.write("c/acme.so", "");
  folder.write("bundled/acme.so", "");
  PluginPlaces places;
  places.search = {folder.path() / "a", folder.path() / "b", folder.path() / "c"};
  places.bundled = folder.path() / "bundled";
  EXPECT_EQ(*find_library("acme", "/", places), folder.path() / "b" / "acme.so");
  places.search.clear();
  EXPECT_EQ(*find_library("acme", "/", places), folder.path() / "bundled" / "acme.so");
}

TEST(Search, ReadsAPathFromTheGraphsFolder) {
  const TemporaryFolder folder;
  const fs::path file = folder.write("graphs/lib/acme.so", "");
  EXPECT_EQ(*find_library("lib/acme.so", folder.path() / "graphs", {}), file);
  EXPECT_EQ(*find_library("../graphs/lib/acme.so", folder.path() / "graphs", {}), file);
  EXPECT_EQ(*find_library("acme.so", folder.path() / "graphs/lib", {}), file);
  EXPECT_EQ(*find_library(file.string(), "/elsewhere", {}), file);
}

TEST(Search, SaysWhereItLooked) {
  PluginPlaces places;
  places.search = {"/one", "/two"};
  places.bundled = "/three";
  EXPECT_EQ(find_library("acme", "/", places).status().message(),
            "plugin 'acme' is not there: no acme.so in /one, /two, /three (add its folder to "
            "HEADRACE_PLUGIN_PATH, or give a path)");
  EXPECT_EQ(find_library("./acme.so", "/graphs", places).status().message(),
            "plugin './acme.so' is not there: no file /graphs/acme.so (a relative path is relative to the "
            "graph file)");
}

TEST(Search, SplitsTheSearchPathAtColonsAndSkipsEmptyEntries) {
  const Environment path("HEADRACE_PLUGIN_PATH", ":/one::/two/:");
  EXPECT_EQ(plugin_places().search, (std::vector<fs::path>{"/one", "/two/"}));
}

TEST(Search, FindsTheBundledFolderBesideTheProgramThatHoldsThisCode) {
  const PluginPlaces places = plugin_places();
  EXPECT_EQ(places.bundled, fs::path(HEADRACE_BUILD_DIR) / "lib" / "headrace" / "plugins");
  EXPECT_TRUE(fs::exists(places.scanner)) << places.scanner;
}

TEST(Search, KeepsTheCacheWhereTheXdgSpecificationSays) {
  const Environment home("HOME", "/home/somebody");
  {
    const Environment cache("XDG_CACHE_HOME", "/caches");
    EXPECT_EQ(plugin_places().cache, "/caches/headrace/plugins.json");
  }
  const Environment relative("XDG_CACHE_HOME", "caches");
  EXPECT_EQ(plugin_places().cache, "/home/somebody/.cache/headrace/plugins.json");
  const Environment homeless("HOME", "");
  EXPECT_EQ(plugin_places().cache, "");
}

TEST(Search, ListsLibrariesByNameAndNothingElse) {
  const TemporaryFolder folder;
  const fs::path b = folder.write("b.so", "");
  const fs::path a = folder.write("a.so", "");
  folder.write("notes.txt", "");
  folder.write("c.so/inside.so", "");
  EXPECT_EQ(libraries_in(folder.path()), (std::vector<fs::path>{a, b}));
  EXPECT_TRUE(libraries_in(folder.path() / "nowhere").empty());
}

}  // namespace
}  // namespace headrace
