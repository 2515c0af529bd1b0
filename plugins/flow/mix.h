// SPDX-License-Identifier: Apache-2.0
//
// The op flow.mix: one stream out of several. The host holds the records; this chooses whose turn it is.
#pragma once

#include <array>
#include <headrace/cpp/op.hpp>
#include <vector>

namespace headrace::flow {

class Mix {
 public:
  static constexpr OpInfo kInfo{.name = "flow.mix",
                                .doc =
                                    "Takes each record from one of its inputs, at random by weight.\n"
                                    "The inputs must have the same fields. `ends: first` ends the epoch with "
                                    "the first input that runs out, `ends: all` "
                                    "with the last, the weights of the others growing in proportion.",
                                .rate = HEADRACE_MERGE,
                                .runs = HEADRACE_RUNS_CPU,
                                .min_inputs = 2,
                                .max_inputs = 64};
  static constexpr const char* kEnds[] = {"first", "all"};
  static constexpr std::array kParams{
      Param::number("weights",
                    "How often each input is taken, one number an input, of any sum; equal without it.")
          .above(0)
          .list(2, 64)
          .nullable(),
      Param::choice("ends", "With which input the epoch ends.", kEnds).otherwise("first"),
  };

  static void declare(Declaration& d);
  explicit Mix(const Config& config) : weights_(config.params().numbers("weights")) {}
  void choose(headrace_choice& choice, const Suites& suites) const;

 private:
  double weight(std::uint32_t input) const { return weights_.empty() ? 1.0 : weights_[input]; }
  std::vector<double> weights_;
};

}  // namespace headrace::flow
