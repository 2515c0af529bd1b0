// SPDX-License-Identifier: Apache-2.0
//
// Where the runtime's and the ops' messages go: the one thing of the runtime that a process has only once, as
// headrace_set_log() does. Called by the diagnostics suite, the plugin room and the flow. [any thread]
#pragma once

#include <headrace/host.h>

#include <string_view>

namespace headrace {

/// True when a message of that level is wanted: ask before putting together an expensive one.
bool log_wanted(headrace_log_level level);

/// One line, without a newline at its end; it is made printable(). Levels beyond the known ones count as the
/// nearest.
void log(headrace_log_level level, std::string_view text);

using LogWrite = void (*)(void* context, headrace_log_level level, headrace_text text);

/// From now on messages of at least `least` go to `write`, one call at a time, on the thread that had
/// something to say; `write` must not call headrace. Null: to standard error. When this returns no call of
/// the former `write` is running or will come.
void set_log(LogWrite write, void* context, headrace_log_level least);

}  // namespace headrace
