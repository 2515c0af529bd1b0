// SPDX-License-Identifier: Apache-2.0
//
// See standard_streams.h.
#include "standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>

namespace headrace::cli {

void hold_standard_streams() {
  // open() gives the lowest number that is free: in this order each one gets its own.
  constexpr int kHow[] = {O_RDONLY, O_RDONLY, O_WRONLY};
  for (int number = STDIN_FILENO; number <= STDERR_FILENO; ++number) {
    if (fcntl(number, F_GETFD) < 0 && open("/dev/null", kHow[number]) != number) _exit(1);
  }
  std::signal(SIGPIPE, SIG_IGN);
}

}  // namespace headrace::cli
