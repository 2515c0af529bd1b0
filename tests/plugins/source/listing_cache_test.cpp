// SPDX-License-Identifier: Apache-2.0
//
// Listings by way of a cache file: whatever became of the folders or of the file, they are those of a walk
// without one. What each change costs is counted in folders that were read anew.

#include "plugins/source/listing_cache.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <headrace/cpp/call.hpp>
#include <sstream>
#include <thread>

#include "plugins/source/fingerprint.h"
#include "plugins/source/folder_listing.h"
#include "tests/plugins/source/trees.h"

namespace headrace::source {
namespace {

namespace fs = std::filesystem;

struct Result {
  std::vector<std::string> paths;
  Hash128 hash;
  WalkCounts folders;
  std::string warnings;
};

std::string content_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

class ListingCacheTest : public ::testing::Test {
 protected:
  ListingCacheTest() {
    for (const char* name : {"a/1", "a/2", "a/deep/1", "b/1", "b/one/1", "b/two/1", "0", "zzz/1"})
      root_.write(name, "");
    elsewhere_.write("target/9", "");
    elsewhere_.write("other/8", "");
    fs::create_directory_symlink(elsewhere_.path() / "target", root_.path() / "link");
    tick();
  }

  FolderRules rules() const {
    FolderRules rules;
    rules.root = root_.path().string();
    rules.has_classes = false;
    rules.walk = plain_rules();
    rules.walk.cancelled = [](std::uint64_t) { return false; };
    rules.cache = file();
    return rules;
  }

  static Result list(FolderRules rules) {
    Result result;
    rules.warn = [&](const std::string& what) { result.warnings += what + "\n"; };
    Listing listing;
    const FolderListed listed = list_folder(rules, listing);
    for (std::size_t i = 0; i < listing.size(); ++i) {
      std::string path(listing.path(i).size(), '?');
      listing.path(i).copy_to(path.data());
      result.paths.push_back(path);
    }
    EXPECT_EQ(listed.paths, paths_hash(listing));
    result.hash = listed.paths;
    result.folders = listed.folders;
    return result;
  }
  Result list() const { return list(rules()); }
  Result list_without() const {
    FolderRules plain = rules();
    plain.cache = "off";
    return list(plain);
  }

  /// The listing by way of the cache, which must be that without, after `read` folders had to be read.
  void expect_read(std::uint64_t read, const std::string& warnings = "") const {
    const Result expected = list_without();
    const Result found = list();
    EXPECT_EQ(found.paths, expected.paths);
    EXPECT_EQ(found.hash, expected.hash);
    EXPECT_EQ(found.folders.read, read);
    EXPECT_EQ(found.folders.read + found.folders.kept, expected.folders.read);
    EXPECT_EQ(found.warnings, warnings);
  }

