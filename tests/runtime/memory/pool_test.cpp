// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory/pool.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

namespace headrace {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

TEST(Pool, BlocksAreAlignedAndLargeEnough) {
  Pool pool(kMiB);
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{64}, std::size_t{65},
                                  std::size_t{1000}, 3 * kMiB, 9 * kMiB + 1}) {
    const BufferRef block = pool.take(bytes);
    ASSERT_TRUE(block);
    EXPECT_GE(block.capacity(), bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block.data()) % 64, 0U);
    std::memset(block.data(), 1, bytes);
  }
  EXPECT_EQ(pool.held_bytes(), 0);
}

TEST(Pool, ClassesWasteAtMostAQuarter) {
  for (std::size_t bytes = 1; bytes < (std::size_t{1} << 34U); bytes = bytes * 5 / 4 + 1) {
    const std::size_t block = Pool::class_bytes(bytes);
    EXPECT_GE(block, bytes);
    EXPECT_EQ(block % 64, 0U);
    EXPECT_EQ(Pool::class_bytes(block), block);
    EXPECT_LE(block, bytes + bytes / 4 + 64);
  }
}

TEST(Pool, ReusesWhatCameBack) {
  Pool pool(kMiB);
  void* first = nullptr;
  {
    const BufferRef block = pool.take(1000);
    first = block.data();
  }
  const BufferRef again = pool.take(990);
  EXPECT_EQ(again.data(), first);
  EXPECT_EQ(pool.system_allocations(), 1U);
}

TEST(Pool, KeepsNoMoreThanItWasToldButWhatWasReserved) {
  Pool pool(kMiB);
  pool.reserve(4 * kMiB, nullptr, 2);
  {
    const BufferRef a = pool.take(4 * kMiB);
    const BufferRef b = pool.take(4 * kMiB);
    const BufferRef c = pool.take(4 * kMiB);
    const BufferRef d = pool.take(2 * kMiB);
  }
  const std::uint64_t before = pool.system_allocations();
  const BufferRef a = pool.take(4 * kMiB);
  const BufferRef b = pool.take(4 * kMiB);
  EXPECT_EQ(pool.system_allocations(), before);
  const BufferRef c = pool.take(4 * kMiB);
  const BufferRef d = pool.take(2 * kMiB);
  EXPECT_EQ(pool.system_allocations(), before + 2);
}

TEST(Pool, KeepsSmallBlocksBesideReservedOnes) {
  Pool pool(kMiB);
  pool.reserve(4 * kMiB, nullptr, 1);
  { const BufferRef large = pool.take(4 * kMiB); }
  { const BufferRef small = pool.take(100); }
  const std::uint64_t before = pool.system_allocations();
  { const BufferRef small = pool.take(100); }
  { const BufferRef large = pool.take(4 * kMiB); }
  EXPECT_EQ(pool.system_allocations(), before);
}

TEST(Pool, ReservingWhatItKeepsMakesRoomForMore) {
  Pool pool(kMiB);
  { const BufferRef a = pool.take(kMiB); }
  pool.reserve(kMiB, nullptr, 1);
  { const BufferRef b = pool.take(kMiB / 2); }
  const std::uint64_t before = pool.system_allocations();
  const BufferRef a = pool.take(kMiB);
  const BufferRef b = pool.take(kMiB / 2);
  EXPECT_EQ(pool.system_allocations(), before);
}

TEST(Pool, ABlockComesBackWithItsLastHolder) {
  Pool pool(kMiB);
  BufferRef one = pool.take(100);
  EXPECT_TRUE(one.is_only_holder());
  BufferRef two = one.share();
  EXPECT_FALSE(one.is_only_holder());
  one.reset();
  EXPECT_TRUE(two.is_only_holder());
  EXPECT_EQ(pool.held_bytes(), static_cast<std::int64_t>(Pool::class_bytes(100)));
  two = BufferRef();
  EXPECT_EQ(pool.held_bytes(), 0);
}

TEST(Pool, AdoptedMemoryGoesBackToItsOwnerOnce) {
  Pool pool(kMiB);
  int released = 0;
  int memory = 0;
  for (int i = 1; i <= 3; ++i) {
    BufferRef block = pool.adopt(
        &memory, sizeof(memory), [](void* n) { ++*static_cast<int*>(n); }, &released);
    const BufferRef other = block.share();
    block.reset();
    EXPECT_EQ(released, i - 1);
  }
  EXPECT_EQ(released, 3);
}

TEST(Pool, AnEventIsReleasedBeforeTheMemoryIsUsedAgain) {
  Pool pool(kMiB);
  int released = 0;
  {
    BufferRef block = pool.take(10);
    block.set_event([](void* n) { ++*static_cast<int*>(n); }, &released);
  }
  EXPECT_EQ(released, 1);
  const BufferRef again = pool.take(10);
  EXPECT_EQ(released, 1);
}

TEST(Pool, MemoryOfAnAllocatorIsKeptApartAndGivenBackToIt) {
  static int live = 0;
  headrace_allocator allocator{};
  allocator.size = sizeof(allocator);
  allocator.name = "test";
  allocator.allocate = [](const headrace_allocator*, std::size_t bytes, void** out) -> headrace_status {
    *out = ::operator new (bytes, std::align_val_t{64});
    ++live;
    return HEADRACE_OK;
  };
  allocator.release = [](const headrace_allocator*, void* memory, std::size_t) {
    ::operator delete (memory, std::align_val_t{64});
    --live;
  };
  {
    Pool pool(kMiB);
    { const BufferRef host = pool.take(1000); }
    const BufferRef device = pool.take(1000, &allocator);
    EXPECT_TRUE(device.lies_in(&allocator));
    EXPECT_EQ(live, 1);
  }
  EXPECT_EQ(live, 0);
}

TEST(Pool, AnAllocatorThatFailsGivesNothing) {
  headrace_allocator allocator{};
  allocator.allocate = [](const headrace_allocator*, std::size_t, void**) -> headrace_status {
    return HEADRACE_OUT_OF_MEMORY;
  };
  Pool pool(kMiB);
  EXPECT_FALSE(pool.take(10, &allocator));
  EXPECT_EQ(pool.held_bytes(), 0);
}

TEST(Pool, ThreadsMayShareIt) {
  Pool pool(kMiB);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&pool, t] {
      for (int i = 0; i < 5000; ++i) {
        const BufferRef a = pool.take(static_cast<std::size_t>(64 + (i * 37 + t) % 5000));
        std::memset(a.data(), t, 64);
        const BufferRef b = a.share();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(pool.held_bytes(), 0);
}

}  // namespace
}  // namespace headrace
