// SPDX-License-Identifier: Apache-2.0

#include "cuda.h"

namespace headrace::device {

const Gpus& gpus() {
  static const Gpus none{0, "this build has no CUDA"};
  return none;
}

const headrace_allocator* device_memory(int) { return nullptr; }
const headrace_allocator* page_locked_memory(int) { return nullptr; }

std::unique_ptr<Uploader> make_uploader(int, const Suites&) {
  throw Error(HEADRACE_UNSUPPORTED, gpus().reason);
}

}  // namespace headrace::device
