// SPDX-License-Identifier: Apache-2.0
//
// source.files over list files.

#include "source_bench.h"

namespace headrace {
namespace {

using testing::OpBench;
using testing::Outcome;

class ListFile : public ::testing::Test {
 protected:
  OpBench bench(std::string_view text, std::map<std::string, std::string> with = {}) const {
    with.emplace("list", "'" + folder_.write("list.tsv", text).string() + "'");
    return OpBench(source_plugin(), {.op = "source.files", .with = std::move(with)});
  }
  std::vector<std::string> samples(std::string_view text,
                                   std::map<std::string, std::string> with = {}) const {
    OpBench files = bench(text, std::move(with));
    const Outcome out = files.start();
    EXPECT_TRUE(out.ok()) << out.error;
    return samples_of(files);
  }
  std::string fault(std::string_view text, std::map<std::string, std::string> with = {}) const {
    OpBench files = bench(text, std::move(with));
    return files.start().error;
  }
  std::string here() const { return folder_.path().string() + "/"; }
  std::string list() const { return here() + "list.tsv"; }

  TemporaryFolder folder_;
};

TEST_F(ListFile, TakesATabOrASpaceAndANumber) {
  EXPECT_EQ(samples("a.jpg\t3\nb c.jpg 0\nd\te.jpg\t-7\n"),
            (std::vector<std::string>{here() + "a.jpg\t3", here() + "b c.jpg\t0", here() + "d\te.jpg\t-7"}));
}

TEST_F(ListFile, TakesNamesOfClassesAfterATab) {
  OpBench files = bench("a.jpg\ttabby cat\nb.jpg\tdog\nc.jpg\ttabby cat\n");
  ASSERT_TRUE(files.start().ok());
  EXPECT_EQ(samples_of(files),
            (std::vector<std::string>{here() + "a.jpg\t1", here() + "b.jpg\t0", here() + "c.jpg\t1"}));
  EXPECT_EQ(files.describe().second, "{\"length\":3,\"classes\":[\"dog\",\"tabby cat\"]}");
}

TEST_F(ListFile, PlacesRelativePathsByTheRootOrBesideTheList) {
  EXPECT_EQ(samples("a.jpg\t1\n/b.jpg\t2\n", {{"root", "/data"}}),
            (std::vector<std::string>{"/data/a.jpg\t1", "/b.jpg\t2"}));
  EXPECT_EQ(samples("a.jpg\t1\n", {{"root", "/data/"}}), (std::vector<std::string>{"/data/a.jpg\t1"}));
  EXPECT_EQ(samples("sub/a.jpg\t1\n"), (std::vector<std::string>{here() + "sub/a.jpg\t1"}));
}

TEST_F(ListFile, TakesLinesWithoutLabelsWhenTold) {
  EXPECT_EQ(samples("a 1\nb\t2\n#c\n", {{"labels", "false"}}),
            (std::vector<std::string>{here() + "a 1", here() + "b", here() + "#c"}));
}

TEST_F(ListFile, BearsByteOrderMarksCarriageReturnsAndEmptyLines) {
  EXPECT_EQ(samples("\xEF\xBB\xBF"
                    "a.jpg\t1\r\n\r\n\nb.jpg\t2"),
            (std::vector<std::string>{here() + "a.jpg\t1", here() + "b.jpg\t2"}));
}

TEST_F(ListFile, NamesTheLineAtFault) {
  EXPECT_EQ(
      fault("a.jpg\t1\n\nb.jpg\n"),
      "list '" + list() +
          "', line 3: there is no label (write a TAB and the label after the path, or a space and a whole "
          "number; or set labels: false)");
  EXPECT_EQ(fault("a.jpg\t1\nmy cat.jpg\n").substr(0, list().size() + 16), "list '" + list() + "', line 2:");
  EXPECT_EQ(fault("\t1\n"), "list '" + list() + "', line 1: there is no path");
  EXPECT_EQ(fault(std::string(5000, 'x') + "\t1\n"),
            "list '" + list() + "', line 1: the path is 5000 bytes long, more than the system takes");
  EXPECT_EQ(fault(std::string_view("a\0b\t1\n", 6)),
            "list '" + list() + "', line 1: the path holds a zero byte");
}

TEST_F(ListFile, SaysThatItIsEmptyOrMissing) {
  EXPECT_EQ(fault("\n\n"), "list '" + list() + "' has no entry (it wants a path a line)");
  OpBench files(source_plugin(), {.op = "source.files", .with = {{"list", "/nowhere/list.tsv"}}});
  EXPECT_EQ(files.start().error,
            "list '/nowhere/list.tsv' cannot be read: No such file or directory (check the path)");
  OpBench folder(source_plugin(), {.op = "source.files", .with = {{"list", "/"}}});
  EXPECT_EQ(folder.start().error, "list '/' cannot be read: Is a directory");
}

}  // namespace
}  // namespace headrace
