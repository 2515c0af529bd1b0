// SPDX-License-Identifier: Apache-2.0
//
// The memory of records: blocks in size classes, reused without going back to the system, owned by counted
// references. The flow asks here for every output that is no row of a batch, for the batches themselves, and
// for memory of devices. All functions: any thread.

#pragma once

#include <headrace/op.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace headrace {

class Pool;

/// A block and the count of those who hold it. Lives in the pool; held through BufferRef.
struct Buffer {
  void* data = nullptr;
  std::size_t capacity = 0;
  std::atomic<std::uint32_t> holders{1};
  Buffer* next = nullptr;  ///< while it waits to be reused
  Pool* pool = nullptr;
  const headrace_allocator* allocator = nullptr;  ///< null: the host's own memory
  void (*release)(void* context) = nullptr;       ///< not null: foreign memory, given back by this
  void* context = nullptr;
  void (*event_release)(void* context) = nullptr;  ///< called before the memory is used again
  void* event_context = nullptr;
};

/// One holder's share of a Buffer.
class BufferRef {
 public:
  BufferRef() = default;
  explicit BufferRef(Buffer* owned) : buffer_(owned) {}  ///< takes over one count
  BufferRef(BufferRef&& other) noexcept : buffer_(std::exchange(other.buffer_, nullptr)) {}
  BufferRef& operator=(BufferRef&& other) noexcept {
    if (this != &other) {
      reset();
      buffer_ = std::exchange(other.buffer_, nullptr);
    }
    return *this;
  }
  BufferRef(const BufferRef&) = delete;
  BufferRef& operator=(const BufferRef&) = delete;
  ~BufferRef() { reset(); }

  BufferRef share() const {
    if (buffer_ != nullptr) buffer_->holders.fetch_add(1, std::memory_order_relaxed);
    return BufferRef(buffer_);
  }
  void reset();
  /// release(context) is called when the last holder lets go, before the memory is used again. May be null.
  void set_event(void (*release)(void*), void* context) {
    buffer_->event_release = release;
    buffer_->event_context = context;
  }
  bool is_only_holder() const {
    return buffer_ != nullptr && buffer_->holders.load(std::memory_order_acquire) == 1;
  }
  explicit operator bool() const { return buffer_ != nullptr; }
  void* data() const { return buffer_->data; }
  std::size_t capacity() const { return buffer_ == nullptr ? 0 : buffer_->capacity; }
  /// Whether it lies in that allocator's memory (null: the host's own).
  bool lies_in(const headrace_allocator* allocator) const {
    return buffer_ != nullptr && buffer_->allocator == allocator;
  }

 private:
  Buffer* buffer_ = nullptr;
};

/// Blocks of 64-byte aligned memory. A block given back is kept for the next of its class while the pool
/// keeps at most `keep_bytes`; blocks of a class that was reserved are kept beyond that, up to the number
/// reserved. Shared by a flow and by the batches it gave out, which may outlive it.
class Pool {
 public:
  explicit Pool(std::size_t keep_bytes) : keep_bytes_(keep_bytes) {}
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  /// At least `bytes` (at least 1 is handed out), from `allocator` or, if null, of the host's own. Empty when
  /// there is no memory.
  BufferRef take(std::size_t bytes, const headrace_allocator* allocator = nullptr);
  /// A holder of memory that belongs to somebody else; release(context) is called when the last holder lets
  /// go.
  BufferRef adopt(void* data, std::size_t bytes, void (*release)(void*), void* context);
  /// Keeps up to `count` blocks fit for `bytes` ready whatever keep_bytes says. Adds up over calls.
  void reserve(std::size_t bytes, const headrace_allocator* allocator, std::size_t count);

  /// Bytes that are held by somebody now.
  std::int64_t held_bytes() const { return held_bytes_.load(std::memory_order_relaxed); }
  /// Times the system was asked for memory: flat in steady state.
  std::uint64_t system_allocations() const { return system_allocations_.load(std::memory_order_relaxed); }

  /// The class a request falls into: its block's size. Four classes to each doubling, so at most a fifth is
  /// left over.
  static std::size_t class_bytes(std::size_t bytes);

 private:
  friend class BufferRef;
  struct Shelf {
    Buffer* first = nullptr;
    std::size_t count = 0;
    std::size_t reserved = 0;
  };
  using Key = std::pair<const headrace_allocator*, std::size_t>;

  void give_back(Buffer* buffer);
  Buffer* make(std::size_t bytes, const headrace_allocator* allocator);
  static void destroy(Buffer* buffer);

  const std::size_t keep_bytes_;
  std::mutex mutex_;
  std::map<Key, Shelf> shelves_;
  std::size_t kept_bytes_ = 0;  // on shelves, beyond what was reserved
  Buffer* spare_headers_ = nullptr;
  std::atomic<std::int64_t> held_bytes_{0};
  std::atomic<std::uint64_t> system_allocations_{0};
};

}  // namespace headrace
