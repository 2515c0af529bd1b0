// SPDX-License-Identifier: Apache-2.0
//
// The memory suite as a table: how an op says where its outputs lie. Handed to plugins with the other suites
// (suites.cpp).
#pragma once

#include <headrace/host.h>

namespace headrace {

/// Its functions are called through the invocation that runs the op. [the thread of that call]
const headrace_memory_suite_v1& memory_suite();

}  // namespace headrace
