// SPDX-License-Identifier: Apache-2.0
//
// All that the plugin asks of CUDA, without its headers: cuda_upload.cpp answers where the toolkit was there,
// no_cuda.cpp where it was not. Functions: any thread.
#pragma once

#include <headrace/cpp/op.hpp>
#include <memory>
#include <string>

namespace headrace::device {

struct Gpus {
  int count = 0;       ///< those that work can be given to
  std::string reason;  ///< why there is none
};

/// Asked of the driver once; later calls cost nothing.
const Gpus& gpus();

/// Memory of GPU number `device`, and memory of the host that this GPU can fetch from by itself. Last as long
/// as the process.
const headrace_allocator* device_memory(int device);
const headrace_allocator* page_locked_memory(int device);

/// The way to one GPU, with a stream of its own.
class Uploader {
 public:
  virtual ~Uploader() = default;
  Uploader() = default;
  Uploader(const Uploader&) = delete;
  Uploader& operator=(const Uploader&) = delete;
  /// Allocates output i for input i, for each i, and starts to copy. PENDING: the call is completed when the
  /// copies are done, after which each output carries an event. Otherwise nothing is in flight and the
  /// failure was reported. [any worker, many at once]
  virtual headrace_status start(Call& call) = 0;
};

/// Throws headrace::Error with DEVICE_ERROR or UNSUPPORTED.
std::unique_ptr<Uploader> make_uploader(int device, const Suites& suites);

}  // namespace headrace::device
