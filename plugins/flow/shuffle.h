// SPDX-License-Identifier: Apache-2.0
//
// The op flow.shuffle: gives records in a random order out of a window. The host holds the records; this
// chooses.
#pragma once

#include <array>
#include <headrace/cpp/op.hpp>

namespace headrace::flow {

class Shuffle {
 public:
  static constexpr OpInfo kInfo{.name = "flow.shuffle",
                                .doc =
                                    "Shuffles a stream within a window: holds up to `window` records and "
                                    "gives one of them, each as likely, when the next "
                                    "comes in.\n"
                                    "For sources without an index. One with an index shuffles whole "
                                    "(`shuffle: true` there), and holds nothing for it.",
                                .rate = HEADRACE_WINDOW,
                                .runs = HEADRACE_RUNS_CPU};
  static constexpr std::array kParams{
      Param::integer("window", "Most records held.").range(1, 1 << 24).required(),
  };

  static void declare(Declaration& d) { d->window = d.params().integer("window"); }
  explicit Shuffle(const Config&) {}
  void choose(headrace_choice& choice, const Suites& suites) const;
};

}  // namespace headrace::flow
