// SPDX-License-Identifier: Apache-2.0
//
// The op device.upload: moves a batch's tensors to an accelerator, or leaves everything where it is.
#pragma once

#include <array>
#include <headrace/cpp/op.hpp>
#include <memory>

#include "cuda.h"

namespace headrace::device {

class Upload {
 public:
  static constexpr OpInfo kInfo{
      .name = "device.upload",
      .doc =
          "Moves the tensors of each record to a device; strings and bytes stay on the host.\n"
          "auto is the first GPU where there is one that works, else the host, which costs nothing and is "
          "said once. Copies "
          "come from page-locked memory, run beside everything else, and hold tokens of their own.",
      .rate = HEADRACE_MAP,
      .runs = HEADRACE_RUNS_CPU};
  static constexpr std::array kParams{
      Param::string("device", "auto, cpu, or cuda:N for GPU number N.").otherwise("auto"),
  };

  static void declare(Declaration& d);
  explicit Upload(const Config& config);
  headrace_status process(Call& call) { return uploader_ == nullptr ? HEADRACE_OK : uploader_->start(call); }

 private:
  std::unique_ptr<Uploader> uploader_;  ///< null: everything stays on the host
};

}  // namespace headrace::device
