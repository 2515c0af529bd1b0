// SPDX-License-Identifier: Apache-2.0
//
// Promise 1: in steady state our code allocates nothing from the heap for a sample on the fused image path.
// Every operator new of this program and of the plugins it loads is counted here; what the codecs take they
// take by malloc, which is not. A batch may cost the handful of allocations of what is handed to the caller:
// so batches of 8 and of 64 must cost the same.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "tests/runtime/flow/harness.h"

namespace {
std::atomic<std::int64_t> allocations{0};

void* counted(std::size_t bytes, std::size_t alignment) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  const std::size_t size = (bytes + alignment - 1) / alignment * alignment;
  void* p = alignment <= alignof(std::max_align_t) ? std::malloc(bytes == 0 ? 1 : bytes)
                                                   : std::aligned_alloc(alignment, size);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}
}  // namespace

// Of default visibility, so that plugins find them before the library's own.
#define EXPORTED __attribute__((visibility("default")))
EXPORTED void* operator new(std::size_t n) { return counted(n, 1); }
EXPORTED void* operator new[](std::size_t n) { return counted(n, 1); }
EXPORTED void* operator new(std::size_t n, std::align_val_t a) {
  return counted(n, static_cast<std::size_t>(a));
}
EXPORTED void* operator new[](std::size_t n, std::align_val_t a) {
  return counted(n, static_cast<std::size_t>(a));
}
EXPORTED void operator delete(void* p) noexcept { std::free(p); }
EXPORTED void operator delete[](void* p) noexcept { std::free(p); }
EXPORTED void operator delete(void* p, std::size_t) noexcept { std::free(p); }
EXPORTED void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
EXPORTED void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
EXPORTED void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
EXPORTED void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
EXPORTED void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

namespace headrace::test {
namespace {

const char* const kGraph = R"(
version: 1
runtime: {threads: 2}
nodes:
  files: {op: source.files, with: {root: graphs/photos, layout: image_folder, shuffle: true}, tokens: 16}
  read: {op: source.read, from: files}
  decode: {op: image.decode, from: read}
  crop: {op: image.random_resized_crop, from: decode, with: {size: 64}}
  flip: {op: image.random_horizontal_flip, from: crop}
  norm: {op: image.normalize, from: flip, with: {mean: [0.5, 0.5, 0.5], std: [0.5, 0.5, 0.5]}}
  batch: {op: batch.stack, from: norm, with: {size: 8}, tokens: 3}
outputs: {out: {from: batch, fields: [image, label]}}
)";

/// Allocations of a batch, averaged over many after a warm-up. An epoch is 24 pictures: so the size divides
/// it.
double per_batch(int size) {
  GraphRun run(kGraph, {"nodes.batch.with.size=" + std::to_string(size)}, {.epochs = 0});
  std::unique_ptr<Delivered> batch;
  const auto take = [&](int batches) {
    for (int b = 0; b < batches;) {
      const auto next = run.pipeline().next(0, 20'000, batch);
      ASSERT_TRUE(next == Pipeline::Next::item || next == Pipeline::Next::end) << run.failure();
      if (next == Pipeline::Next::item) ++b;
    }
  };
  take(200);
  const std::int64_t before = allocations.load();
  take(200);
  return static_cast<double>(allocations.load() - before) / 200.0;
}

TEST(Allocation, CountsThisProgramsAndThePluginsNews) {
  const std::int64_t before = allocations.load();
  delete new int(1);
  EXPECT_EQ(allocations.load(), before + 1);
}

TEST(Allocation, ASampleOnTheFusedPathCostsNone) {
  const double small = per_batch(4);
  const double large = per_batch(24);
  // 20 samples more a batch, and an epoch's end comes with every batch instead of every sixth: which costs
  // less than one each.
  // A batch of 24 is an epoch here, and an epoch has its line in the ledger; 20 samples more would show.
  EXPECT_LT(large - small, 2.0) << small << " a batch of 4, " << large << " a batch of 24";
  EXPECT_LT(small, 16.0);
}

}  // namespace
}  // namespace headrace::test
