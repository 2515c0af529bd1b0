// SPDX-License-Identifier: Apache-2.0
//
// See opening.h.
#include "opening.h"

#include <algorithm>
#include <string>

namespace headrace::cli {
namespace {

constexpr std::chrono::seconds kQuietTime{1};

}  // namespace

Opening::Opening(Screen& screen, Interrupt& interrupt)
    : headrace_progress{sizeof(headrace_progress), 0, this,
                        [](const headrace_progress* progress, headrace_text what) {
                          return static_cast<Opening*>(progress->handle)->take(what);
                        }},
      screen_(screen),
      interrupt_(interrupt),
      patience_(interrupt, "opening the graph") {}

std::int32_t Opening::take(headrace_text what) {
  const std::string text(what.data, what.size);
  patience_.now(text);
  if (std::chrono::steady_clock::now() - start_ >= kQuietTime) {
    const auto columns = static_cast<std::size_t>(std::max(screen_.columns() - 1, 1));
    screen_.status(text.substr(0, columns));
  }
  return interrupt_.exit_code() == 0 ? 0 : 1;
}

}  // namespace headrace::cli
