// SPDX-License-Identifier: Apache-2.0
//
// Libraries of every fault, looked at from a safe distance.

#include "runtime/plugin/scan.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>

#include "temporary_folder.h"

namespace headrace {
namespace {

namespace fs = std::filesystem;

const fs::path kScanner = fs::path(HEADRACE_BUILD_DIR) / "lib" / "headrace" / "headrace-scan";

ScanResult scan(const std::string& name) {
  return scan_library(fs::path(TEST_LIBRARIES) / (name + ".so"), kScanner);
}

/// The reason why library `name` is refused.
std::string refusal(const std::string& name) {
  const ScanResult result = scan(name);
  EXPECT_FALSE(result.status.ok());
  return result.status.message();
}

void expect_begin(const std::string& text, const std::string& begin) {
  EXPECT_EQ(text.substr(0, begin.size()), begin);
}

TEST(Scan, TellsWhatASoundPluginHolds) {
  const ScanResult result = scan("sound");
  ASSERT_TRUE(result.status.ok()) << result.status.message();
  EXPECT_EQ(result.name, "sound");
  EXPECT_EQ(result.version, "1.0.0");
  EXPECT_EQ(result.abi_major, 1U);
  ASSERT_EQ(result.ops.size(), 1U);
  EXPECT_EQ(result.ops[0].name, "sound.pass");
}

TEST(Scan, IsNotMisledByWhatAPluginPrints) {
  const ScanResult result = scan("talks");
  ASSERT_TRUE(result.status.ok()) << result.status.message();
  EXPECT_EQ(result.name, "sound");
}

TEST(Scan, SurvivesACrashAndQuotesTheLastWords) {
  EXPECT_EQ(
      refusal("crashes"),
      "it crashed while it was loaded, by signal 6 (SIGABRT); its last words: the licence server said no");
}

TEST(Scan, SurvivesALibraryThatEndsTheProcess) {
  expect_begin(refusal("exits"), "it ended the process that loaded it, with exit code 7");
}

TEST(Scan, GivesUpOnALibraryThatHangsAndLeavesNoProcessBehind) {
  const auto result =
      scan_library(fs::path(TEST_LIBRARIES) / "hangs.so", kScanner, std::chrono::milliseconds(400));
  EXPECT_EQ(result.status.code(), Code::timeout);
  EXPECT_EQ(
      result.status.message(),
      "it did not come back within 400 ms while it was loaded (a plugin may only hand out its table there)");
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "a child was left";
}

TEST(Scan, SaysWhichLibraryIsMissing) {
  const ScanResult result = scan("needs_absent");
  EXPECT_TRUE(result.may_heal);
  EXPECT_EQ(
      result.status.message(),
      "it cannot be loaded: libtest_absent.so: cannot open shared object file: No such file or directory "
      "(a library that it needs is missing: install that, or add its folder to LD_LIBRARY_PATH)");
}

TEST(Scan, KnowsThatTextIsNoLibrary) {
  const TemporaryFolder folder;
  const fs::path file = folder.write(
      "text.so", "this is a long enough text to be read as the head of an ELF file, and it is none");
  const ScanResult result = scan_library(file, kScanner);
  EXPECT_EQ(result.status.message(),
            "it cannot be loaded: " + file.string() + ": invalid ELF header (it is no shared library)");
  EXPECT_NE(
      scan_library(folder.write("empty.so", ""), kScanner).status.message().find("(it is no shared library)"),
      std::string::npos);
}

TEST(Scan, RefusesALibraryThatIsNoPlugin) {
  EXPECT_EQ(refusal("no_symbol"), "it exports no headrace_plugin_get, so it is no plugin of headrace");
}

TEST(Scan, RefusesAnotherMajorWithBothVersions) {
  const ScanResult result = scan("other_major");
  EXPECT_EQ(result.status.code(), Code::abi_mismatch);
  expect_begin(result.status.message(), "it is built for plugin ABI 2, but headrace ");
}

TEST(Scan, RefusesAPluginThatNeedsANewerMinor) {
  const ScanResult result = scan("newer_minor");
  EXPECT_EQ(result.status.code(), Code::abi_mismatch);
  expect_begin(result.status.message(), "it needs plugin ABI 1." + std::to_string(HEADRACE_ABI_MINOR + 1) +
                                            " or a later minor, but headrace ");
}

TEST(Scan, TakesAPluginWithNewerHeadersThatNeedsNothingNew) {
  EXPECT_EQ(scan("newer_headers").status.message(), "");
}

TEST(Scan, TakesAPluginWithOlderHeaders) { EXPECT_EQ(scan("older_headers").status.message(), ""); }

TEST(Scan, ReportsEveryBrokenRule) {
  const std::string text = refusal("broken_rules");
  for (const char* part : {"'other.thing' is not named 'sound.'", "'other.thing' has no process()",
                           "default 'many', which is no integer", "two ops 'sound.pass'"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
  }
}

TEST(Scan, SaysThatTheScannerIsMissing) {
  const ScanResult result = scan_library(fs::path(TEST_LIBRARIES) / "sound.so", "/nowhere/headrace-scan");
  EXPECT_TRUE(result.may_heal);
  expect_begin(result.status.message(),
               "it cannot be scanned: /nowhere/headrace-scan did not start: No such file");
}

TEST(Scan, WorksWhereTheProgramIgnoresItsChildren) {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  const ScanResult sound = scan("sound");
  const ScanResult crashed = scan("crashes");
  std::signal(SIGCHLD, before);
  EXPECT_TRUE(sound.status.ok()) << sound.status.message();
  expect_begin(crashed.status.message(), "it ended the process that loaded it, with exit code unknown");
}

TEST(Scan, LeavesNoDescriptorOpen) {
  const auto count = [] {
    std::size_t open = 0;
    for (const auto& entry : fs::directory_iterator("/proc/self/fd")) open += entry.is_symlink() ? 1 : 0;
    return open;
  };
  scan("sound");
  const std::size_t before = count();
  scan("sound");
  scan("crashes");
  EXPECT_EQ(count(), before);
}

}  // namespace
}  // namespace headrace
