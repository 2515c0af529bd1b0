// SPDX-License-Identifier: Apache-2.0
//
// What the scan cache keeps, and what it does not believe.

#include "runtime/plugin/cache.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "temporary_folder.h"

namespace headrace {
namespace {

namespace fs = std::filesystem;

ScanResult sound(const std::string& name) {
  ScanResult result;
  result.name = name;
  result.version = "1.0.0";
  result.doc = "Doc.";
  result.abi_major = 1;
  result.ops = {{name + ".pass", "Passes.", 3}};
  return result;
}

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

class Cache : public testing::Test {
 protected:
  TemporaryFolder folder_;
  fs::path file_ = folder_.path() / "deep" / "plugins.json";
  fs::path library_ = folder_.write("acme.so", "one");
  FileStamp stamp_ = *stamp_of(library_);

  void keep(const ScanResult& result) {
    ScanCache cache(file_);
    cache.store(library_, stamp_, result);
    cache.write();
  }
};

TEST_F(Cache, GivesBackWhatWasStored) {
  keep(sound("acme"));
  const auto found = ScanCache(file_).find(library_, stamp_);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->name, "acme");
  ASSERT_EQ(found->ops.size(), 1U);
  EXPECT_EQ(found->ops[0].version, 3U);
}

TEST_F(Cache, KeepsTheWholeReasonOfAFailure) {
  keep(refusal(Code::abi_mismatch, "it is built for plugin ABI 2", false));
  const auto found = ScanCache(file_).find(library_, stamp_);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->status.code(), Code::abi_mismatch);
  EXPECT_EQ(found->status.message(), "it is built for plugin ABI 2");
}

TEST_F(Cache, ForgetsAFailureThatMayHeal) {
  keep(refusal(Code::unsupported, "libabsent.so is missing", true));
  EXPECT_FALSE(ScanCache(file_).find(library_, stamp_));
}

TEST_F(Cache, DoesNotKnowALibraryThatChanged) {
  keep(sound("acme"));
  folder_.write("acme.so", "longer");
  EXPECT_FALSE(ScanCache(file_).find(library_, *stamp_of(library_)));
  FileStamp touched = stamp_;
  touched.mtime_ns += 1;
  EXPECT_FALSE(ScanCache(file_).find(library_, touched));
}

TEST_F(Cache, IgnoresAFileThatIsDamagedOrOfAnotherVersion) {
  keep(sound("acme"));
  const std::string whole = text_of(file_);
  std::string other = whole;
  other.replace(other.find("ABI 1."), 6, "ABI 9.");
  std::string mistyped = whole;
  mistyped.replace(mistyped.find("\"size\": 3"), 9, "\"size\": []");
  for (const std::string& text :
       {std::string(), std::string("[1, 2"), std::string("{}"), std::string("null"), std::string("\xff\xfe"),
        whole.substr(0, whole.size() / 2), other, mistyped}) {
    std::ofstream(file_, std::ios::trunc) << text;
    EXPECT_FALSE(ScanCache(file_).find(library_, stamp_)) << text;
  }
}

TEST_F(Cache, IsReplacedAsAWholeAndDropsLibrariesThatAreGone) {
  const fs::path gone = folder_.write("gone.so", "x");
  {
    ScanCache cache(file_);
    cache.store(gone, *stamp_of(gone), sound("gone"));
    cache.write();
  }
  fs::remove(gone);
  keep(sound("acme"));
  EXPECT_EQ(text_of(file_).find("gone"), std::string::npos);
  EXPECT_EQ(std::distance(fs::directory_iterator(file_.parent_path()), fs::directory_iterator()), 1);
}

TEST_F(Cache, IsDoneWithoutWhereItCannotBeWritten) {
  std::ofstream(folder_.path() / "deep") << "a file where the folder should be";
  keep(sound("acme"));
  EXPECT_FALSE(ScanCache(file_).find(library_, stamp_));
  ScanCache none{fs::path()};
  none.store(library_, stamp_, sound("acme"));
  none.write();
  EXPECT_TRUE(none.find(library_, stamp_));
}

}  // namespace
}  // namespace headrace
