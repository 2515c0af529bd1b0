// SPDX-License-Identifier: Apache-2.0
//
// See interrupt.h.
#include "interrupt.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>

namespace headrace::cli {
namespace {

sigset_t both_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

}  // namespace

Interrupt::Interrupt() {
  const sigset_t set = both_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  ending_ = eventfd(0, EFD_CLOEXEC);
  signals_ = signalfd(-1, &set, SFD_CLOEXEC);
  thread_ = std::thread([this] { wait(); });
}

Interrupt::~Interrupt() {
  const std::uint64_t one = 1;
  while (::write(ending_, &one, sizeof one) < 0) {
  }
  thread_.join();
  close(ending_);
  close(signals_);
  const sigset_t set = both_signals();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

void Interrupt::set(headrace_pipeline* pipeline) {
  const std::lock_guard lock(mutex_);
  pipeline_ = pipeline;
}

void Interrupt::wait() {
  for (;;) {
    pollfd wanted[] = {{ending_, POLLIN, 0}, {signals_, POLLIN, 0}};
    if (poll(wanted, 2, -1) < 0) continue;
    if (wanted[0].revents != 0) return;
    signalfd_siginfo info{};
    if (::read(signals_, &info, sizeof info) != static_cast<ssize_t>(sizeof info)) continue;
    const int code = 128 + static_cast<int>(info.ssi_signo);
    const std::lock_guard lock(mutex_);
    if (pipeline_ == nullptr || exit_code_.load() != 0) _exit(code);
    exit_code_ = code;
    headrace_stop(pipeline_);
  }
}

}  // namespace headrace::cli
