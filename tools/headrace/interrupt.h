// SPDX-License-Identifier: Apache-2.0
//
// SIGINT and SIGTERM as a call of headrace_stop(). Made by the subcommands that run a pipeline, before any
// other thread exists.
#pragma once

#include <headrace/headrace.h>

#include <atomic>
#include <mutex>
#include <thread>

namespace headrace::cli {

/// Takes both signals from the whole process to a thread of its own. While a pipeline is watched the first
/// signal stops it; with none, or for a second signal, the process ends at once with exit code 130 or 143.
class Interrupt {
 public:
  /// Blocks the signals in the calling thread and thus in every thread that it starts from now on.
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  /// While it lives the pipeline is watched; it ends before the pipeline is closed.
  class Watch {
   public:
    Watch(Interrupt& interrupt, headrace_pipeline* pipeline) : interrupt_(interrupt) {
      interrupt_.set(pipeline);
    }
    ~Watch() { interrupt_.set(nullptr); }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

   private:
    Interrupt& interrupt_;
  };

  /// 0, or 128 + the signal that came. [any thread]
  int exit_code() const { return exit_code_.load(); }

 private:
  void set(headrace_pipeline* pipeline);
  void wait();

  std::mutex mutex_;
  headrace_pipeline* pipeline_ = nullptr;
  std::atomic<int> exit_code_{0};
  int ending_;   ///< an eventfd: readable when this is being destroyed
  int signals_;  ///< a signalfd
  std::thread thread_;
};

}  // namespace headrace::cli
