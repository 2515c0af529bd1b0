// SPDX-License-Identifier: Apache-2.0
//
// source.files over folders, against torchvision's ImageFolder (image_folder.txt, made by
// make_image_folder.py).

#include <chrono>
#include <fstream>
#include <thread>

#include "source_bench.h"

namespace headrace {
namespace {

using testing::OpBench;
using testing::Outcome;

std::vector<std::string> lines_of(const std::string& file) {
  std::vector<std::string> lines;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  EXPECT_FALSE(lines.empty()) << file;
  return lines;
}

class Files : public ::testing::Test {
 protected:
  OpBench bench(std::map<std::string, std::string> with) const {
    with.emplace("root", "'" + folder_.path().string() + "'");
    return OpBench(source_plugin(), {.op = "source.files", .with = std::move(with)});
  }
  std::string fault(std::map<std::string, std::string> with) const {
    OpBench files = bench(std::move(with));
    const Outcome out = files.start();
    EXPECT_LT(out.status, 0);
    EXPECT_TRUE(out.violations.empty());
    return out.error;
  }
  std::string root() const { return folder_.path().string(); }

  TemporaryFolder folder_;
};

TEST_F(Files, ListsAsTorchvisionsImageFolder) {
  for (const std::string& name : lines_of("tests/plugins/source/image_folder_tree.txt"))
    folder_.write(name, "");
  OpBench files = bench({});
  ASSERT_TRUE(files.start().ok());
  std::vector<std::string> expected;
  std::string classes;
  for (const std::string& line : lines_of("tests/plugins/source/image_folder.txt")) {
    if (line.starts_with("class ")) {
      classes += (classes.empty() ? "\"" : ",\"") + line.substr(6) + "\"";
    } else {
      expected.push_back(root() + "/" + line);
    }
  }
  EXPECT_EQ(samples_of(files), expected);
  EXPECT_EQ(files.describe().second,
            "{\"length\":" + std::to_string(expected.size()) + ",\"classes\":[" + classes + "]}");
}

TEST_F(Files, ListsEveryFileOfAFlatRoot) {
  folder_.write("b.txt", "");
  folder_.write("a/c.bin", "");
  folder_.write("a.bin", "");
  OpBench files = bench({{"layout", "flat"}});
  ASSERT_TRUE(files.start().ok());
  EXPECT_EQ(samples_of(files),
            (std::vector<std::string>{root() + "/a.bin", root() + "/b.txt", root() + "/a/c.bin"}));
  EXPECT_EQ(files.declared().writes.size(), 1U);
  EXPECT_EQ(files.describe().second, "{\"length\":3}");
}

TEST_F(Files, NarrowsByGlobAndByExtension) {
  for (const char* name : {"cat/1.jpg", "cat/2.JPG", "cat/old/3.jpg", "dog/4.png", "dog/5.jpg"})
    folder_.write(name, "");
  OpBench by_glob = bench({{"glob", "['cat/*', '**/4.*']"}, {"labels", "true"}});
  ASSERT_TRUE(by_glob.start().ok());
  EXPECT_EQ(samples_of(by_glob), (std::vector<std::string>{root() + "/cat/1.jpg\t0", root() + "/cat/2.JPG\t0",
                                                           root() + "/dog/4.png\t1"}));
  OpBench by_extension = bench({{"extensions", "JPG"}, {"layout", "flat"}});
  ASSERT_TRUE(by_extension.start().ok());
  EXPECT_EQ(by_extension.length(), 4);
}

TEST_F(Files, LeavesLabelsOutWhenTold) {
  folder_.write("cat/1.jpg", "");
  OpBench files = bench({{"labels", "false"}});
  ASSERT_TRUE(files.start().ok());
  EXPECT_EQ(samples_of(files), std::vector<std::string>{root() + "/cat/1.jpg"});
}

TEST_F(Files, LetsTheHostShuffleWhenAsked) {
  folder_.write("cat/1.jpg", "");
  OpBench plain = bench({});
  EXPECT_FALSE(plain.declare({}).shuffle);
  OpBench shuffled = bench({{"shuffle", "true"}});
  EXPECT_TRUE(shuffled.declare({}).shuffle);
  EXPECT_TRUE(shuffled.declared().indexed);
}

TEST_F(Files, FollowsLinksAndKeepsThoseThatLeadNowhere) {
  const TemporaryFolder elsewhere;
  elsewhere.write("linked/9.jpg", "");
  folder_.write("cat/1.jpg", "");
  ASSERT_EQ(symlink("/nowhere/at/all", (folder_.path() / "cat" / "2.jpg").c_str()), 0);
  ASSERT_EQ(symlink(elsewhere.path().c_str(), (folder_.path() / "cat" / "more").c_str()), 0);
  OpBench files = bench({});
  ASSERT_TRUE(files.start().ok());
  EXPECT_EQ(samples_of(files), (std::vector<std::string>{root() + "/cat/1.jpg\t0", root() + "/cat/2.jpg\t0",
                                                         root() + "/cat/more/linked/9.jpg\t0"}));
  OpBench unlinked = bench({{"follow_links", "false"}});
  ASSERT_TRUE(unlinked.start().ok());
  EXPECT_EQ(unlinked.length(), 2);
}

TEST_F(Files, EndsOnALinkToAFolderAboveAndSaysSo) {
  folder_.write("cat/1.jpg", "");
  ASSERT_EQ(symlink("..", (folder_.path() / "cat" / "up").c_str()), 0);
  ASSERT_EQ(symlink(".", (folder_.path() / "cat" / "self").c_str()), 0);
  OpBench files = bench({});
  ASSERT_TRUE(files.start().ok());
  EXPECT_EQ(files.length(), 1);  // neither by way of the root nor of itself
  ASSERT_EQ(files.logs().size(), 1U);
  EXPECT_NE(files.logs()[0].second.find("links to a folder above them"), std::string::npos);
}

TEST_F(Files, LeavesOutPipes) {
  folder_.write("cat/1.jpg", "");
  ASSERT_EQ(mkfifo((folder_.path() / "cat" / "2.jpg").c_str(), 0600), 0);
  OpBench files = bench({});
  ASSERT_TRUE(files.start().ok());
  EXPECT_EQ(files.length(), 1);
  EXPECT_EQ(files.logs().size(), 1U);
}

TEST_F(Files, SaysWhatIsWrongWithTheRoot) {
  EXPECT_EQ(fault({{"root", "/nowhere/at/all"}}),
            "folder '/nowhere/at/all' cannot be listed: No such file or directory (check the path)");
  EXPECT_EQ(fault({}), "root '" + root() +
                           "' holds no folder, and image_folder wants one a class (point root at the folder "
                           "of the classes, or set "
                           "layout: flat)");
  EXPECT_EQ(fault({{"layout", "flat"}}), "root '" + root() + "' holds no file (point root at your files)");
  folder_.write("plain.txt", "");
  EXPECT_EQ(fault({{"layout", "flat"}, {"glob", "'*.jpg'"}}),
            "root '" + root() + "' holds no file that matches *.jpg (point root at your files)");
  EXPECT_NE(fault({{"root", "'" + root() + "/plain.txt'"}}).find("Not a directory"), std::string::npos);
}

TEST_F(Files, WantsAFileInEveryClassUnlessTold) {
  folder_.write("cat/1.jpg", "");
  folder_.write("empty/notes.txt", "");
  EXPECT_EQ(fault({{"extensions", "[jpg, png]"}}), "class folder '" + root() +
                                                       "/empty' holds no file that ends in one of .jpg, .png "
                                                       "(remove the folder, or set allow_empty: true)");
  OpBench files = bench({{"allow_empty", "true"}});
  ASSERT_TRUE(files.start().ok());
  EXPECT_EQ(files.describe().second, "{\"length\":1,\"classes\":[\"cat\",\"empty\"]}");
}

TEST_F(Files, NamesTheFolderThatCannotBeRead) {
  folder_.write("cat/locked/1.jpg", "");
  ASSERT_EQ(chmod(root().c_str(), 0755), 0);
  ASSERT_EQ(chmod((folder_.path() / "cat" / "locked").c_str(), 0), 0);
  const std::string text = [&] {
    const AsNobody nobody;
    return fault({});
  }();
  chmod((folder_.path() / "cat" / "locked").c_str(), 0700);
  EXPECT_EQ(text,
            "folder '" + root() +
                "/cat/locked' cannot be listed: Permission denied (give this user the right to read it)");
}

TEST_F(Files, ListsFromItsCacheWhatItListedBefore) {
  const TemporaryFolder elsewhere;
  const std::string cache = "'" + (elsewhere.path() / "listing").string() + "'";
  for (const char* name : {"cat/1.jpg", "cat/2.jpg", "dog/3.jpg"}) folder_.write(name, "");
  // Folders that changed just now are not believed to be unchanged.
  std::this_thread::sleep_for(std::chrono::milliseconds(2100));
  OpBench plain = bench({{"cache", "off"}});
  ASSERT_TRUE(plain.start().ok());
  const std::vector<std::string> expected = samples_of(plain);
  for (const std::int64_t unchanged : {0, 3, 3}) {
    OpBench files = bench({{"cache", cache}, {"list_threads", "2"}});
    ASSERT_TRUE(files.start().ok());
    EXPECT_EQ(samples_of(files), expected);
    EXPECT_EQ(files.describe().second, plain.describe().second);
    EXPECT_EQ(files.fingerprint(), plain.fingerprint());
    EXPECT_EQ(files.counts()["files_listed"], 3);
    EXPECT_EQ(files.counts()["folders_unchanged"], unchanged);
    EXPECT_EQ(files.counts()["folders_read"], 3 - unchanged);
    EXPECT_TRUE(files.logs().empty());
  }
  folder_.write("dog/4.jpg", "");
  OpBench more = bench({{"cache", cache}});
  ASSERT_TRUE(more.start().ok());
  EXPECT_EQ(more.length(), 4);
  EXPECT_EQ(more.counts()["folders_unchanged"], 2);
  EXPECT_NE(more.fingerprint(), plain.fingerprint());
}

TEST_F(Files, HasAFingerprintOfPathsAndLabelsWhereverTheyLie) {
  const TemporaryFolder elsewhere;
  for (const char* name : {"cat/1.jpg", "dog/3.jpg"}) {
    folder_.write(name, "a");
    elsewhere.write(name, "b");
  }
  const auto fingerprint = [&](std::map<std::string, std::string> with) {
    OpBench files = bench(std::move(with));
    EXPECT_TRUE(files.start().ok());
    return files.fingerprint();
  };
  const auto of_folder = fingerprint({});
  EXPECT_NE(of_folder, (std::array<std::uint64_t, 2>{0, 0}));
  EXPECT_EQ(fingerprint({{"root", "'" + elsewhere.path().string() + "'"}}), of_folder);
  EXPECT_NE(fingerprint({{"labels", "false"}}), of_folder);
  EXPECT_EQ(fingerprint({{"layout", "flat"}}), fingerprint({{"labels", "false"}}));
  folder_.write("list", "cat/1.jpg\tcat\ndog/3.jpg\tdog\n");
  EXPECT_EQ(fingerprint({{"list", "'" + root() + "/list'"}}), of_folder);
  folder_.write("list", "cat/1.jpg\tdog\ndog/3.jpg\tcat\n");
  EXPECT_NE(fingerprint({{"list", "'" + root() + "/list'"}}), of_folder);
}

TEST_F(Files, NamesWhatIsWrongWithItsCache) {
  folder_.write("cat/1.jpg", "");
  EXPECT_EQ(
      fault({{"cache", "'" + root() + "/cache'"}}),
      "cache '" + root() + "/cache' lies in the root that it is for, and would change it (put it elsewhere)");
  const TemporaryFolder elsewhere;
  const std::string notes = elsewhere.write("notes", "mine").string();
  OpBench files = bench({{"cache", "'" + notes + "'"}});
  ASSERT_TRUE(files.start().ok());
  EXPECT_EQ(files.length(), 1);
  ASSERT_EQ(files.logs().size(), 1U);
  EXPECT_EQ(files.logs()[0].first, HEADRACE_LOG_WARNING);
  EXPECT_TRUE(files.logs()[0].second.starts_with("cache '" + notes + "' is no listing"))
      << files.logs()[0].second;
}

TEST_F(Files, StopsListingWhenTheRunIsStopped) {
  folder_.write("cat/1.jpg", "");
  OpBench files = bench({});
  files.cancel();
  EXPECT_EQ(files.start().status, HEADRACE_CANCELLED);
}

TEST_F(Files, WritesNamesThatAreNoUtf8AsValidJson) {
  folder_.write("c\xFF\"\n/1.jpg", "");
  OpBench files = bench({});
  ASSERT_TRUE(files.start().ok());
  EXPECT_EQ(files.describe().second, "{\"length\":1,\"classes\":[\"c\xEF\xBF\xBD\\\"\\u000a\"]}");
}

std::string declaration_fault(const std::map<std::string, std::string>& with) {
  OpBench files(source_plugin(), {.op = "source.files", .with = with});
  return files.declare({}).fault_text();
}

TEST(FilesDeclaration, RefusesWhatContradictsItself) {
  EXPECT_EQ(declaration_fault({}),
            "source.files needs root, a folder, or list, a file with a line a sample\n");
  EXPECT_EQ(declaration_fault({{"list", "a"}, {"layout", "flat"}, {"glob", "b"}}),
            "layout: layout is for folders and means nothing with list (leave one of them out)\n"
            "glob: glob is for folders and means nothing with list (leave one of them out)\n"
            "labels: layout flat has no labels (use image_folder or a list, or leave labels out)\n");
  EXPECT_EQ(declaration_fault({{"root", "a"}, {"layout", "flat"}, {"labels", "true"}}),
            "labels: layout flat has no labels (use image_folder or a list, or leave labels out)\n");
  EXPECT_EQ(declaration_fault({{"list", "a"}, {"cache", "b"}}),
            "cache: cache is for folders and means nothing with list (leave one of them out)\n");
  EXPECT_EQ(declaration_fault({{"root", "a"}, {"glob", "/b/*"}}),
            "glob: pattern '/b/*' must be relative to root\n");
}

}  // namespace
}  // namespace headrace
