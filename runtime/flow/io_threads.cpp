// SPDX-License-Identifier: Apache-2.0

#include "runtime/flow/io_threads.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <new>
#include <string>

#include "runtime/flow/flow.h"

namespace headrace {

IoThreads::IoThreads(Flow& flow, std::size_t count, std::size_t first_shard) : flow_(flow), ring_(64) {
  try {
    for (std::size_t i = 0; i < count; ++i) {
      threads_.emplace_back([this, shard = first_shard + i] {
        ::pthread_setname_np(::pthread_self(), "headrace-io");
        run(shard);
      });
    }
  } catch (...) {
    end();
    throw;
  }
}

IoThreads::~IoThreads() { end(); }

void IoThreads::end() {
  {
    const std::scoped_lock lock(mutex_);
    ending_ = true;
  }
  more_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void IoThreads::put(Job job) {
  const std::scoped_lock lock(mutex_);
  if (size_ == ring_.size()) grow();
  ring_[(begin_ + size_++) % ring_.size()] = job;
  // Under the lock: without it the job may be done, and all of this be gone, before anybody is told.
  more_.notify_one();
}

void IoThreads::grow() {
  std::vector<Job> larger(ring_.size() * 2);
  for (std::size_t i = 0; i < size_; ++i) larger[i] = ring_[(begin_ + i) % ring_.size()];
  ring_.swap(larger);
  begin_ = 0;
}

void IoThreads::run(std::size_t shard) {
  std::unique_lock lock(mutex_);
  for (;;) {
    more_.wait(lock, [this] { return size_ > 0 || ending_; });
    if (size_ == 0) return;
    const Job job = ring_[begin_];
    begin_ = (begin_ + 1) % ring_.size();
    --size_;
    lock.unlock();
    job.body(job.a, job.b, shard);
    lock.lock();
  }
}

namespace {

struct PendingRead {
  headrace_read read;
  std::string path;
  Flow* flow;
};

void run_read(void* a, void*, std::size_t) {
  const std::unique_ptr<PendingRead> pending(static_cast<PendingRead*>(a));
  const headrace_read& read = pending->read;
  std::size_t got = 0;
  int error = 0;
  const int fd = ::open(pending->path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) error = errno;
  while (error == 0 && got < read.length) {
    const ssize_t n = ::pread(fd, static_cast<char*>(read.destination) + got, read.length - got,
                              static_cast<off_t>(read.offset + got));
    if (n == 0) break;
    if (n > 0) {
      got += static_cast<std::size_t>(n);
    } else if (errno != EINTR) {
      error = errno;
    }
  }
  if (fd >= 0) ::close(fd);
  read.done(read.context, got, error);
  pending->flow->work_end();
}

}  // namespace

headrace_status IoThreads::submit_read(const headrace_read& read) {
  if (flow_.cancelled()) return HEADRACE_CANCELLED;
  auto* pending = new (std::nothrow) PendingRead{read, read.path, &flow_};
  if (pending == nullptr) return HEADRACE_OUT_OF_MEMORY;
  flow_.work_begin(1);
  put({.body = run_read, .a = pending, .b = nullptr});
  return HEADRACE_OK;
}

}  // namespace headrace
