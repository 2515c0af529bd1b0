// SPDX-License-Identifier: Apache-2.0
//
// The ops of the source plugin on the bench.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <headrace/testing/op_bench.h>
#include <headrace/testing/plugin_library.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/runtime/plugin/temporary_folder.h"

namespace headrace {

inline const headrace_plugin& source_plugin() {
  return testing::load_plugin(HEADRACE_BUILD_DIR "/lib/headrace/plugins/source.so");
}

/// "path", or "path\tlabel" where there is one, of every sample of an indexed source.
inline std::vector<std::string> samples_of(testing::OpBench& bench) {
  std::vector<std::string> samples;
  for (std::int64_t i = 0; i < bench.length(); ++i) {
    const testing::Outcome out = bench.source(static_cast<std::uint64_t>(i));
    EXPECT_TRUE(out.ok()) << out.error;
    std::string sample = out.record["path"].content();
    if (out.record.find("label") != nullptr) {
      sample += "\t" + std::to_string(out.record["label"].elements<std::int64_t>().at(0));
    }
    samples.push_back(sample);
  }
  return samples;
}

/// While it lives a superuser has no more rights than anybody.
class AsNobody {
 public:
  AsNobody() {
    constexpr uid_t kNobody = 65534;
    EXPECT_EQ(before_ == 0 ? seteuid(kNobody) : 0, 0);
  }
  ~AsNobody() { EXPECT_EQ(before_ == 0 ? seteuid(before_) : 0, 0); }
  AsNobody(const AsNobody&) = delete;
  AsNobody& operator=(const AsNobody&) = delete;

 private:
  uid_t before_ = geteuid();
};

}  // namespace headrace
