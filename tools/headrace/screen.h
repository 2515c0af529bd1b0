// SPDX-License-Identifier: Apache-2.0
//
// Standard error: messages line by line, and below them, on a terminal, one status line that is drawn over
// again. Used by every subcommand and, as the log's destination, by whatever thread of the runtime has
// something to say. [any thread]
#pragma once

#include <headrace/headrace.h>

#include <mutex>
#include <string>
#include <string_view>

namespace headrace::cli {

class Screen {
 public:
  /// Takes the runtime's log: its messages, from `info` on, come here as long as this lives.
  Screen();
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  void set_log_level(headrace_log_level least);
  /// True when standard error is a terminal that can draw over its last line.
  bool is_terminal() const { return terminal_; }
  /// Columns of the terminal, 80 when it does not say.
  int columns() const;

  /// Whole lines; a newline is added at the end when there is none.
  void lines(std::string_view text);
  /// "error: text"
  void error(std::string_view text);
  /// Replaces the status line; "" takes it away. Nothing is drawn when this is no terminal.
  void status(std::string_view text);

 private:
  static void log(void* screen, headrace_log_level level, headrace_text text);
  void write(std::string_view text);

  std::mutex mutex_;
  std::string status_;
  bool terminal_;
};

}  // namespace headrace::cli
