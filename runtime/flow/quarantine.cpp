// SPDX-License-Identifier: Apache-2.0

#include "runtime/flow/quarantine.h"

#include <fmt/format.h>
#include <pthread.h>

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <system_error>
#include <thread>

#include "runtime/flow/flow.h"
#include "runtime/watch/log.h"

namespace headrace {

namespace {

constexpr std::chrono::seconds kPatience{2};

/// Never destroyed. Once the process ends nothing is freed any more: what an op needs for that may be gone.
class ProcessEnd {
 public:
  static ProcessEnd& get() {
    static ProcessEnd* const end = [] {
      std::atexit([] { get().begin(); });
      return new ProcessEnd;
    }();
    return *end;
  }

  /// False once the process ends; else the end waits for done(), for a while.
  bool may_free() {
    const std::scoped_lock lock(mutex_);
    if (has_begun_) return false;
    ++freeing_;
    return true;
  }
  void done() {
    const std::scoped_lock lock(mutex_);
    --freeing_;
    changed_.notify_all();
  }

 private:
  /// What is being freed gets its time, but cannot keep the process from ending.
  void begin() {
    std::unique_lock lock(mutex_);
    has_begun_ = true;
    changed_.wait_for(lock, kPatience, [this] { return freeing_ == 0; });
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  int freeing_ = 0;
  bool has_begun_ = false;
};

/// On a thread of its own: frees the flow once its calls have come back, if ever.
void wait_and_free(Flow* flow) {
  ::pthread_setname_np(::pthread_self(), "headrace-wait");
  flow->wait_until_idle();
  if (!ProcessEnd::get().may_free()) return;
  delete flow;
  ProcessEnd::get().done();
}

void say_what_stays(Flow& flow) {
  const std::vector<std::string> calls = flow.running_calls();
  for (const std::string& call : calls) {
    log(HEADRACE_LOG_ERROR,
        call + "; the pipeline was closed without it, and what it uses stays in memory until it comes back");
  }
  if (calls.empty()) {
    log(HEADRACE_LOG_ERROR,
        fmt::format("the pipeline was closed and does not come to rest; it stays in memory\n{}",
                    flow.holdings()));
  }
}

}  // namespace

void close_flow(std::unique_ptr<Flow> flow) {
  flow->retire();
  if (flow->wait_until_idle(kPatience)) return;
  say_what_stays(*flow);
  ProcessEnd::get();
  Flow* const left = flow.release();
  try {
    std::thread(wait_and_free, left).detach();
  } catch (const std::system_error&) {
    // No thread to wait for it: then it stays for good.
  }
}

}  // namespace headrace
