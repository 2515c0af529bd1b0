// SPDX-License-Identifier: Apache-2.0
//
// The same batches, bit for bit, however they were made: any number of threads, fused or not, any
// concurrency, whatever each sample takes, with damaged files among them and without.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "runtime/state/philox.h"
#include "tests/runtime/flow/harness.h"
#include "tests/runtime/flow/test_ops.h"

namespace headrace::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kGraph = R"(
version: 1
vars: {root: ""}
runtime: {seed: 11}
nodes:
  files:  {op: source.files, with: {root: "${vars.root}", layout: image_folder, shuffle: true}}
  read:   {op: source.read, from: files}
  wait:   {op: test.delay, from: read}
  decode: {op: image.decode, from: wait, on_error: {action: skip, max_fraction: 0.05}}
  crop:   {op: image.random_resized_crop, from: decode, with: {size: 32}}
  flip:   {op: image.random_horizontal_flip, from: crop}
  norm:   {op: image.normalize, from: flip, with: {mean: 0.5, std: 0.25}}
  batch:  {op: batch.stack, from: norm, with: {size: 8, last: partial}}
outputs: {out: {from: batch, fields: [image, label, path]}}
)";

/// 100 pictures in class folders, links to the shipped ones; `bad` of them are no pictures.
class Pictures {
 public:
  explicit Pictures(int bad)
      : root_(fs::path(testing::TempDir()) / ("headrace_matrix_" + std::to_string(bad))) {
    fs::remove_all(root_);
    std::vector<fs::path> photos;
    for (const auto& entry : fs::recursive_directory_iterator(HEADRACE_PHOTOS)) {
      if (entry.path().extension() == ".jpg") photos.push_back(entry.path());
    }
    for (std::size_t i = 0; i < 100; ++i) {
      const fs::path& photo = photos[i % photos.size()];
      const fs::path folder = root_ / photo.parent_path().filename();
      fs::create_directories(folder);
      const fs::path link = folder / (std::to_string(i) + ".jpg");
      if (static_cast<int>(i) < bad) {
        std::ofstream(link) << "no picture";
      } else {
        fs::create_symlink(photo, link);
      }
    }
  }
  ~Pictures() { fs::remove_all(root_); }
  Pictures(const Pictures&) = delete;
  Pictures& operator=(const Pictures&) = delete;
  std::string root() const { return root_.string(); }

 private:
  fs::path root_;
};

std::size_t bytes_of(const headrace_value& tensor) {
  return static_cast<std::size_t>(headrace_value_elements(&tensor)) * headrace_dtype_bytes(tensor.dtype);
}

std::uint64_t hash(const Delivered& batch) {
  std::uint64_t h = batch.rows;
  for (const headrace_value* value : batch.values) {
    if (value->kind == HEADRACE_TENSOR) {
      h = mix(h, word_of({static_cast<const char*>(value->data), bytes_of(*value)}));
    } else {
      for (std::int64_t i = 0; i < value->shape[0]; ++i) {
        const headrace_text text = static_cast<const headrace_text*>(value->data)[i];
        h = mix(h, word_of({text.data, text.size}));
      }
    }
  }
  return h;
}

/// Two epochs' batches.
std::vector<std::uint64_t> run(const Pictures& pictures, int threads, bool fuse, int concurrency) {
  GraphRun run(kGraph,
               {"vars.root=" + pictures.root(), "runtime.threads=" + std::to_string(threads),
                std::string("runtime.fuse=") + (fuse ? "true" : "false"),
                "nodes.decode.concurrency=" + std::to_string(concurrency)},
               {.epochs = 2});
  std::vector<std::uint64_t> hashes;
  for (int epoch = 0; epoch < 2; ++epoch) {
    while (const auto batch = run.next()) hashes.push_back(hash(*batch));
    EXPECT_EQ(run.last(), Pipeline::Next::end) << run.failure();
  }
  return hashes;
}

class Matrix : public testing::TestWithParam<int> {
 protected:
  void SetUp() override { Stand::get().reset(); }
};

TEST_P(Matrix, EveryRunGivesTheSameBatches) {
  const Pictures pictures(GetParam());
  const std::vector<std::uint64_t> expected = run(pictures, 1, false, 1);
  EXPECT_EQ(expected.size(), 2U * ((100U - static_cast<unsigned>(GetParam()) + 7) / 8));
  EXPECT_NE(expected[0], expected[expected.size() / 2]) << "epochs differ in order and draws";
  for (const int threads : {1, 2, 8}) {
    for (const bool fuse : {true, false}) {
      for (const int concurrency : {1, 4}) {
        std::size_t most = 0;
        for (int again = 0; again < 5; ++again) {
          Stand::get().reset();
          EXPECT_EQ(run(pictures, threads, fuse, concurrency), expected)
              << threads << " threads, fuse " << fuse << ", concurrency " << concurrency;
          const std::scoped_lock lock(Stand::get().mutex);
          most = std::max(most, Stand::get().threads.size());
        }
        // A worker may find nothing to do in one run, but not in all five.
        EXPECT_EQ(most, static_cast<std::size_t>(threads));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(BadFiles, Matrix, testing::Values(0, 1));

}  // namespace
}  // namespace headrace::test
