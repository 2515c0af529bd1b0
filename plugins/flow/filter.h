// SPDX-License-Identifier: Apache-2.0
//
// The op flow.filter: drops records by the value of one field. Runs on a worker; many calls at once.
#pragma once

#include <array>
#include <cstdint>
#include <headrace/cpp/op.hpp>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

namespace headrace::flow {

/// A value of the field, or one to compare it with. Whole numbers are kept whole; texts are borrowed.
using Comparable = std::variant<std::int64_t, std::uint64_t, double, std::string_view>;

/// a < b: numbers by value whatever their types, texts by bytes. Of a number and a text neither is less; nor
/// of NaN and any.
bool less(const Comparable& a, const Comparable& b);
/// a == b in the same sense.
bool equal(const Comparable& a, const Comparable& b);

class Filter {
 public:
  static constexpr OpInfo kInfo{
      .name = "flow.filter",
      .doc =
          "Keeps the records whose field is one of some values, or lies between two, and drops the others.\n"
          "The field is a string or a single number. Bounds are included; NaN lies between no two numbers.",
      .rate = HEADRACE_MAP,
      .runs = HEADRACE_RUNS_CPU};
  static constexpr std::array kParams{
      Param::string("field", "Field to look at.").required(),
      Param::scalar("in", "Values to keep.").one_or_list(1).nullable(),
      Param::scalar("min", "Least value to keep.").nullable(),
      Param::scalar("max", "Greatest value to keep.").nullable(),
  };

  static void declare(Declaration& d);
  explicit Filter(const Config& config);
  headrace_status process(Call& call) const;

 private:
  bool keeps(const Comparable& value) const;

  std::vector<Comparable> in_;  ///< texts lie in the parameters, which outlive this
  std::optional<Comparable> min_;
  std::optional<Comparable> max_;
};

}  // namespace headrace::flow
