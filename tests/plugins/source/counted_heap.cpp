// SPDX-License-Identifier: Apache-2.0
//
// See counted_heap.h.
#include "counted_heap.h"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

/// What malloc keeps beside each block.
constexpr std::size_t kBlockBytes = sizeof(std::size_t);

std::atomic<std::size_t> now{0};
std::atomic<std::size_t> peak{0};

void* counted(std::size_t size) {
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  const std::size_t all = now += malloc_usable_size(memory) + kBlockBytes;
  std::size_t before = peak;
  while (before < all && !peak.compare_exchange_weak(before, all)) {
  }
  return memory;
}

void uncounted(void* memory) {
  if (memory == nullptr) return;
  now -= malloc_usable_size(memory) + kBlockBytes;
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t size) { return counted(size); }
void* operator new[](std::size_t size) { return counted(size); }
void operator delete(void* memory) noexcept { uncounted(memory); }
void operator delete[](void* memory) noexcept { uncounted(memory); }
void operator delete(void* memory, std::size_t) noexcept { uncounted(memory); }
void operator delete[](void* memory, std::size_t) noexcept { uncounted(memory); }

namespace headrace::source::testing {

std::size_t heap_bytes() { return now; }
std::size_t heap_peak_bytes() { return peak; }
void reset_heap_peak() { peak.store(now); }

}  // namespace headrace::source::testing
