// SPDX-License-Identifier: Apache-2.0
//
// A CUDA run-time library without a GPU, for tests: what cuda_upload.cpp links against in place of the real
// one. Two devices whose memory is the host's, streams that are threads, and a hand on everything. Functions:
// any thread.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>

namespace headrace::virtual_cuda {

struct Counts {
  int device_memory = 0;  ///< pieces that are allocated now
  int page_locked_memory = 0;
  int streams = 0;
  int events = 0;
  int copies_started = 0;  ///< since the beginning
  int copies_done = 0;
  bool operator==(const Counts&) const = default;
};
Counts counts();

/// From hold() to go() no copy is carried out.
void hold();
void go();
/// Waits until so many copies were started since the beginning.
void wait_for_copies(int started);
/// The copy with that number from now on, from 0, cannot be started.
void refuse_copy(int number);
/// The next wait for an event says that the context has failed.
void fail_next_wait();

/// Puts work on a stream.
void enqueue(cudaStream_t stream, std::function<void()> work);
bool is_page_locked(const void* memory);
bool is_on_device(const void* memory, int device);
int current_device();

}  // namespace headrace::virtual_cuda