  /// Waits until the file system gives another time than it gave so far: the clock of these tests is ahead,
  /// so that all changes but those after a tick look old.
  void tick() const {
    const auto now = [&] {
      struct stat status {};
      EXPECT_EQ(stat(elsewhere_.write("clock", "").c_str(), &status), 0);
      return std::pair(status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
    };
    const auto before = now();
    while (now() == before) {
    }
  }

  std::string file() const { return (cache_.path() / "listing").string(); }
  fs::path in_root(const char* name) const { return root_.path() / name; }
  static constexpr std::uint64_t kFolders = 8;  ///< root, a, deep, b, one, two, zzz, link

  TemporaryFolder root_;
  TemporaryFolder elsewhere_;
  TemporaryFolder cache_;
};

TEST_F(ListingCacheTest, ReadsNothingAnewWhereNothingChanged) {
  expect_read(kFolders);
  ASSERT_TRUE(fs::exists(file()));
  const std::string kept = content_of(file());
  expect_read(0);
  EXPECT_EQ(content_of(file()), kept);
  EXPECT_EQ(std::distance(fs::directory_iterator(cache_.path()), {}), 1);
}

TEST_F(ListingCacheTest, SeesAFileThatWasAddedRemovedOrRenamed) {
  list();
  root_.write("b/two/2", "");
  expect_read(1);
  expect_read(0);
  tick();
  fs::remove(in_root("b/two/1"));
  expect_read(1);
  tick();
  fs::rename(in_root("a/deep/1"), in_root("a/deep/7"));
  expect_read(1);
  tick();
  fs::rename(in_root("a/deep/7"), in_root("b/7"));
  expect_read(2);
  expect_read(0);
}

TEST_F(ListingCacheTest, ReadsFoldersThatCameWentOrMoved) {
  list();
  root_.write("b/three/x/1", "");
  expect_read(3);  // b and the two that are new
  tick();
  fs::remove_all(in_root("b/one"));
  expect_read(1);
  tick();
  fs::rename(in_root("b/three"), in_root("a/three"));
  expect_read(4);  // where it was, where it is, and it and what is in it under another name
  expect_read(0);
}

TEST_F(ListingCacheTest, SeesAFolderThatALinkTookThePlaceOf) {
  list();
  fs::remove_all(in_root("b/one"));
  fs::create_directory_symlink(elsewhere_.path() / "other", in_root("b/one"));
  expect_read(2);
  expect_read(0);
}

TEST_F(ListingCacheTest, SeesWhatALinkLeadsToChange) {
  list();
  elsewhere_.write("target/10", "");
  expect_read(1);
  tick();
  fs::rename(elsewhere_.path() / "target", elsewhere_.path() / "was");
  fs::rename(elsewhere_.path() / "other", elsewhere_.path() / "target");
  expect_read(1);  // another folder; the root, in which the link is, is as it was
  fs::rename(elsewhere_.path() / "target", elsewhere_.path() / "other");
  elsewhere_.write("target", "now a file");
  expect_read(1);  // the root, in which it is a file now
  EXPECT_EQ(list_without().folders.read, kFolders - 1);
  tick();
  fs::remove(elsewhere_.path() / "target");
  root_.write("1", "");
  expect_read(1);  // a link that leads nowhere: a file
  fs::rename(elsewhere_.path() / "other", elsewhere_.path() / "target");
  expect_read(2);  // and a folder again
}

TEST_F(ListingCacheTest, SeesAnotherFolderWithTheSameTimes) {
  list();
  fs::rename(in_root("b/one"), elsewhere_.path() / "one");
  root_.write("b/one/5", "");
  struct stat status {};
  ASSERT_EQ(stat((elsewhere_.path() / "one").c_str(), &status), 0);
  const timespec times[] = {status.st_atim, status.st_mtim};
  ASSERT_EQ(utimensat(AT_FDCWD, in_root("b/one").c_str(), times, 0), 0);
  expect_read(2);
}

TEST_F(ListingCacheTest, SeesAChangeWhoseTimeWasPutBack) {
  list();
  struct stat status {};
  ASSERT_EQ(stat(in_root("b/one").c_str(), &status), 0);
  root_.write("b/one/5", "");
  const timespec times[] = {status.st_atim, status.st_mtim};
  ASSERT_EQ(utimensat(AT_FDCWD, in_root("b/one").c_str(), times, 0), 0);
  expect_read(1);
}

TEST_F(ListingCacheTest, ReadsFoldersAnewThatHadJustChanged) {
  struct stat changed {};
  ASSERT_EQ(stat(root_.path().c_str(), &changed), 0);
  FolderRules rules = this->rules();
  rules.walk.settle.now_ns = [&] { return (std::int64_t{changed.st_mtim.tv_sec} + 1) * 1'000'000'000; };
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(list(rules).folders.read, kFolders);
    EXPECT_FALSE(fs::exists(file()));  // nothing that is worth keeping
  }
  // As seen 2 seconds after the change, but for the root, whose time lies ahead.
  const timespec ahead[] = {{0, UTIME_OMIT}, {std::time(nullptr) + 1'000'000, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, root_.path().c_str(), ahead, 0), 0);
  expect_read(kFolders);
  expect_read(1);
  expect_read(1);
}

TEST_F(ListingCacheTest, KeepsTreesWithLinksToFoldersAbove) {
  fs::create_directory_symlink("..", in_root("b/up"));
  fs::create_directory_symlink(".", in_root("self"));
  const std::string warning = "root '" + root_.path().string() +
                              "': left out 0 that are no regular files and 2 links to a folder above them\n";
  expect_read(kFolders + 2, warning);
  expect_read(2, warning);
}

TEST_F(ListingCacheTest, FindsTheSameWhateverChanged) {
  for (unsigned seed = 0; seed < 6; ++seed) {
    const TemporaryFolder root;
    make_random_tree(root, seed);
    tick();
    FolderRules rules = this->rules();
    rules.root = root.path().string();
    FolderRules without = rules;
    without.cache = "off";
    std::mt19937 random(seed);
    for (int step = 0; step < 15; ++step) {
      const Result expected = list(without);
      const Result found = list(rules);
      ASSERT_EQ(found.paths, expected.paths) << "seed " << seed << ", step " << step;
      ASSERT_EQ(found.hash, expected.hash);
      tick();
      for (int change = 0; change < 3; ++change) {
        const std::string& some = expected.paths[random() % expected.paths.size()];
        const std::string& other = expected.paths[random() % expected.paths.size()];
        const fs::path path = root.path() / some;
        std::error_code ignored;
        switch (random() % 4) {
          case 0:
            fs::remove(path, ignored);
            break;
          case 1:
            fs::rename(path, (root.path() / other).parent_path() / "moved", ignored);
            break;
          case 2:
            if (path.parent_path() != root.path())
              fs::rename(path.parent_path(), root.path() / ("folder" + std::to_string(step)), ignored);
            break;
          default:
            fs::create_directory(path.parent_path() / "new", ignored);
            std::ofstream(path.parent_path() / "new" / std::to_string(step)).put('x');
        }
      }
    }
    fs::remove(file());
  }
}

// ---------------------------------------------------------------- the file

TEST_F(ListingCacheTest, IsNeverBelievedWhenItIsDamaged) {
  const Result expected = list();
  const std::string whole = content_of(file());
  const auto try_out = [&](const std::string& content) {
    cache_.write("listing", content);
    const Result found = list();
    ASSERT_EQ(found.paths, expected.paths);
    ASSERT_EQ(found.hash, expected.hash);
    ASSERT_EQ(found.folders.read, kFolders);
    if (content.starts_with("headrace listing")) {
      ASSERT_EQ(content_of(file()), whole);
    }
  };
  for (int percent = 0; percent < 100; ++percent) try_out(whole.substr(0, whole.size() * percent / 100));
  try_out(whole.substr(0, whole.size() - 1));
  try_out(whole + "x");
  try_out(whole + whole);
  std::mt19937 random(1);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ (1 << random() % 8));
    try_out(damaged);
  }
  for (int i = 0; i < 200; ++i) {
    std::string damaged = whole;
    const std::size_t from = random() % whole.size();
    for (std::size_t k = from; k < std::min(whole.size(), from + 8); ++k)
      damaged[k] = static_cast<char>(random());
    if (damaged != whole) try_out(damaged);
  }
}

TEST_F(ListingCacheTest, SaysThatItIsDamagedAndIsMadeAnew) {
  list();
  const std::string whole = content_of(file());
  cache_.write("listing", whole.substr(0, whole.size() / 2));
  expect_read(kFolders, "cache '" + file() + "' is damaged: the root is listed anew\n");
  expect_read(0);
}

TEST_F(ListingCacheTest, LeavesAloneWhatHeadraceDidNotWrite) {
  cache_.write("listing", "my only copy");
  const std::string alone =
      "cache '" + file() +
      "' is no listing that headrace wrote and is left alone (name another file, or remove it)\n";
  expect_read(kFolders, alone);
  EXPECT_EQ(content_of(file()), "my only copy");
  cache_.write("listing", "x");
  expect_read(kFolders, alone);
  cache_.write("listing", "");
  expect_read(kFolders);
  expect_read(0);
  fs::remove(file());
  fs::create_directory(file());
  expect_read(kFolders, "cache '" + file() + "' is no regular file and is left alone (name another file)\n");
}

TEST_F(ListingCacheTest, IsForOneRootAndOneSetOfRules) {
  list();
  FolderRules narrow = rules();
  narrow.walk.files.globs.emplace_back("a/*");
  const Result found = list(narrow);
  EXPECT_EQ(found.paths, (std::vector<std::string>{"a/1", "a/2"}));
  EXPECT_EQ(found.folders.read, kFolders);
  EXPECT_EQ(found.warnings, "");
  EXPECT_EQ(list(narrow).folders.read, 0U);
  expect_read(kFolders);

  for (const auto& change : std::vector<std::function<void(FolderRules&)>>{
           [](FolderRules& r) { r.walk.files.follow_links = false; },
           [](FolderRules& r) { r.walk.files.extensions = {"1"}; },
           [&](FolderRules& r) { r.root = in_root("b").string(); },
           [](FolderRules& r) {
             r.has_classes = true;
             r.walk.files.files_in_root = false;
           }}) {
    FolderRules other = rules();
    change(other);
    EXPECT_EQ(list(other).folders.kept, 0U);
    EXPECT_EQ(list(other).folders.read, 0U);
    expect_read(kFolders);
  }
}

TEST_F(ListingCacheTest, KeepsTheOrderOfClassesApartFromThatOfPaths) {
  root_.write("a-b/1", "");
  tick();
  FolderRules classes = rules();
  classes.has_classes = true;
  classes.walk.files.files_in_root = false;
  const Result first = list(classes);
  EXPECT_EQ(first.paths, (std::vector<std::string>{"a/1", "a/2", "a/deep/1", "a-b/1", "b/1", "b/one/1",
                                                   "b/two/1", "link/9", "zzz/1"}));
  const Result second = list(classes);
  EXPECT_EQ(second.folders.read, 0U);
  EXPECT_EQ(second.paths, first.paths);
  EXPECT_EQ(second.hash, first.hash);
}

TEST_F(ListingCacheTest, IsDoneWithoutWhereItCannotBeWritten) {
  FolderRules nowhere = rules();
  nowhere.cache = (cache_.path() / "no" / "folder").string();
  const Result found = list(nowhere);
  EXPECT_EQ(found.paths, list_without().paths);
  EXPECT_EQ(found.warnings, "cache '" + nowhere.cache + "' cannot be written: No such file or directory\n");

  for (const auto& folder : {root_.path(), elsewhere_.path()}) fs::permissions(folder, fs::perms(0755));
  fs::permissions(cache_.path(), fs::perms(0555));
  const uid_t before = geteuid();
  if (before == 0) {
    ASSERT_EQ(seteuid(65534), 0);
  }
  expect_read(kFolders, "cache '" + file() + "' cannot be written: Permission denied\n");
  if (before == 0) {
    ASSERT_EQ(seteuid(before), 0);
  }
  fs::permissions(cache_.path(), fs::perms(0755));
}

TEST_F(ListingCacheTest, LeavesNothingBehindThatIsNotWhole) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{100, before.rlim_max};
  const auto ignored = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const Result found = list();
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, ignored);
  EXPECT_EQ(found.paths, list_without().paths);
  EXPECT_EQ(found.warnings, "cache '" + file() + "' cannot be written: File too large\n");
  EXPECT_TRUE(fs::is_empty(cache_.path()));
}

