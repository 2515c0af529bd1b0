// SPDX-License-Identifier: Apache-2.0
//
// Where exceptions end. Every function of the C API that does anything goes through one of these. [any
// thread]
#pragma once

#include <headrace/headrace.h>
#include <unistd.h>

#include <exception>
#include <new>
#include <string>
#include <string_view>

#include "runtime/status.h"

namespace headrace {

inline constexpr const char* kForkedText =
    "error: this handle belongs to the parent process: after fork() a child must load and open its own (or "
    "start it by exec)\n";

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
