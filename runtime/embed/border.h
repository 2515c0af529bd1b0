// SPDX-License-Identifier: Apache-2.0
//
// Where exceptions end. Every function of the C API that does anything goes through one of these. [any
// thread]
#pragma once

#include <headrace/headrace.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <exception>
#include <new>
#include <string>
#include <string_view>

#include "runtime/status.h"

namespace headrace {

inline constexpr const char* kForkedText =
    "error: this process was forked and the handle is its parent's, whose threads are not here: load and "
    "open "
    "the pipeline after fork(), in the child (or start the child by exec)\n";

inline constexpr const char* kForkedFromOpenText =
    "this process was forked from one that had opened a pipeline, whose threads are not here: open the "
    "pipeline "
    "after fork() and none before it (or start the child by exec)";

/// False in a child of a process that had come by here: oneTBB believes that its threads are still there.
/// [any thread]
inline bool may_start_threads() {
  static std::atomic<pid_t> started_by{0};
  pid_t nobody = 0;
  return started_by.compare_exchange_strong(nobody, getpid()) || nobody == getpid();
}

/// True in a child of the process that made the handle.
template <class Handle>
bool is_forked(const Handle* handle) {
  return handle->owner != getpid();
}

/// Runs `body`, which gives a Status; `say` is told the message of a failure.
template <class Body, class Say>
headrace_status guarded(const Body& body, const Say& say) noexcept {
  try {
    Status status;
    try {
      status = body();
    } catch (const std::bad_alloc&) {
      status = Status(Code::out_of_memory, "out of memory");
    } catch (const std::exception& unexpected) {
      status = Status(Code::internal, unexpected.what());
    } catch (...) {
      status = Status(Code::internal, "an exception that is no std::exception");
    }
    if (!status.ok()) say(status);
    return static_cast<headrace_status>(status.code());
  } catch (...) {
    return HEADRACE_OUT_OF_MEMORY;
  }
}

/// For functions that give text: what `body` gives, or "" when it throws.
template <class Body>
const char* guarded_text(const Body& body) noexcept {
  try {
    return body();
  } catch (...) {
    return "";
  }
}

/// Writes JSON to a caller's sink.
inline Status write_to(const headrace_sink* sink, std::string_view text) {
  const headrace_status status = sink->write(sink, text.data(), text.size());
  return status == HEADRACE_OK ? Status() : Status(static_cast<Code>(status), "the sink refused the text");
}

}  // namespace headrace
