// SPDX-License-Identifier: Apache-2.0

#include "runtime/watch/this_thread.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>

#include "runtime/printable.h"

namespace headrace {

pid_t this_thread_id() {
  static thread_local const pid_t id = gettid();
  return id;
}

std::string thread_title(pid_t id) {
  std::ifstream file(fmt::format("/proc/self/task/{}/comm", id));
  std::string name;
  if (!std::getline(file, name)) return fmt::format("thread {}", id);
  return fmt::format("thread '{}' (tid {})", printable(name), id);
}

}  // namespace headrace
