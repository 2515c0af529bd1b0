// SPDX-License-Identifier: Apache-2.0
//
// Standard input, output and error as the rest of the program may rely on them. Called once, by main(),
// before anything is opened. Main thread, the only one.
#pragma once

namespace headrace::cli {

/// Opens those of the three that the caller closed, so that no other file of this process gets their numbers
/// and is written to by mistake: input and error as /dev/null, output in such a way that every write fails
/// with EBADF, since a result that nobody gets is a fault. A reader that has gone away shows as EPIPE and no
/// more as SIGPIPE.
void hold_standard_streams();

}  // namespace headrace::cli