TEST_F(ListingCacheTest, IsWholeWhoeverWritesItAtTheSameTime) {
  const Result expected = list_without();
  std::vector<std::thread> ranks;
  for (int rank = 0; rank < 8; ++rank) {
    ranks.emplace_back([&, rank] {
      for (int i = 0; i < 25; ++i) {
        const Result found = list();
        EXPECT_EQ(found.paths, expected.paths);
        EXPECT_EQ(found.warnings, "");
        if (rank % 2 == 0) fs::remove(file());
      }
    });
  }
  for (std::thread& rank : ranks) rank.join();
  list();
  EXPECT_EQ(list().folders.read, 0U);
  EXPECT_EQ(std::distance(fs::directory_iterator(cache_.path()), {}), 1);
}

TEST_F(ListingCacheTest, CanBeStoppedAndLeavesNothingBehind) {
  for (int after = 0; after < 3; ++after) {
    FolderRules rules = this->rules();
    rules.walk.cancelled = [asked = 0, after](std::uint64_t) mutable { return asked++ >= after; };
    EXPECT_THROW(list(rules), Error);
    EXPECT_TRUE(fs::is_empty(cache_.path())) << after;
  }
}

TEST_F(ListingCacheTest, MayNotLieInTheRoot) {
  FolderRules inside = rules();
  inside.cache = in_root("a/cache").string();
  const auto text = [&] {
    try {
      list(inside);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string("nothing was wrong");
  };
  const std::string expected = "' lies in the root that it is for, and would change it (put it elsewhere)";
  EXPECT_EQ(text(), "cache '" + inside.cache + expected);
  fs::create_directory_symlink(root_.path(), elsewhere_.path() / "way in");
  inside.cache = (elsewhere_.path() / "way in" / "cache").string();
  EXPECT_EQ(text(), "cache '" + inside.cache + expected);
  inside.cache = root_.path().string() + "-beside";
  EXPECT_EQ(text(), "nothing was wrong");
  fs::remove(inside.cache);
}

/// XDG_CACHE_HOME and HOME for as long as it lives.
class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    value == nullptr ? unsetenv(name) : setenv(name, value, 1);
  }
  ~Environment() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

