// SPDX-License-Identifier: Apache-2.0
//
// See screen.h.
#include "screen.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace headrace::cli {
namespace {

/// Back to the first column, and everything from there to the line's end away (ECMA-48, CR and EL).
constexpr std::string_view kEraseLine = "\r\x1b[K";

bool can_draw() {
  const char* kind = std::getenv("TERM");  // NOLINT(concurrency-mt-unsafe): main() alone, at its start
  return isatty(STDERR_FILENO) == 1 && kind != nullptr && std::string_view(kind) != "dumb";
}

std::string_view word(headrace_log_level level) {
  switch (level) {
    case HEADRACE_LOG_DEBUG:
      return "debug: ";
    case HEADRACE_LOG_INFO:
      return "info: ";
    case HEADRACE_LOG_WARNING:
      return "warning: ";
    default:
      return "error: ";
  }
}

}  // namespace

Screen::Screen() : terminal_(can_draw()) { set_log_level(HEADRACE_LOG_INFO); }

Screen::~Screen() {
  headrace_set_log(nullptr, nullptr, HEADRACE_LOG_WARNING);
  status("");
}

void Screen::set_log_level(headrace_log_level least) { headrace_set_log(&Screen::log, this, least); }

int Screen::columns() const {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

void Screen::lines(std::string_view text) {
  if (text.empty()) return;
  const std::lock_guard lock(mutex_);
  std::string all(status_.empty() ? std::string_view() : kEraseLine);
  all += text;
  if (!text.ends_with('\n')) all += '\n';
  all += status_;
  write(all);
}

void Screen::error(std::string_view text) { lines("error: " + std::string(text)); }

void Screen::status(std::string_view text) {
  const std::lock_guard lock(mutex_);
  if (!terminal_ || text == status_) return;
  status_ = text;
  write(std::string(kEraseLine) + status_);
}

void Screen::log(void* screen, headrace_log_level level, headrace_text text) {
  static_cast<Screen*>(screen)->lines(std::string(word(level)).append(text.data, text.size));
}

void Screen::write(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace headrace::cli
