// SPDX-License-Identifier: Apache-2.0
//
// What an op would read and write, asked without a graph: its declare() is tried on made-up inputs until it
// accepts one. Called by inspect. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/plugin/registry.h"

namespace headrace {

/// "image: uint8[H, W, 3] HWC". An example, with the op's default parameters: many ops take other types too.
struct SampleFields {
  std::vector<std::string> reads;
  std::vector<std::string> writes;
};

/// Nothing when no made-up input suits the op.
std::optional<SampleFields> sample_fields(const RegisteredOp& op);

}  // namespace headrace
