// SPDX-License-Identifier: Apache-2.0
//
// A flow's look at the calls of its ops that are running: for the watchdog, and for whoever ends a flow that
// does not come to rest.

#include <fmt/format.h>

#include "runtime/flow/flow.h"
#include "runtime/watch/log.h"

namespace headrace {

namespace {

double seconds(std::uint64_t ns) { return static_cast<double>(ns) * 1e-9; }

/// With the name of its sample only where the call that runs does not write that.
std::string title_of(const Invocation& call) {
  const Item* from = call.from;
  if (from == nullptr) return call.item->number();
  const std::int32_t name = from->home->name_cell();
  for (const OutputWiring& output : call.wiring->outputs) {
    if (from == call.item && static_cast<std::int32_t>(output.cell) == name) return from->number();
  }
  return from->title();
}

}  // namespace

std::string Flow::call_text(const Invocation& call, std::uint64_t since_ns, pid_t thread,
                            bool is_pending) const {
  const std::string on = thread_title(thread);
  return fmt::format("{}, {}: its call {} {:.3g} s{}, {}{}", call.op->title(0), title_of(call),
                     is_pending ? "has been PENDING for" : "has been running for",
                     seconds(now_ns() - since_ns), is_pending ? " without being completed" : "",
                     is_pending ? "begun on " : "on ", on);
}

std::vector<std::string> Flow::running_calls() {
  const std::scoped_lock lock(look_mutex_);
  std::vector<std::string> texts;
  for (const auto& op : ops_) {
    op->look_at_calls([&](const Invocation& call, std::uint64_t since_ns, pid_t thread, bool is_pending) {
      texts.push_back(call_text(call, since_ns, thread, is_pending));
    });
  }
  return texts;
}

void Flow::look_after_calls(std::uint64_t warn_ns, std::uint64_t fail_ns) {
  const std::scoped_lock lock(look_mutex_);
  for (const auto& op : ops_) {
    op->look_at_calls([&](Invocation& call, std::uint64_t since_ns, pid_t thread, bool is_pending) {
      const std::uint64_t running_ns = now_ns() - since_ns;
      const bool is_news = running_ns >= warn_ns && call.warned_of_ns != since_ns;
      if (!is_news && running_ns < fail_ns) return;
      const std::string text = fmt::format("{}; runtime.stage_timeout is {:.3g} s",
                                           call_text(call, since_ns, thread, is_pending), seconds(fail_ns));
      if (is_news) log(HEADRACE_LOG_WARNING, text);
      call.warned_of_ns = since_ns;
      if (running_ns >= fail_ns) fail({Code::deadlock, text});
    });
  }
}

}  // namespace headrace
