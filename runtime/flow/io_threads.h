// SPDX-License-Identifier: Apache-2.0
//
// The threads for what may wait: blocking ops and file reads. Started by the flow, ended with it; their queue
// is bounded by the tokens of those who put work into it.

#pragma once

#include <headrace/host.h>

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

namespace headrace {

class Flow;

class IoThreads {
 public:
  /// What a thread does: body(a, b, shard), shard being the number of the thread's counters.
  struct Job {
    void (*body)(void* a, void* b, std::size_t shard) = nullptr;
    void* a = nullptr;
    void* b = nullptr;
  };

  IoThreads(Flow& flow, std::size_t count, std::size_t first_shard);
  ~IoThreads();  ///< finishes what was put in, then joins
  IoThreads(const IoThreads&) = delete;
  IoThreads& operator=(const IoThreads&) = delete;

  void put(Job job);  ///< [any thread] in order
  headrace_status submit_read(const headrace_read& read);

 private:
  void run(std::size_t shard);
  void end();
  void grow();

  Flow& flow_;
  std::mutex mutex_;
  std::condition_variable more_;
  std::vector<Job> ring_;  ///< a queue that keeps its memory
  std::size_t begin_ = 0;
  std::size_t size_ = 0;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace headrace
