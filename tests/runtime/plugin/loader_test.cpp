// SPDX-License-Identifier: Apache-2.0
//
// Plugins of a graph, from `plugins:` to the registry.

#include "runtime/plugin/loader.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "temporary_folder.h"

namespace headrace {
namespace {

namespace fs = std::filesystem;

class Loader : public testing::Test {
 protected:
  Loader() {
    places_.bundled = folder_.path() / "bundled";
    places_.scanner = fs::path(HEADRACE_BUILD_DIR) / "lib" / "headrace" / "headrace-scan";
    places_.cache = folder_.path() / "cache" / "plugins.json";
    fs::create_directories(places_.bundled);
  }

  fs::path bundle(const std::string& name, const std::string& as = {}) {
    return folder_.copy(fs::path(TEST_LIBRARIES) / (name + ".so"),
                        "bundled/" + (as.empty() ? name : as) + ".so");
  }
  void load(const std::vector<LocatedName>& listed) {
    load_plugins(listed, TEST_LIBRARIES, places_, registry_, diagnostics_);
  }

  TemporaryFolder folder_;
  PluginPlaces places_;
  Registry registry_;
  Diagnostics diagnostics_;
};

TEST_F(Loader, LoadsTheBundledPlugins) {
  bundle("sound");
  load({});
  EXPECT_EQ(diagnostics_.render(), "");
  const RegisteredOp* op = registry_.find("sound.pass");
  ASSERT_NE(op, nullptr);
  EXPECT_EQ(op->plugin->path, (places_.bundled / "sound.so").string());
  headrace_call call{};
  EXPECT_EQ(op->table.process(nullptr, &call), HEADRACE_OK);
}

TEST_F(Loader, NeverUnloadsALibrary) {
  const fs::path path = bundle("sound");
  load({});
  registry_ = Registry();
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD);
  EXPECT_NE(library, nullptr);
  if (library != nullptr) dlclose(library);
}

TEST_F(Loader, StridesOverParametersAsLongAsThePluginsOwn) {
  for (const char* name : {"older_headers", "newer_headers"}) {
    registry_ = Registry();
    load({{name + std::string(".so"), {}}});
    EXPECT_EQ(diagnostics_.render(), "");
    const RegisteredOp* op = registry_.find("sound.pass");
    ASSERT_NE(op, nullptr) << name;
    ASSERT_EQ(op->params.size(), 2U);
    EXPECT_STREQ(op->params[0].name, "a");
    EXPECT_STREQ(op->params[1].name, "b");
    EXPECT_STREQ(op->params[1].default_yaml, "2");
    EXPECT_EQ(op->params[1].has_range, 0U);
    EXPECT_EQ(op->table.end_item, nullptr);
    EXPECT_EQ(op->table.describe, nullptr);
  }
}

TEST_F(Loader, ReportsWhatCannotBeHadAtItsPlaceInTheGraph) {
  bundle("sound");
  load({{"./crashes.so", {"graph.yaml", 3, 11}}, {"absent", {"graph.yaml", 3, 20}}});
  EXPECT_EQ(diagnostics_.render(), "graph.yaml:3:11: error: plugin './crashes.so' (" TEST_LIBRARIES
                                   "/crashes.so): it crashed while it was loaded, by signal 6 (SIGABRT); its "
                                   "last words: the licence server "
                                   "said no\n"
                                   "graph.yaml:3:20: error: plugin 'absent' is not there: no absent.so in " +
                                       places_.bundled.string() +
                                       " (add its folder to HEADRACE_PLUGIN_PATH, or give a path)\n");
  EXPECT_NE(registry_.find("sound.pass"), nullptr);
}

TEST_F(Loader, KeepsTheReasonWhenABundledPluginIsAtFault) {
  bundle("no_symbol", "image");
  bundle("sound");
  load({});
  EXPECT_EQ(diagnostics_.render(), "");
  ASSERT_NE(registry_.refused("image.decode"), nullptr);
  EXPECT_EQ(registry_.refused("image.decode")->reason,
            "it exports no headrace_plugin_get, so it is no plugin of headrace");
}

TEST_F(Loader, RepeatsAKnownReasonAndSaysHowToLookAgain) {
  const fs::path path = bundle("exits");
  bundle("sound");
  load({});
  registry_ = Registry();
  load({});
  ASSERT_NE(registry_.refused("exits.x"), nullptr);
  EXPECT_EQ(
      registry_.refused("exits.x")->reason,
      "it ended the process that loaded it, with exit code 7 (as seen earlier; 'headrace plugins check " +
          path.string() + "' looks again)");
}

TEST_F(Loader, DoesNotStartTheScannerForWhatTheCacheKnows) {
  bundle("sound");
  load({});
  ASSERT_NE(registry_.find("sound.pass"), nullptr);
  places_.scanner = "/nowhere/headrace-scan";
  registry_ = Registry();
  load({});
  EXPECT_NE(registry_.find("sound.pass"), nullptr);
}

TEST_F(Loader, LetsAListedPluginTakeThePlaceOfABundledOne) {
  bundle("sound");
  load({{"sound.so", {}}});
  EXPECT_EQ(diagnostics_.render(), "");
  ASSERT_EQ(registry_.plugins().size(), 1U);
  EXPECT_EQ(registry_.plugins().front().path, TEST_LIBRARIES "/sound.so");
}

TEST_F(Loader, TakesAPluginThatIsListedTwiceOnce) {
  load({{"sound.so", {}}, {"./sound.so", {}}});
  EXPECT_EQ(diagnostics_.render(), "");
  EXPECT_EQ(registry_.plugins().size(), 1U);
}

TEST_F(Loader, RefusesTwoListedPluginsOfOneName) {
  load({{"sound.so", {"g.yaml", 1, 1}}, {"talks.so", {"g.yaml", 1, 9}}});
  EXPECT_EQ(diagnostics_.render(), "g.yaml:1:9: error: plugin 'talks.so' (" TEST_LIBRARIES
                                   "/talks.so): a plugin named 'sound' is there already, from " TEST_LIBRARIES
                                   "/sound.so (rename one, or take one away)\n");
}

TEST_F(Loader, SaysThatNoPluginIsThereAtAll) {
  load({});
  EXPECT_NE(diagnostics_.render().find("no plugin could be loaded"), std::string::npos);
}

TEST_F(Loader, ShowsEveryLibraryAndWhichOneHidesWhich) {
  bundle("sound");
  bundle("other_major");
  places_.search = {folder_.path() / "mine"};
  folder_.write("mine/x", "");
  folder_.copy(fs::path(TEST_LIBRARIES) / "talks.so", "mine/sound.so");
  const std::vector<PluginReport> reports = find_plugins(places_);
  ASSERT_EQ(reports.size(), 3U);
  EXPECT_EQ(reports[0].found_in, "HEADRACE_PLUGIN_PATH");
  EXPECT_TRUE(reports[0].hidden_by.empty());
  EXPECT_FALSE(reports[1].result.status.ok());
  EXPECT_EQ(reports[2].found_in, "bundled");
  EXPECT_EQ(reports[2].hidden_by, reports[0].path);

  const nlohmann::json refused = to_json(reports[1]);
  EXPECT_EQ(refused["ok"], false);
  EXPECT_EQ(refused["hidden_by"], nullptr);
  EXPECT_NE(refused["reason"].get<std::string>().find("built for plugin ABI 2"), std::string::npos);
  const nlohmann::json sound = to_json(reports[2]);
  EXPECT_EQ(sound["ok"], true);
  EXPECT_EQ(sound["abi"], "1.0");
  EXPECT_EQ(sound["ops"][0]["name"], "sound.pass");
}

TEST_F(Loader, ScansAFileAnewWhenAsked) {
  const fs::path path = bundle("sound");
  EXPECT_FALSE(find_plugins(places_)[0].from_cache);
  EXPECT_TRUE(find_plugins(places_)[0].from_cache);
  places_.scanner = "/nowhere/headrace-scan";
  EXPECT_FALSE(check_plugin_file(path, places_).result.status.ok());
  EXPECT_EQ(check_plugin_file("/nowhere/acme.so", places_).result.status.message(), "there is no such file");
}

}  // namespace
}  // namespace headrace
