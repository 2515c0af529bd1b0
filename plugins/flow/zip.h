// SPDX-License-Identifier: Apache-2.0
//
// The op flow.zip: records of one sample that went different ways become one record. The host pairs them;
// this names the fields.
#pragma once

#include <array>
#include <headrace/cpp/op.hpp>

namespace headrace::flow {

class Zip {
 public:
  static constexpr OpInfo kInfo{.name = "flow.zip",
                                .doc =
                                    "Joins the branches of a fan-out: one record a sample, with the fields "
                                    "of all its inputs; nothing is copied.\n"
                                    "A field that no branch has changed is there once. Fields that have the "
                                    "same name and are not the same get a suffix "
                                    "each. A sample that one branch drops is dropped.",
                                .rate = HEADRACE_JOIN,
                                .runs = HEADRACE_RUNS_CPU,
                                .min_inputs = 2,
                                .max_inputs = 64};
  static constexpr std::array kParams{
      Param::string("suffixes", "What is put after names that clash, one an input; _0, _1, ... without it.")
          .list(2, 64)
          .nullable(),
  };

  static void declare(Declaration& d);
  explicit Zip(const Config&) {}
  void process(Call&) const {}
};

}  // namespace headrace::flow
