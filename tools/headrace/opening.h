// SPDX-License-Identifier: Apache-2.0
//
// The opening of a graph's nodes as the user sees it: how far it is, and an end to it by a signal. Made
// around headrace_open() and headrace_graph_check_data() by the main thread; told by whatever thread of the
// runtime opens.
#pragma once

#include <headrace/headrace.h>

#include <chrono>
#include <cstdint>

#include "interrupt.h"
#include "screen.h"

namespace headrace::cli {

/// Once it takes longer than people wait without asking, what goes on is in the status line. A signal ends
/// the call that this is given to with HEADRACE_CANCELLED.
class Opening : public headrace_progress {
 public:
  Opening(Screen& screen, Interrupt& interrupt);
  ~Opening() { screen_.status(""); }
  Opening(const Opening&) = delete;
  Opening& operator=(const Opening&) = delete;

 private:
  std::int32_t take(headrace_text what);

  Screen& screen_;
  Interrupt& interrupt_;
  Interrupt::Patience patience_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace headrace::cli
