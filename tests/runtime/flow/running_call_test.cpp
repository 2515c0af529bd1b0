// SPDX-License-Identifier: Apache-2.0
//
// Looking at a call from outside while it begins and ends.
#include "runtime/flow/running_call.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>

namespace headrace {
namespace {

TEST(RunningCall, IsSeenFromItsBeginToItsEnd) {
  RunningCall call;
  int seen = 0;
  const auto look = [&] {
    call.look([&](std::uint64_t since_ns, pid_t thread, bool is_pending) {
      ++seen;
      EXPECT_EQ(since_ns, 4000U);
      EXPECT_EQ(thread, this_thread_id());
      EXPECT_FALSE(is_pending);
    });
  };
  look();
  EXPECT_EQ(seen, 0);
  call.begin(4000);
  look();
  look();
  EXPECT_EQ(seen, 2);
  call.end();
  look();
  EXPECT_EQ(seen, 2);
  call.end();  // twice is fine: a call that was PENDING is ended where it is resumed
}

TEST(RunningCall, IsPendingUntilTheNext) {
  RunningCall call;
  bool was_pending = false;
  const auto look = [&] {
    call.look([&](std::uint64_t, pid_t, bool is_pending) { was_pending = is_pending; });
  };
  call.begin(1000);
  call.set_pending();
  look();
  EXPECT_TRUE(was_pending);
  call.end();
  call.begin(2000);
  look();
  EXPECT_FALSE(was_pending);
}

// What the caller changes between two calls is never seen half done. (The words are no atomics:
// ThreadSanitizer sees to it that they are not touched at once.)
TEST(RunningCall, DoesNotEndWhileSomebodyLooks) {
  RunningCall call;
  std::string first = "0";
  std::string second = "0";
  std::atomic<bool> is_over{false};
  std::thread caller([&] {
    for (int i = 1; i < 20000; ++i) {
      call.begin(static_cast<std::uint64_t>(i) * 8);
      call.end();
      first = std::to_string(i);
      second = first;
    }
    is_over = true;
  });
  while (!is_over) {
    call.look([&](std::uint64_t, pid_t, bool) { EXPECT_EQ(first, second); });
  }
  caller.join();
}

TEST(ThisThread, IsNamedAsToolsNameIt) {
  std::string title;
  pid_t id = 0;
  std::thread([&] {
    pthread_setname_np(pthread_self(), "some-thread");
    id = this_thread_id();
    title = thread_title(id);
  }).join();
  EXPECT_EQ(title, "thread 'some-thread' (tid " + std::to_string(id) + ")");
  EXPECT_NE(id, this_thread_id());
}

}  // namespace
}  // namespace headrace
