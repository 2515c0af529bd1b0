// SPDX-License-Identifier: Apache-2.0
//
// Uploads by CUDA's run-time API: the one file that includes its headers.
//
// A call is completed by a thread that waits for its event, and not by cudaLaunchHostFunc(): a host function
// is never called once the context has failed, and its call would stay pending for ever; the wait returns,
// with the error. A completed copy's event stays with its outputs all the same: through it a consumer says on
// which stream it reads them, and when one of them is let go of, our stream is made to wait for that one. So
// memory that goes back to the pool is not overwritten while kernels read it, and nobody waits on a CPU.

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "cuda.h"

namespace headrace::device {
namespace {

std::string failure_text(const char* what, cudaError_t error) {
  return std::string(what) + " failed: " + cudaGetErrorString(error) + " (" + cudaGetErrorName(error) + ")";
}

void must(const char* what, cudaError_t error) {
  if (error != cudaSuccess) throw Error(HEADRACE_DEVICE_ERROR, failure_text(what, error));
}

/// Makes a GPU the calling thread's own for a while: threads of the host's and of its embedder's come along
/// here.
class OnDevice {
 public:
  explicit OnDevice(int device) {
    changed_ = cudaGetDevice(&before_) == cudaSuccess && before_ != device;
    if (changed_) cudaSetDevice(device);
  }
  ~OnDevice() {
    if (changed_) cudaSetDevice(before_);
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  int before_ = 0;
  bool changed_ = false;
};

struct Allocators {
  std::string name;
  int number = 0;
  headrace_allocator device;
  headrace_allocator page_locked;
};

int device_of(const headrace_allocator* allocator) { return *static_cast<const int*>(allocator->handle); }

headrace_status allocate_on_device(const headrace_allocator* allocator, size_t bytes, void** out) {
  const OnDevice on(device_of(allocator));
  *out = nullptr;
  return cudaMalloc(out, bytes) == cudaSuccess ? HEADRACE_OK : HEADRACE_OUT_OF_MEMORY;
}

void release_on_device(const headrace_allocator* allocator, void* memory, size_t) {
  const OnDevice on(device_of(allocator));
  cudaFree(memory);
}

headrace_status allocate_page_locked(const headrace_allocator* allocator, size_t bytes, void** out) {
  const OnDevice on(device_of(allocator));
  *out = nullptr;
  return cudaHostAlloc(out, bytes, cudaHostAllocPortable) == cudaSuccess ? HEADRACE_OK
                                                                         : HEADRACE_OUT_OF_MEMORY;
}

void release_page_locked(const headrace_allocator* allocator, void* memory, size_t) {
  const OnDevice on(device_of(allocator));
  cudaFreeHost(memory);
}

headrace_allocator make_allocator(const char* name, headrace_device device, int* number,
                                  decltype(headrace_allocator::allocate) allocate,
                                  decltype(headrace_allocator::release) release) {
  return {sizeof(headrace_allocator), 0, name, device, number, allocate, release};
}

/// Never destroyed: memory may be given back while the program's own objects end.
const std::vector<Allocators>& allocators() {
  static const auto* const all_gpus = [] {
    auto* all = new std::vector<Allocators>(static_cast<std::size_t>(gpus().count));
    for (int i = 0; i < gpus().count; ++i) {
      Allocators& a = (*all)[static_cast<std::size_t>(i)];
      a.number = i;
      a.name = "cuda:" + std::to_string(i);
      a.device = make_allocator(a.name.c_str(), {HEADRACE_CUDA, i}, &a.number, allocate_on_device,
                                release_on_device);
      a.page_locked = make_allocator("page-locked", {HEADRACE_CUDA_HOST, 0}, &a.number, allocate_page_locked,
                                     release_page_locked);
    }
    return all;
  }();
  return *all_gpus;
}

/// Our stream on one GPU. Shared by the uploader and by every batch that is still held, which may outlive it.
class Stream {
 public:
  explicit Stream(int device) : device_(device) {
    const OnDevice on(device);
    must("making a stream", cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  }
  ~Stream() {
    const OnDevice on(device_);
    cudaStreamDestroy(stream_);
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  int device() const { return device_; }
  cudaStream_t get() const { return stream_; }

 private:
  int device_;
  cudaStream_t stream_ = nullptr;
};

/// The copies of one call. Held by the waiting thread until they are done, and by each output until nobody
/// holds that.
class Transfer {
 public:
  explicit Transfer(std::shared_ptr<Stream> stream) : stream_(std::move(stream)) {
    handle_ = {sizeof(headrace_event), 0, this, &Transfer::wait_on_stream, &Transfer::synchronize};
    const OnDevice on(stream_->device());
    must("making an event",
         cudaEventCreateWithFlags(&event_, cudaEventDisableTiming | cudaEventBlockingSync));
  }
  ~Transfer() {
    const OnDevice on(stream_->device());
    cudaEventDestroy(event_);
  }
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  const headrace_event* handle() const { return &handle_; }
  void record() { must("recording an event", cudaEventRecord(event_, stream_->get())); }
  cudaError_t wait() const { return cudaEventSynchronize(event_); }

  /// What our stream copies from now on waits for what the readers have queued so far.
  void order_after_readers() {
    const std::lock_guard lock(mutex_);
    if (readers_.empty()) return;
    const OnDevice on(stream_->device());
    cudaEvent_t read = nullptr;
    if (cudaEventCreateWithFlags(&read, cudaEventDisableTiming) != cudaSuccess) return;
    for (cudaStream_t reader : readers_) {
      if (cudaEventRecord(read, reader) == cudaSuccess) cudaStreamWaitEvent(stream_->get(), read, 0);
    }
    cudaEventDestroy(read);  // what waits for it still does
  }

 private:
  static Transfer& of(const headrace_event* event) { return *static_cast<Transfer*>(event->handle); }

  static headrace_status wait_on_stream(const headrace_event* event, void* stream) {
    Transfer& self = of(event);
    const OnDevice on(self.stream_->device());
    auto* const reader = static_cast<cudaStream_t>(stream);
    if (cudaStreamWaitEvent(reader, self.event_, 0) != cudaSuccess) return HEADRACE_DEVICE_ERROR;
    const std::lock_guard lock(self.mutex_);
    if (std::find(self.readers_.begin(), self.readers_.end(), reader) == self.readers_.end())
      self.readers_.push_back(reader);
    return HEADRACE_OK;
  }
  static headrace_status synchronize(const headrace_event* event) {
    return of(event).wait() == cudaSuccess ? HEADRACE_OK : HEADRACE_DEVICE_ERROR;
  }

  std::shared_ptr<Stream> stream_;
  cudaEvent_t event_ = nullptr;
  headrace_event handle_{};
  std::mutex mutex_;
  std::vector<cudaStream_t> readers_;
};

/// An output's share in its transfer, as the host keeps it.
using Share = std::shared_ptr<Transfer>;
void release_share(void* share) {
  const std::unique_ptr<Share> own(static_cast<Share*>(share));
  (*own)->order_after_readers();
}

class CudaUploader final : public Uploader {
 public:
  CudaUploader(int device, const Suites& suites)
      : suites_(suites),
        stream_(std::make_shared<Stream>(device)),
        waiter_([this] { wait_and_complete(); }) {}

  ~CudaUploader() override {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    woken_.notify_one();
    waiter_.join();
  }

  headrace_status start(Call& call) override {
    const OnDevice on(stream_->device());
    auto transfer = std::make_shared<Transfer>(stream_);
    try {
      for (std::uint32_t port = 0; port < call.output_count(); ++port) copy(call, port);
      transfer->record();
      for (std::uint32_t port = 0; port < call.output_count(); ++port) attach(call, port, transfer);
    } catch (...) {
      // The host takes its memory back when this call ends: no copy may be under way then.
      cudaStreamSynchronize(stream_->get());
      throw;
    }
    {
      const std::lock_guard lock(mutex_);
      pending_.push_back({call.c(), std::move(transfer)});
    }
    woken_.notify_one();
    return HEADRACE_PENDING;
  }

 private:
  struct Pending {
    headrace_call* call;
    Share transfer;
  };

  void copy(Call& call, std::uint32_t port) {
    const headrace_value& from = call.input(port);
    const std::size_t bytes =
        static_cast<std::size_t>(headrace_value_elements(&from)) * headrace_dtype_bytes(from.dtype);
    void* to = call.allocate_like<void>(port, from);
    if (bytes == 0) return;
    must("starting a copy to the GPU",
         cudaMemcpyAsync(to, from.data, bytes, cudaMemcpyHostToDevice, stream_->get()));
  }

  void attach(Call& call, std::uint32_t port, const Share& transfer) const {
    auto share = std::make_unique<Share>(transfer);
    const headrace_status status =
        suites_.memory->set_event(call.c(), port, transfer->handle(), &release_share, share.get());
    if (status != HEADRACE_OK) throw Error(status, "the host refused an event");
    (void)share.release();
  }

  void wait_and_complete() {
    for (;;) {
      Pending next{};
      {
        std::unique_lock lock(mutex_);
        woken_.wait(lock, [&] { return ending_ || !pending_.empty(); });
        if (pending_.empty()) return;
        next = std::move(pending_.front());
        pending_.pop_front();
      }
      headrace_status status = HEADRACE_OK;
      if (const cudaError_t error = next.transfer->wait(); error != cudaSuccess) {
        const std::string said = failure_text("copying to the GPU", error);
        status = suites_.diagnostics->fail(&next.call->context, 0, HEADRACE_DEVICE_ERROR, text(said));
      }
      next.transfer.reset();
      suites_.flow->complete(next.call, status);
    }
  }

  Suites suites_;
  std::shared_ptr<Stream> stream_;
  std::mutex mutex_;
  std::condition_variable woken_;
  std::deque<Pending> pending_;
  bool ending_ = false;
  std::thread waiter_;
};

}  // namespace

const Gpus& gpus() {
  static const Gpus known = [] {
    Gpus found;
    int driver = 0;
    if (cudaDriverGetVersion(&driver) == cudaSuccess && driver == 0) {
      found.reason = "there is no NVIDIA driver";
    } else if (const cudaError_t error = cudaGetDeviceCount(&found.count); error != cudaSuccess) {
      found.count = 0;
      found.reason = "no GPU can be used, CUDA says: " + std::string(cudaGetErrorString(error));
      cudaGetLastError();  // or the next call of somebody else in this thread would report it
    } else if (found.count == 0) {
      found.reason = "there is no GPU";
    }
    return found;
  }();
  return known;
}

const headrace_allocator* device_memory(int device) {
  return &allocators()[static_cast<std::size_t>(device)].device;
}
const headrace_allocator* page_locked_memory(int device) {
  return &allocators()[static_cast<std::size_t>(device)].page_locked;
}

std::unique_ptr<Uploader> make_uploader(int device, const Suites& suites) {
  return std::make_unique<CudaUploader>(device, suites);
}

}  // namespace headrace::device
