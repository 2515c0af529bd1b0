// SPDX-License-Identifier: Apache-2.0
//
// See log.h. spdlog filters by level and shapes the lines that go to standard error.
#include "runtime/watch/log.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/base_sink.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>

#include "runtime/printable.h"

namespace headrace {
namespace {

spdlog::level::level_enum to_spdlog(headrace_log_level level) {
  constexpr spdlog::level::level_enum kLevels[] = {spdlog::level::debug, spdlog::level::info,
                                                   spdlog::level::warn, spdlog::level::err};
  return kLevels[std::clamp<headrace_log_level>(level, HEADRACE_LOG_DEBUG, HEADRACE_LOG_ERROR) -
                 HEADRACE_LOG_DEBUG];
}

headrace_log_level from_spdlog(spdlog::level::level_enum level) {
  switch (level) {
    case spdlog::level::trace:
    case spdlog::level::debug:
      return HEADRACE_LOG_DEBUG;
    case spdlog::level::info:
      return HEADRACE_LOG_INFO;
    case spdlog::level::warn:
      return HEADRACE_LOG_WARNING;
    default:
      return HEADRACE_LOG_ERROR;
  }
}

class Route : public spdlog::sinks::base_sink<std::mutex> {
 public:
  Route() { set_pattern("headrace: %l: %v"); }

  void set(LogWrite write, void* context) {
    const std::lock_guard lock(mutex_);
    write_ = write;
    context_ = context;
  }

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    if (write_ != nullptr) {
      write_(context_, from_spdlog(message.level), {message.payload.data(), message.payload.size()});
      return;
    }
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    std::fwrite(line.data(), 1, line.size(), stderr);
  }
  void flush_() override { std::fflush(stderr); }

  LogWrite write_ = nullptr;
  void* context_ = nullptr;
};

/// Never destroyed: threads of a plugin may speak until the process is gone.
struct Log {
  std::shared_ptr<Route> route = std::make_shared<Route>();
  spdlog::logger logger{"headrace", route};

  static Log& get() {
    static Log* const log = new Log;
    return *log;
  }
};

}  // namespace

bool log_wanted(headrace_log_level level) { return Log::get().logger.should_log(to_spdlog(level)); }

void log(headrace_log_level level, std::string_view text) {
  if (!log_wanted(level)) return;
  const std::string line = printable(text);
  Log::get().logger.log(to_spdlog(level), spdlog::string_view_t(line.data(), line.size()));
}

void set_log(LogWrite write, void* context, headrace_log_level least) {
  Log::get().route->set(write, context);
  Log::get().logger.set_level(to_spdlog(least));
}

}  // namespace headrace
