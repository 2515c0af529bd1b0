// SPDX-License-Identifier: Apache-2.0
//
// SIGINT and SIGTERM from main()'s first statements to its end: what was begun is stopped in good order where
// that is possible, and the process ends with exit code 130 or 143 in any case. Made by main() before any
// other thread exists.
#pragma once

#include <headrace/headrace.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "screen.h"

namespace headrace::cli {

/// Takes both signals from the whole process to a thread of its own; one that the caller had ignored
/// (nohup, a background job) stays ignored. The first one is said on the screen; then
///   while a pipeline is watched it is stopped;
///   while a Patience lives, what runs has 2 s to come back by itself;
///   otherwise, and when patience is over, the last words are said and the process ends.
/// A second signal ends the process at once.
class Interrupt {
 public:
  /// Blocks the signals in the calling thread and thus in every thread that it starts from now on.
  explicit Interrupt(Screen& screen);
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  /// While it lives the pipeline is watched; it ends before the pipeline is closed. A signal that has come
  /// already stops it.
  class Watch {
   public:
    Watch(Interrupt& interrupt, headrace_pipeline* pipeline);
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

   private:
    Interrupt& interrupt_;
  };

  /// While it lives, what runs asks exit_code() from time to time and comes back when it is not 0.
  class Patience {
   public:
    /// `what` goes on, for the message that it did not stop: "opening 'files'".
    Patience(Interrupt& interrupt, std::string what);
    ~Patience();
    Patience(const Patience&) = delete;
    Patience& operator=(const Patience&) = delete;
    void now(std::string what);

   private:
    Interrupt& interrupt_;
  };

  /// While it lives, this is what is still to be done before a signal ends the process. Called with the exit
  /// code by the thread of the signals; nothing of the program goes on afterwards.
  class LastWords {
   public:
    LastWords(Interrupt& interrupt, std::function<void(int exit_code)> say);
    ~LastWords();
    LastWords(const LastWords&) = delete;
    LastWords& operator=(const LastWords&) = delete;

   private:
    Interrupt& interrupt_;
  };

  /// 0, or 128 + the signal that came. [any thread]
  int exit_code() const { return exit_code_.load(); }

 private:
  void wait();
  int next_signal() const;  ///< 0: this is being destroyed
  bool ends_within(std::chrono::milliseconds time) const;
  void take_first(int signal);
  void give_up_waiting();
  [[noreturn]] void end_process();

  Screen& screen_;
  std::mutex mutex_;
  headrace_pipeline* pipeline_ = nullptr;
  std::optional<std::string> patience_;  ///< what is waited for
  std::function<void(int)> last_words_;
  std::atomic<int> exit_code_{0};
  int ending_;   ///< an eventfd: readable when this is being destroyed
  int signals_;  ///< a signalfd
  std::thread thread_;
};

}  // namespace headrace::cli
