// SPDX-License-Identifier: Apache-2.0
//
// The op source.range: numbers in a row, to try a graph out, to pair records with, or to measure the engine
// with.
#pragma once

#include <array>
#include <atomic>
#include <headrace/cpp/op.hpp>

namespace headrace::source {

class Range {
 public:
  static constexpr OpInfo kInfo{
      .name = "source.range",
      .doc =
          "Counts from 0: n samples in an epoch, or without end.\n"
          "Without end it is a stream, one number after the other, and there is nothing to shuffle.",
      .rate = HEADRACE_SOURCE,
      .runs = HEADRACE_RUNS_CPU};
  static constexpr std::array kParams{
      Param::integer("n", "Number of samples in an epoch.").at_least(0).nullable(),
      Param::boolean("endless", "Counts without end; in place of n.").otherwise("false"),
      Param::boolean("shuffle", "Gives the numbers in another order in each epoch.").otherwise("false"),
      Param::string("out", "Field to write.").otherwise("index"),
  };

  static void declare(Declaration& d);
  explicit Range(const Config& config);
  void open(headrace_opening& opening) const;
  void process(Call& call);
  headrace_status save(const headrace_sink& sink) const;
  void restore(std::span<const std::byte> state);

 private:
  std::int64_t n_;
  bool endless_;
  std::int64_t next_ = 0;  ///< endless only, which is serial
};

}  // namespace headrace::source
