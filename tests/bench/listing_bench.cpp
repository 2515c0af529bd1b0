// SPDX-License-Identifier: Apache-2.0
//
// How long source.files takes to list a folder, and what memory the listing takes. LISTING_BENCH_FILES files
// (else 1,000,000), 1,000 in a folder, are made as hard links below LISTING_BENCH_ROOT (else the folder for
// temporary files) and removed at the end; what the system knows of them is in its memory. A file system that
// is slow to answer is made up: each folder is answered after 2 ms.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>

#include "plugins/source/fingerprint.h"
#include "plugins/source/folder_listing.h"

namespace headrace::source {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFilesInFolder = 1000;
constexpr std::size_t kLinksOfFile = 60'000;  // ext4 takes 65,000

class Tree {
 public:
  Tree() {
    const char* root = std::getenv("LISTING_BENCH_ROOT");
    const char* files = std::getenv("LISTING_BENCH_FILES");
    std::string name =
        (root == nullptr ? fs::temp_directory_path() : fs::path(root)) / "listing-bench-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder " + name);
    folder_ = name;
    fs::create_directory(folder_ / "root");
    make(files == nullptr ? 1'000'000 : std::stoull(files));
  }
  ~Tree() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;

  FolderRules rules(std::size_t threads, const std::string& cache = "off") const {
    FolderRules rules;
    rules.root = folder_ / "root";
    rules.walk.files.files_in_root = false;
    rules.walk.files.extensions = {".jpg", ".jpeg", ".png", ".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp"};
    rules.walk.threads = threads;
    // The folders are older than they look.
    rules.walk.settle.now_ns = [] { return system_now_ns() + 3'600'000'000'000; };
    rules.walk.cancelled = [](std::uint64_t) { return false; };
    rules.warn = [](const std::string& what) { throw std::runtime_error(what); };
    rules.cache = cache;
    return rules;
  }
  std::string cache() const { return folder_ / "cache"; }

 private:
  void make(std::size_t files) const {
    int folder = -1;
    std::string original;
    for (std::size_t i = 0; i < files; ++i) {
      if (i % kLinksOfFile == 0) {
        original = folder_ / std::to_string(i);
        std::ofstream(original).put('x');
      }
      if (i % kFilesInFolder == 0) {
        const fs::path name = folder_ / "root" / ("n" + std::to_string(10'000'000 + i / kFilesInFolder));
        fs::create_directory(name);
        if (folder >= 0) close(folder);
        folder = open(name.c_str(), O_RDONLY | O_DIRECTORY);
      }
      const std::string name = "n01440764_" + std::to_string(i * 7919 % files) + ".JPEG";
      if (linkat(AT_FDCWD, original.c_str(), folder, name.c_str(), 0) != 0)
        throw std::runtime_error("no link " + name);
    }
    if (folder >= 0) close(folder);
  }

  fs::path folder_;
};

const Tree& tree() {
  static const Tree kTree;
  return kTree;
}

/// "VmRSS:", or "VmHWM:", which is the most since forget_peak().
double memory_bytes(const std::string& name) {
  std::ifstream status("/proc/self/status");
  std::string word;
  double kilobytes = 0;
  while (status >> word && word != name) {
  }
  status >> kilobytes;
  return kilobytes * 1024;
}

void forget_peak() {
  malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << "5";
}

void list(benchmark::State& state, const FolderRules& rules) {
  std::size_t files = 0;
  std::size_t text = 0;
  double kept = 0;
  double peak = 0;
  for (auto _ : state) {
    state.PauseTiming();
    forget_peak();
    const double before = memory_bytes("VmRSS:");
    Listing listing;
    state.ResumeTiming();
    list_folder(rules, listing);
    state.PauseTiming();
    peak = memory_bytes("VmHWM:") - before;
    kept = memory_bytes("VmRSS:") - before;
    files = listing.size();
    text = 0;
    for (std::size_t i = 0; i < files; ++i) text += listing.path(i).size();
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(files));
  state.counters["bytes_a_path"] = kept / static_cast<double>(files);
  state.counters["peak_bytes_a_path"] = peak / static_cast<double>(files);
  state.counters["text_a_path"] = static_cast<double>(text) / static_cast<double>(files);
}

void walked(benchmark::State& state) { list(state, tree().rules(static_cast<std::size_t>(state.range(0)))); }
BENCHMARK(walked)->Arg(1)->Arg(4)->Arg(16)->ArgName("threads")->Unit(benchmark::kMillisecond)->UseRealTime();

void walked_slow_to_answer(benchmark::State& state) {
  FolderRules rules = tree().rules(static_cast<std::size_t>(state.range(0)));
  rules.walk.settle.now_ns = [] {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return system_now_ns();
  };
  list(state, rules);
}
BENCHMARK(walked_slow_to_answer)
    ->Arg(1)
    ->Arg(4)
    ->Arg(16)
    ->Arg(64)
    ->ArgName("threads")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

/// A walk, and the file written.
void walked_and_kept(benchmark::State& state) {
  for (auto _ : state) {
    fs::remove(tree().cache());
    Listing listing;
    list_folder(tree().rules(16, tree().cache()), listing);
  }
  state.counters["file_bytes"] = static_cast<double>(fs::file_size(tree().cache()));
}
BENCHMARK(walked_and_kept)->Unit(benchmark::kMillisecond)->UseRealTime();

void from_cache(benchmark::State& state) {
  Listing listing;
  const FolderRules rules = tree().rules(16, tree().cache());
  list_folder(rules, listing);
  list(state, rules);
}
BENCHMARK(from_cache)->Unit(benchmark::kMillisecond)->UseRealTime();

/// What a walk that found a change pays for the fingerprint.
void fingerprint(benchmark::State& state) {
  Listing listing;
  list_folder(tree().rules(16), listing);
  for (auto _ : state) benchmark::DoNotOptimize(listing_fingerprint(listing, paths_hash(listing), true));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(listing.size()));
}
BENCHMARK(fingerprint)->Unit(benchmark::kMillisecond);

/// A path looked up out of order, as a shuffled epoch does.
void looked_up(benchmark::State& state) {
  Listing listing;
  list_folder(tree().rules(16), listing);
  std::string path(Listing::kMaxPathBytes, '\0');
  std::uint64_t i = 0;
  for (auto _ : state) {
    i = (i + 7'919'993) % listing.size();
    benchmark::DoNotOptimize(listing.path(i).copy_to(path.data()));
    benchmark::DoNotOptimize(listing.label(i));
  }
}
BENCHMARK(looked_up);

}  // namespace
}  // namespace headrace::source
