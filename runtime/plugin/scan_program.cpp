// SPDX-License-Identifier: Apache-2.0
//
// headrace-scan FILE: loads one plugin library, judges its table, and prints what it found as one line of
// JSON. Run by scan.cpp in a process of its own, so that a library that crashes, hangs or ends the process
// harms nobody.

#include <dlfcn.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "runtime/plugin/scan_result.h"

namespace {

using namespace headrace;

ScanResult load_failure(const std::string& path) {
  const char* text =
      dlerror();  // NOLINT(concurrency-mt-unsafe): one text a thread in glibc, and one thread here
  std::string reason = "it cannot be loaded: " + std::string(text == nullptr ? "no reason was given" : text);
  const auto says = [&](const std::string& part) { return reason.find(part) != std::string::npos; };
  if (says("invalid ELF header") || says("file too short")) {
    reason += " (it is no shared library)";
  } else if (says("cannot open shared object file") && !says(path + ":")) {
    reason += " (a library that it needs is missing: install that, or add its folder to LD_LIBRARY_PATH)";
  } else if (says("undefined symbol")) {
    reason += " (it was built against another version of a library, or without one)";
  }
  return refusal(Code::unsupported, std::move(reason), true);
}

ScanResult scan(const char* path) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return load_failure(path);
  void* symbol = dlsym(library, "headrace_plugin_get");
  if (symbol == nullptr) {
    return refusal(Code::invalid_argument,
                   "it exports no headrace_plugin_get, so it is no plugin of headrace", false);
  }
  const auto get = reinterpret_cast<headrace_plugin_get_function*>(symbol);
  Registry registry;
  const Status status = registry.add(get(HEADRACE_ABI_MAJOR, HEADRACE_ABI_MINOR), path);
  return status.ok() ? sound_result(registry) : refusal(status.code(), status.message(), false);
}

/// Whoever was to read what this prints.
bool reader_is_gone() {
  pollfd out{STDOUT_FILENO, 0, 0};
  return poll(&out, 1, 0) > 0 && (out.revents & POLLERR) != 0;
}

void write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written < 0) _exit(3);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) {
    write_all(STDERR_FILENO, "usage: headrace-scan FILE.so (prints what the plugin is as JSON)\n");
    return 2;
  }
  // A crash is expected here: it shall leave no core file, and no process when the parent is gone.
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (reader_is_gone()) return 3;  // the parent ended before that was set
  // What the library prints must not mix with what we print.
  const int out = dup(STDOUT_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);

  constexpr auto kRepair = nlohmann::json::error_handler_t::replace;
  write_all(out, to_json(scan(words[1])).dump(-1, ' ', false, kRepair) + "\n");
  _exit(0);  // without the library's destructors
}
