// SPDX-License-Identifier: Apache-2.0
//
// Threads as the kernel and its tools (ps, top, gdb) know them, so that a message can name one. [any thread]

#pragma once

#include <sys/types.h>

#include <string>

namespace headrace {

/// The calling thread's number. Asked of the kernel once a thread.
pid_t this_thread_id();

/// "thread 'headrace-io' (tid 4711)"; without the name when the thread has ended.
std::string thread_title(pid_t id);

}  // namespace headrace
