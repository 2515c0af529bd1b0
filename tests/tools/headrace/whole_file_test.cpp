// SPDX-License-Identifier: Apache-2.0
//
// A file is replaced whole or not at all.
#include "whole_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace headrace::cli {
namespace {

namespace fs = std::filesystem;

class WholeFileTest : public testing::Test {
 protected:
  WholeFileTest() { fs::create_directory(folder_); }
  ~WholeFileTest() override { fs::remove_all(folder_); }

  static std::string contents(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  fs::path folder_ = testing::TempDir() + "whole_file_test_" + std::to_string(getpid());
  fs::path path_ = folder_ / "report.json";
};

TEST_F(WholeFileTest, IsThereOnceItIsCommitted) {
  WholeFile file(path_);
  file.write("one ");
  file.write("two");
  EXPECT_FALSE(fs::exists(path_));
  file.commit();
  EXPECT_EQ(contents(path_), "one two");
  EXPECT_EQ(files(), 1U);
}

TEST_F(WholeFileTest, LeavesWhatWasThereUntilThen) {
  std::ofstream(path_) << "old";
  {
    WholeFile file(path_);
    file.write("half of the n");
    EXPECT_EQ(contents(path_), "old");
  }
  EXPECT_EQ(contents(path_), "old");
  EXPECT_EQ(files(), 1U);
}

TEST_F(WholeFileTest, KeepsTheRightsOfWhatItReplaces) {
  std::ofstream(path_) << "old";
  fs::permissions(path_, fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_write);
  const fs::perms before = fs::status(path_).permissions();
  WholeFile file(path_);
  file.write("new");
  file.commit();
  EXPECT_EQ(fs::status(path_).permissions(), before);
  EXPECT_EQ(contents(path_), "new");
}

TEST_F(WholeFileTest, ReplacesWhatALinkLeadsTo) {
  std::ofstream(folder_ / "target") << "old";
  fs::create_symlink("target", path_);
  WholeFile file(path_);
  file.write("new");
  file.commit();
  EXPECT_TRUE(fs::is_symlink(path_));
  EXPECT_EQ(contents(folder_ / "target"), "new");
}

TEST_F(WholeFileTest, WritesToADeviceWhereItIs) {
  fs::create_symlink("/dev/null", path_);
  WholeFile file(path_);
  file.write("nothing");
  file.commit();
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_EQ(fs::read_symlink(path_), "/dev/null");
}

TEST_F(WholeFileTest, SaysWhatIsInTheWay) {
  const auto why = [](const fs::path& path) -> std::string {
    try {
      WholeFile file(path);
      file.write(std::string(100'000, 'x'));
      file.commit();
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(why(folder_ / "none" / "report.json"),
            (folder_ / "none" / "report.json").string() + ": cannot write: No such file or directory");
  EXPECT_EQ(why(folder_), folder_.string() + ": cannot write: Is a directory");
  EXPECT_EQ(why("/dev/full"), "/dev/full: cannot write: No space left on device");
}

}  // namespace
}  // namespace headrace::cli
