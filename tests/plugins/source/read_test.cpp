// SPDX-License-Identifier: Apache-2.0
//
// source.read: whole files, and what is none.

#include "source_bench.h"

namespace headrace {
namespace {

using testing::OpBench;
using testing::Outcome;
using testing::Value;

class Read : public ::testing::Test {
 protected:
  static Outcome read(const std::string& path, std::map<std::string, std::string> with = {}) {
    OpBench bench(source_plugin(), {.op = "source.read", .with = std::move(with)});
    return bench.map({{"path", Value::string(path)}, {"label", Value::scalar<std::int64_t>(4)}});
  }
  TemporaryFolder folder_;
};

TEST_F(Read, GivesTheWholeFileAndKeepsTheRestOfTheRecord) {
  std::string content(300'001, '\0');
  for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<char>(i * 2654435761U >> 13U);
  const Outcome out = read(folder_.write("a.bin", content).string());
  ASSERT_TRUE(out.ok()) << out.error;
  EXPECT_EQ(out.record["bytes"].content(), content);
  EXPECT_EQ(out.record.names(), (std::vector<std::string>{"path", "label", "bytes"}));
}

TEST_F(Read, DeliversAnEmptyFile) {
  const Outcome out = read(folder_.write("empty", "").string());
  ASSERT_TRUE(out.ok());
  EXPECT_EQ(out.record["bytes"].content(), "");
}

TEST_F(Read, FollowsItsFieldNames) {
  OpBench bench(source_plugin(),
                {.op = "source.read", .with = {{"field", "mask_path"}, {"out", "mask"}, {"keep", "false"}}});
  const Outcome out = bench.map({{"mask_path", Value::string(folder_.write("m", "xyz").string())}});
  ASSERT_TRUE(out.ok()) << out.error;
  EXPECT_EQ(out.record.names(), std::vector<std::string>{"mask"});
  EXPECT_EQ(out.record["mask"].content(), "xyz");
  EXPECT_EQ(bench.declared().runs, HEADRACE_RUNS_BLOCKING);
}

TEST_F(Read, ReplacesThePathInItsOwnPlace) {
  const std::string path = folder_.write("m", "xyz").string();
  const Outcome out = read(path, {{"out", "path"}});
  ASSERT_TRUE(out.ok()) << out.error;
  EXPECT_EQ(out.record["path"].content(), "xyz");
}

TEST_F(Read, SaysWhyAFileCannotBeRead) {
  const std::string here = folder_.path().string();
  EXPECT_EQ(read(here + "/none").error,
            "'" + here +
                "/none' cannot be read: No such file or directory (it was moved or deleted, or a link "
                "leads nowhere: list the files anew)");
  EXPECT_EQ(read(here).error, "'" + here + "' is a folder and no file");
  EXPECT_EQ(read(here).status, HEADRACE_IO_ERROR);
  EXPECT_EQ(read("/dev/null").error, "'/dev/null' is no regular file");
  EXPECT_EQ(read(here + "/" + std::string(300, 'x')).status, HEADRACE_IO_ERROR);
  EXPECT_EQ(read("").status, HEADRACE_IO_ERROR);
}

TEST_F(Read, DoesNotWaitForAPipe) {
  const std::string pipe = (folder_.path() / "pipe").string();
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(read(pipe).error, "'" + pipe + "' is no regular file");
}

TEST_F(Read, RefusesAFileThatIsTooLarge) {
  const std::string path = folder_.write("large", std::string(2049, 'x')).string();
  EXPECT_EQ(
      read(path, {{"max_bytes", "2KiB"}}).error,
      "'" + path + "' has 2049 bytes, more than max_bytes, 2048 (raise max_bytes if it should be read)");
  EXPECT_TRUE(read(path, {{"max_bytes", "2049"}}).ok());
}

TEST_F(Read, NamesAFileThatItMayNotRead) {
  const std::string path = folder_.write("locked", "x").string();
  ASSERT_EQ(chmod(folder_.path().c_str(), 0755), 0);
  ASSERT_EQ(chmod(path.c_str(), 0), 0);
  const AsNobody nobody;
  EXPECT_EQ(read(path).error,
            "'" + path + "' cannot be read: Permission denied (give this user the right to read it)");
}

TEST_F(Read, LeavesNoDescriptorOpen) {
  const auto count = [] {
    std::size_t open = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
      open += entry.is_symlink() ? 1 : 0;
    return open;
  };
  const std::string path = folder_.write("a", "x").string();
  read(path);
  const std::size_t before = count();
  for (int i = 0; i < 20; ++i) {
    read(path);
    read(path, {{"max_bytes", "0"}});
    read(folder_.path().string());
  }
  EXPECT_EQ(count(), before);
}

TEST(ReadDeclaration, WantsAString) {
  OpBench bench(source_plugin(), {.op = "source.read"});
  EXPECT_EQ(bench.declare({{testing::FieldSpec::of("path", Value::scalar<float>(1))}}).fault_text(),
            "field: field 'path' is no string, so it names no file\n");
  EXPECT_EQ(bench.declare({{}}).fault_text(), "there is no field 'path'\n");
}

}  // namespace
}  // namespace headrace
