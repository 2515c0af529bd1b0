// SPDX-License-Identifier: Apache-2.0
//
// The pool's shelves, and the three places memory comes from: the heap for small blocks, the system for large
// ones, an allocator of a plugin for devices.

#include "runtime/memory/pool.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <new>

namespace headrace {

namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kSmallestClass = 64;
// From here on a block is mapped by itself, so that giving it up really gives it back to the system.
constexpr std::size_t kMapped = std::size_t{256} << 10;

// Without a hint for huge pages: in steady state they measured no faster, since blocks are used again, and
// where a hypervisor has to find them first they doubled the time to the first batch.
void* map_block(std::size_t bytes) {
  void* p = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return p == MAP_FAILED ? nullptr : p;
}

}  // namespace

void BufferRef::reset() {
  Buffer* buffer = std::exchange(buffer_, nullptr);
  if (buffer == nullptr || buffer->holders.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  buffer->pool->give_back(buffer);
}

std::size_t Pool::class_bytes(std::size_t bytes) {
  if (bytes <= kSmallestClass) return kSmallestClass;
  const std::size_t below = std::bit_floor(bytes - 1);
  const std::size_t step = below / 4 < kAlignment ? kAlignment : below / 4;
  return (bytes + step - 1) / step * step;
}

Pool::~Pool() {
  for (auto& [key, shelf] : shelves_) {
    while (shelf.first != nullptr) {
      Buffer* buffer = shelf.first;
      shelf.first = buffer->next;
      destroy(buffer);
    }
  }
  while (spare_headers_ != nullptr) delete std::exchange(spare_headers_, spare_headers_->next);
}

BufferRef Pool::take(std::size_t bytes, const headrace_allocator* allocator) {
  const std::size_t block = class_bytes(bytes);
  Buffer* buffer = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    const auto it = shelves_.find(Key(allocator, block));
    if (it != shelves_.end() && it->second.first != nullptr) {
      buffer = it->second.first;
      it->second.first = buffer->next;
      --it->second.count;
      if (it->second.count >= it->second.reserved) kept_bytes_ -= block;
    }
  }
  if (buffer == nullptr) buffer = make(block, allocator);
  if (buffer == nullptr) return {};
  buffer->holders.store(1, std::memory_order_relaxed);
  held_bytes_.fetch_add(static_cast<std::int64_t>(block), std::memory_order_relaxed);
  return BufferRef(buffer);
}

BufferRef Pool::adopt(void* data, std::size_t bytes, void (*release)(void*), void* context) {
  Buffer* buffer = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    if (spare_headers_ != nullptr) buffer = std::exchange(spare_headers_, spare_headers_->next);
  }
  if (buffer == nullptr) buffer = new (std::nothrow) Buffer;
  if (buffer == nullptr) return {};
  buffer->data = data;
  buffer->capacity = bytes;
  buffer->holders.store(1, std::memory_order_relaxed);
  buffer->pool = this;
  buffer->allocator = nullptr;
  buffer->release = release;
  buffer->context = context;
  held_bytes_.fetch_add(static_cast<std::int64_t>(bytes), std::memory_order_relaxed);
  return BufferRef(buffer);
}

void Pool::reserve(std::size_t bytes, const headrace_allocator* allocator, std::size_t count) {
  const std::scoped_lock lock(mutex_);
  const std::size_t block = class_bytes(bytes);
  Shelf& shelf = shelves_[Key(allocator, block)];
  const std::size_t beyond = shelf.count - std::min(shelf.count, shelf.reserved);
  kept_bytes_ -= std::min(beyond, count) * block;
  shelf.reserved += count;
}

void Pool::give_back(Buffer* buffer) {
  held_bytes_.fetch_sub(static_cast<std::int64_t>(buffer->capacity), std::memory_order_relaxed);
  if (auto* release = std::exchange(buffer->event_release, nullptr); release != nullptr)
    release(buffer->event_context);
  if (buffer->release != nullptr) {
    buffer->release(buffer->context);
    buffer->release = nullptr;
    const std::scoped_lock lock(mutex_);
    buffer->next = std::exchange(spare_headers_, buffer);
    return;
  }
  {
    const std::scoped_lock lock(mutex_);
    Shelf& shelf = shelves_[Key(buffer->allocator, buffer->capacity)];
    const bool is_reserved = shelf.count < shelf.reserved;
    if (is_reserved || kept_bytes_ + buffer->capacity <= keep_bytes_) {
      buffer->next = std::exchange(shelf.first, buffer);
      ++shelf.count;
      if (!is_reserved) kept_bytes_ += buffer->capacity;
      return;
    }
  }
  destroy(buffer);
}

Buffer* Pool::make(std::size_t bytes, const headrace_allocator* allocator) {
  std::unique_ptr<Buffer> buffer(new (std::nothrow) Buffer);
  if (buffer == nullptr) return nullptr;
  if (allocator != nullptr) {
    if (allocator->allocate(allocator, bytes, &buffer->data) != HEADRACE_OK) return nullptr;
  } else if (bytes >= kMapped) {
    buffer->data = map_block(bytes);
  } else {
    buffer->data = std::aligned_alloc(kAlignment, bytes);
  }
  if (buffer->data == nullptr) return nullptr;
  system_allocations_.fetch_add(1, std::memory_order_relaxed);
  buffer->capacity = bytes;
  buffer->pool = this;
  buffer->allocator = allocator;
  return buffer.release();
}

void Pool::destroy(Buffer* buffer) {
  if (buffer->allocator != nullptr) {
    buffer->allocator->release(buffer->allocator, buffer->data, buffer->capacity);
  } else if (buffer->capacity >= kMapped) {
    ::munmap(buffer->data, buffer->capacity);
  } else {
    std::free(buffer->data);
  }
  delete buffer;
}

}  // namespace headrace
