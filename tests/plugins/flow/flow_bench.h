// SPDX-License-Identifier: Apache-2.0
//
// The ops of the flow plugin on the bench.
#pragma once

#include <gtest/gtest.h>

#include <headrace/testing/op_bench.h>
#include <headrace/testing/plugin_library.h>

#include <cstdint>
#include <string>
#include <vector>

namespace headrace {

inline const headrace_plugin& flow_plugin() {
  return testing::load_plugin(HEADRACE_BUILD_DIR "/lib/headrace/plugins/flow.so");
}

/// The spec of a value as written by node `origin`.
inline testing::FieldSpec written_by(const std::string& origin, const std::string& name,
                                     const testing::Value& value) {
  return testing::FieldSpec::of(name, value).written_by(origin);
}

inline const testing::Value kPicture = testing::Value::empty(HEADRACE_UINT8, {4, 5, 3}, HEADRACE_LAYOUT_HWC);
inline const testing::Value kLabel = testing::Value::scalar<std::int64_t>(7);

}  // namespace headrace
