// SPDX-License-Identifier: Apache-2.0
//
// The op batch.stack: records of one shape made into a batch. Runs on a worker; several batches at once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <headrace/cpp/op.hpp>
#include <string>
#include <vector>

namespace headrace::batch {

class Stack {
 public:
  static constexpr OpInfo kInfo{.name = "batch.stack",
                                .doc =
                                    "Makes `size` records into a batch, in their order.\n"
                                    "Tensors get a first axis that counts the records; bytes and strings "
                                    "become lists. A tensor whose shape is known "
                                    "beforehand is written straight into the batch by the op before it; one "
                                    "whose shape is known only sample by sample "
                                    "is copied, and all of a batch must be equally large.",
                                .rate = HEADRACE_REDUCE,
                                .runs = HEADRACE_RUNS_CPU};
  static constexpr const char* kLast[] = {"drop", "pad", "wrap", "partial"};
  static constexpr std::array kParams{
      Param::integer("size", "Records in a batch.").range(1, 1 << 24).required(),
      Param::choice(
          "last",
          "What becomes of a batch that the end of an epoch leaves short: `drop` it; `pad` it, with a field "
          "`mask` that is false for the rows that do not count; `wrap`, which fills it from the beginning of "
          "the epoch; or `partial`, which gives it as it is, in a world of one rank.",
          kLast)
          .otherwise("drop"),
  };

  static void declare(Declaration& d);
  explicit Stack(const Config& config);
  void process(Call& call) const;

 private:
  struct Port {
    std::string name;
    bool is_tensor;
    bool is_fixed;  ///< every axis of a row is known: rows may lie in the batch already
  };
  void stack_tensor(Call& call, std::uint32_t port) const;
  std::byte* allocate_batch(Call& call, std::uint32_t port) const;

  std::vector<Port> ports_;
};

}  // namespace headrace::batch
