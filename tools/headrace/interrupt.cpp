// SPDX-License-Identifier: Apache-2.0
//
// See interrupt.h.
#include "interrupt.h"

#include <fmt/format.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <utility>

namespace headrace::cli {
namespace {

constexpr std::chrono::milliseconds kPatience{2000};
constexpr std::chrono::milliseconds kForEver{-1};

bool is_ignored(int signal) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

sigset_t wanted_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM}) {
    if (!is_ignored(signal)) sigaddset(&set, signal);
  }
  return set;
}

/// By a handler in this thread: it comes through whatever the program is waiting for, be it a terminal that
/// takes no more text.
void end_at_the_next() {
  struct sigaction action {};
  action.sa_handler = [](int signal) { _exit(128 + signal); };
  const sigset_t set = wanted_signals();
  for (const int signal : {SIGINT, SIGTERM}) {
    if (sigismember(&set, signal) == 1) sigaction(signal, &action, nullptr);
  }
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

}  // namespace

Interrupt::Interrupt(Screen& screen) : screen_(screen) {
  const sigset_t set = wanted_signals();
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
}

Interrupt::Watch::Watch(Interrupt& interrupt, headrace_pipeline* pipeline) : interrupt_(interrupt) {
  const std::lock_guard lock(interrupt.mutex_);
  interrupt.pipeline_ = pipeline;
  if (interrupt.exit_code() != 0) headrace_stop(pipeline);
}

Interrupt::Watch::~Watch() {
  const std::lock_guard lock(interrupt_.mutex_);
  interrupt_.pipeline_ = nullptr;
}

Interrupt::Patience::Patience(Interrupt& interrupt, std::string what) : interrupt_(interrupt) {
  now(std::move(what));
}

Interrupt::Patience::~Patience() {
  const std::lock_guard lock(interrupt_.mutex_);
  interrupt_.patience_.reset();
}

void Interrupt::Patience::now(std::string what) {
  const std::lock_guard lock(interrupt_.mutex_);
  interrupt_.patience_ = std::move(what);
}

Interrupt::LastWords::LastWords(Interrupt& interrupt, std::function<void(int)> say) : interrupt_(interrupt) {
  const std::lock_guard lock(interrupt.mutex_);
  interrupt.last_words_ = std::move(say);
}

Interrupt::LastWords::~LastWords() {
  const std::lock_guard lock(interrupt_.mutex_);
  interrupt_.last_words_ = nullptr;
}

int Interrupt::next_signal() const {
  for (;;) {
    pollfd wanted[] = {{ending_, POLLIN, 0}, {signals_, POLLIN, 0}};
    if (poll(wanted, 2, -1) < 0) continue;
    if (wanted[0].revents != 0) return 0;
    signalfd_siginfo info{};
    if (::read(signals_, &info, sizeof info) == static_cast<ssize_t>(sizeof info))
      return static_cast<int>(info.ssi_signo);
  }
}

bool Interrupt::ends_within(std::chrono::milliseconds time) const {
  pollfd ending{ending_, POLLIN, 0};
  return poll(&ending, 1, static_cast<int>(time.count())) > 0;
}

void Interrupt::wait() {
  const int signal = next_signal();
  if (signal == 0) return;
  end_at_the_next();
  take_first(signal);
  if (ends_within(kPatience)) return;
  give_up_waiting();
  ends_within(kForEver);
}

void Interrupt::take_first(int signal) {
  const std::lock_guard lock(mutex_);
  exit_code_ = 128 + signal;
  const bool goes_on = pipeline_ != nullptr || patience_;
  if (pipeline_ != nullptr) headrace_stop(pipeline_);
  screen_.lines(fmt::format("interrupted by {}{}", signal == SIGINT ? "SIGINT" : "SIGTERM",
                            goes_on ? ": stopping (once more ends at once)" : ""));
  if (!goes_on) end_process();
}

void Interrupt::give_up_waiting() {
  const std::lock_guard lock(mutex_);
  if (pipeline_ != nullptr) return;
  if (patience_) screen_.lines(fmt::format("{} did not stop in {} s", *patience_, kPatience.count() / 1000));
  end_process();
}

void Interrupt::end_process() {
  if (last_words_) last_words_(exit_code());
  _exit(exit_code());
}

}  // namespace headrace::cli
