// SPDX-License-Identifier: Apache-2.0
//
// An event is recorded by a mark that its stream passes; whoever waits for the event waits for the mark it
// had at that time.

#include "virtual_cuda.h"

#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

namespace headrace::virtual_cuda {
namespace {

constexpr int kDevices = 2;

struct Machine {
  std::mutex mutex;
  std::condition_variable changed;
  Counts counts;
  bool held = false;
  int copies_until_refusal = -1;
  bool wait_fails = false;
  std::map<const void*, int> memory;  ///< by address: its device, or -1 for page-locked
};

Machine& machine() {
  static Machine kMachine;
  return kMachine;
}

thread_local int this_threads_device = 0;

struct Mark {
  bool is_passed = false;
};

void pass(const std::shared_ptr<Mark>& mark) {
  const std::lock_guard lock(machine().mutex);
  mark->is_passed = true;
  machine().changed.notify_all();
}

void wait_for(const std::shared_ptr<Mark>& mark) {
  std::unique_lock lock(machine().mutex);
  machine().changed.wait(lock, [&] { return mark == nullptr || mark->is_passed; });
}

}  // namespace
}  // namespace headrace::virtual_cuda

struct CUevent_st {
  std::shared_ptr<headrace::virtual_cuda::Mark> mark;
};

struct CUstream_st {
  CUstream_st() : thread([this] { run(); }) {}
  ~CUstream_st() {
    {
      const std::lock_guard lock(mutex);
      is_ending = true;
    }
    woken.notify_one();
    thread.join();
  }
  CUstream_st(const CUstream_st&) = delete;
  CUstream_st& operator=(const CUstream_st&) = delete;

  void put(std::function<void()> task) {
    {
      const std::lock_guard lock(mutex);
      tasks.push_back(std::move(task));
    }
    woken.notify_one();
  }
  void run() {
    for (;;) {
      std::function<void()> task;
      {
        std::unique_lock lock(mutex);
        woken.wait(lock, [&] { return is_ending || !tasks.empty(); });
        if (tasks.empty()) return;
        task = std::move(tasks.front());
        tasks.pop_front();
      }
      task();
    }
  }

  std::mutex mutex;
  std::condition_variable woken;
  std::deque<std::function<void()>> tasks;
  bool is_ending = false;
  std::thread thread;
};

namespace headrace::virtual_cuda {

Counts counts() {
  const std::lock_guard lock(machine().mutex);
  return machine().counts;
}

void hold() {
  const std::lock_guard lock(machine().mutex);
  machine().held = true;
}

void go() {
  const std::lock_guard lock(machine().mutex);
  machine().held = false;
  machine().changed.notify_all();
}

void wait_for_copies(int started) {
  std::unique_lock lock(machine().mutex);
  machine().changed.wait(lock, [&] { return machine().counts.copies_started >= started; });
}

void refuse_copy(int number) {
  const std::lock_guard lock(machine().mutex);
  machine().copies_until_refusal = number;
}

void fail_next_wait() {
  const std::lock_guard lock(machine().mutex);
  machine().wait_fails = true;
}

void enqueue(cudaStream_t stream, std::function<void()> work) { stream->put(std::move(work)); }

namespace {

cudaError_t allocate(void** out, std::size_t bytes, int device) {
  *out = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  if (*out == nullptr) return cudaErrorMemoryAllocation;
  const std::lock_guard lock(machine().mutex);
  machine().memory[*out] = device;
  ++(device < 0 ? machine().counts.page_locked_memory : machine().counts.device_memory);
  return cudaSuccess;
}

cudaError_t release(void* memory) {
  if (memory == nullptr) return cudaSuccess;
  const std::lock_guard lock(machine().mutex);
  const auto found = machine().memory.find(memory);
  if (found == machine().memory.end()) return cudaErrorInvalidValue;
  --(found->second < 0 ? machine().counts.page_locked_memory : machine().counts.device_memory);
  machine().memory.erase(found);
  std::free(memory);
  return cudaSuccess;
}

bool lies_in(const void* memory, int device) {
  const std::lock_guard lock(machine().mutex);
  const auto found = machine().memory.find(memory);
  return found != machine().memory.end() && found->second == device;
}

void copy(void* to, const void* from, std::size_t bytes) {
  {
    std::unique_lock lock(machine().mutex);
    machine().changed.wait(lock, [] { return !machine().held; });
  }
  std::memcpy(to, from, bytes);
  const std::lock_guard lock(machine().mutex);
  ++machine().counts.copies_done;
}

}  // namespace

bool is_page_locked(const void* memory) { return lies_in(memory, -1); }
bool is_on_device(const void* memory, int device) { return lies_in(memory, device); }
int current_device() { return this_threads_device; }

}  // namespace headrace::virtual_cuda

using namespace headrace::virtual_cuda;

extern "C" {

cudaError_t cudaDriverGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int* count) {
  *count = kDevices;
  return cudaSuccess;
}
cudaError_t cudaGetLastError() { return cudaSuccess; }
const char* cudaGetErrorString(cudaError_t error) {
  return error == cudaErrorIllegalAddress ? "an illegal memory access was encountered" : "some other failure";
}
const char* cudaGetErrorName(cudaError_t error) {
  return error == cudaErrorIllegalAddress ? "cudaErrorIllegalAddress" : "cudaErrorOther";
}
cudaError_t cudaSetDevice(int device) {
  this_threads_device = device;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = this_threads_device;
  return cudaSuccess;
}
cudaError_t cudaMalloc(void** out, std::size_t bytes) { return allocate(out, bytes, this_threads_device); }
cudaError_t cudaFree(void* memory) { return release(memory); }
cudaError_t cudaHostAlloc(void** out, std::size_t bytes, unsigned) { return allocate(out, bytes, -1); }
cudaError_t cudaFreeHost(void* memory) { return release(memory); }

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  *stream = new CUstream_st;
  const std::lock_guard lock(machine().mutex);
  ++machine().counts.streams;
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete stream;
  const std::lock_guard lock(machine().mutex);
  --machine().counts.streams;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  const auto mark = std::make_shared<Mark>();
  stream->put([mark] { pass(mark); });
  wait_for(mark);
  return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  stream->put([mark = event->mark] { wait_for(mark); });
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind,
                            cudaStream_t stream) {
  {
    const std::lock_guard lock(machine().mutex);
    if (machine().copies_until_refusal-- == 0) return cudaErrorIllegalAddress;
    ++machine().counts.copies_started;
    machine().changed.notify_all();
  }
  stream->put([to, from, bytes] { copy(to, from, bytes); });
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = new CUevent_st;
  const std::lock_guard lock(machine().mutex);
  ++machine().counts.events;
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  const std::lock_guard lock(machine().mutex);
  --machine().counts.events;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  event->mark = std::make_shared<Mark>();
  stream->put([mark = event->mark] { pass(mark); });
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  wait_for(event->mark);
  const std::lock_guard lock(machine().mutex);
  return std::exchange(machine().wait_fails, false) ? cudaErrorIllegalAddress : cudaSuccess;
}

}  // extern "C"
