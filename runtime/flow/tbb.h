// SPDX-License-Identifier: Apache-2.0
//
// The one door to oneTBB: every other file includes this header and no header of oneTBB's own. It also tells
// ThreadSanitizer what it cannot see, since Debian's libtbb.so is not instrumented. Each of oneTBB's calls
// and each body that oneTBB calls is marked by a scope, each hand-over of memory by a pair of calls. Outside
// a build with -fsanitize=thread all of it is empty.
//
// The rules, for a file that uses oneTBB:
//   1. A call into oneTBB (try_put, enqueue, execute, wait, making and destroying nodes, graphs and arenas)
//      lies in a TbbCall. What this thread then reads and writes inside oneTBB is not watched; its atomics
//      still order threads.
//   2. A body that oneTBB calls begins with a TbbBody: our own code is watched again, always.
//   3. What one thread writes before a call and another reads in a body is handed over: handover_release(p)
//      by the giver, before the TbbCall or at the end of the body; handover_acquire(p) by the taker, first
//      thing after its TbbBody. p is any address that both know, usually the item's. What a serial node keeps
//      is handed over in the same way from one call of its body to the next.
//   4. Beside each task_arena lives a TbbWorkers, declared after it.
//   5. A graph is waited for by wait_idle(), which needs no hand-over afterwards.
#pragma once

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <oneapi/tbb/task_scheduler_observer.h>

#include <cassert>

#if defined(__SANITIZE_THREAD__)
#define HEADRACE_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HEADRACE_TSAN 1
#endif
#endif

#if defined(HEADRACE_TSAN)
// Declared here, for no header of the compilers declares the second pair. In LLVM's run-time library it
// covers writes as well as reads, and leaves synchronisation in force (compiler-rt, tsan_interface_ann.cpp).
extern "C" {
void __tsan_acquire(void* address);
void __tsan_release(void* address);
void AnnotateIgnoreReadsBegin(const char* file, int line);
void AnnotateIgnoreReadsEnd(const char* file, int line);
}
#endif

namespace headrace {

#if defined(HEADRACE_TSAN)

/// Whether this thread is watched. A worker of oneTBB stays unwatched between bodies, until it ends.
class ThreadWatch {
 public:
  ~ThreadWatch() { set_watched(true); }
  bool watched() const { return watched_; }
  void set_watched(bool watched) {
    if (watched == watched_) return;
    watched_ = watched;
    if (watched) {
      AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
    } else {
      AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    }
  }
  static ThreadWatch& mine() {
    static thread_local ThreadWatch watch;
    return watch;
  }

 private:
  bool watched_ = true;
};

/// What this thread wrote so far happened before whatever follows a handover_acquire of the same address.
/// Where the thread is not watched, a TbbBody is missing above. [any thread]
inline void handover_release(const void* address) {
  assert(ThreadWatch::mine().watched());
  __tsan_release(const_cast<void*>(address));
}
inline void handover_acquire(const void* address) {
  assert(ThreadWatch::mine().watched());
  __tsan_acquire(const_cast<void*>(address));
}

/// A stretch of code in which the thread is watched or not; afterwards it is as before.
class WatchScope {
 public:
  explicit WatchScope(bool watched) : before_(ThreadWatch::mine().watched()) {
    ThreadWatch::mine().set_watched(watched);
  }
  ~WatchScope() { ThreadWatch::mine().set_watched(before_); }
  WatchScope(const WatchScope&) = delete;
  WatchScope& operator=(const WatchScope&) = delete;

 private:
  bool before_;
};

class [[maybe_unused]] TbbCall {
  WatchScope scope_{false};
};

class [[maybe_unused]] TbbBody {
  WatchScope scope_{true};
};

class TbbWorkers : public oneapi::tbb::task_scheduler_observer {
 public:
  explicit TbbWorkers(oneapi::tbb::task_arena& arena) : task_scheduler_observer(arena) {
    TbbCall call;
    observe(true);
  }
  ~TbbWorkers() override {
    TbbCall call;
    observe(false);
  }
  TbbWorkers(const TbbWorkers&) = delete;
  TbbWorkers& operator=(const TbbWorkers&) = delete;
  void on_scheduler_entry(bool is_worker) override {
    if (is_worker) ThreadWatch::mine().set_watched(false);
  }
};

#else

/// What this thread wrote so far happened before whatever follows a handover_acquire of the same address.
/// [any thread]
inline void handover_release(const void* /*address*/) {}
inline void handover_acquire(const void* /*address*/) {}

/// Around a call into oneTBB. [any thread]
class [[maybe_unused]] TbbCall {};

/// At the head of a body that oneTBB calls. [a thread in an arena]
class [[maybe_unused]] TbbBody {};

/// Beside a task_arena, for as long as it is used. [the thread that owns the arena]
class TbbWorkers {
 public:
  explicit TbbWorkers(oneapi::tbb::task_arena& /*arena*/) {}
};

#endif

/// Returns once no task of the graph is left and every wait on it that was reserved is released; all that its
/// bodies wrote is then visible. The graph's counter is touched once more because the library's own look at
/// it is invisible to ThreadSanitizer. [any thread but a body]
inline void wait_idle(oneapi::tbb::flow::graph& graph) {
  TbbCall call;
  graph.wait_for_all();
  graph.reserve_wait();
  graph.release_wait();
}

}  // namespace headrace