TEST_F(ListingCacheTest, OfTheUsersOwnLiesWhereCachesDo) {
  const Environment home("HOME", "/home/me");
  {
    const Environment cache("XDG_CACHE_HOME", "/caches");
    const std::string file = own_cache_file("key");
    EXPECT_TRUE(file.starts_with("/caches/headrace/listings/")) << file;
    EXPECT_EQ(file, own_cache_file("key"));
    EXPECT_NE(file, own_cache_file("other"));
  }
  const Environment relative("XDG_CACHE_HOME", "caches");
  EXPECT_TRUE(own_cache_file("key").starts_with("/home/me/.cache/headrace/listings/"));
  const Environment homeless("HOME", nullptr);
  EXPECT_EQ(own_cache_file("key"), "");
}

TEST_F(ListingCacheTest, OfTheUsersOwnIsPrivateAndKeptForWhatIsSlowAlone) {
  const Environment home("XDG_CACHE_HOME", (cache_.path() / "xdg").c_str());
  FolderRules own = rules();
  own.cache = "auto";
  EXPECT_EQ(list(own).folders.read, kFolders);
  EXPECT_FALSE(fs::exists(cache_.path() / "xdg"));

  // One look at a time, each at the clock.
  own.walk.threads = 1;
  own.walk.settle.now_ns = [] {
    std::this_thread::sleep_for(std::chrono::milliseconds(1100) / kFolders);
    return system_now_ns() + 3'600'000'000'000;
  };
  EXPECT_EQ(list(own).folders.read, kFolders);
  EXPECT_EQ(list(own).folders.read, 0U);
  for (const auto& entry : fs::recursive_directory_iterator(cache_.path() / "xdg")) {
    if (!entry.is_regular_file()) continue;
    EXPECT_EQ(fs::status(entry).permissions(), fs::perms::owner_read | fs::perms::owner_write);
    std::ofstream(entry.path()) << "nonsense";
  }
  EXPECT_NE(list(own).warnings.find("is damaged: the root is listed anew"), std::string::npos);
  EXPECT_EQ(list(own).folders.read, 0U);
}

}  // namespace
}  // namespace headrace::source
