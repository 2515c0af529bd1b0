// SPDX-License-Identifier: Apache-2.0
//
// device.upload as it was built here, without a GPU to be used.

#include <gtest/gtest.h>

#include <headrace/testing/plugin_library.h>

#include "device_records.h"

namespace headrace {
namespace {

using testing::Declared;
using testing::OpBench;
using testing::Outcome;

OpBench upload(const std::string& device) {
  return OpBench(testing::load_plugin(HEADRACE_BUILD_DIR "/lib/headrace/plugins/device.so"),
                 {.op = "device.upload", .with = {{"device", "'" + device + "'"}}});
}

/// Whether this machine has a GPU that the plugin would use.
bool has_gpu() { return upload("cuda:0").declare({{}}).ok(); }

void expect_untouched(OpBench bench) {
  const testing::Record before = batch(1);
  const Outcome out = bench.map(before);
  ASSERT_TRUE(out.ok()) << out.error;
  EXPECT_EQ(out.record, before);
  EXPECT_EQ(out.record["image"].c().data, before["image"].c().data) << "it was copied";
  EXPECT_FALSE(bench.declared().exchange);
  EXPECT_EQ(bench.declared().runs, HEADRACE_RUNS_CPU);
}

TEST(Upload, LeavesEverythingWhereItIsForTheHost) { expect_untouched(upload("cpu")); }

TEST(Upload, FallsBackToTheHostAndSaysSoInOneLine) {
  if (has_gpu()) GTEST_SKIP() << "there is a GPU";
  OpBench bench = upload("auto");
  ASSERT_TRUE(bench.map(batch(1)).ok());
  ASSERT_TRUE(bench.map(batch(2)).ok());
  ASSERT_EQ(bench.logs().size(), 1U);
  EXPECT_EQ(bench.logs()[0].second.substr(0, 25), "device auto is the host: ");
  expect_untouched(upload("auto"));
}

TEST(Upload, SaysNothingWhenTheHostWasAskedFor) {
  OpBench bench = upload("cpu");
  ASSERT_TRUE(bench.map(batch(1)).ok());
  EXPECT_TRUE(bench.logs().empty());
}

TEST(Upload, RefusesAGpuThatIsNotThere) {
  if (has_gpu()) GTEST_SKIP() << "there is a GPU";
  OpBench bench = upload("cuda:0");
  const Declared& declared = bench.declare({{}});
  ASSERT_EQ(declared.faults.size(), 1U);
  EXPECT_EQ(declared.faults[0].param, "device");
  EXPECT_EQ(declared.faults[0].text.substr(0, 30), "device cuda:0 cannot be used: ");
  EXPECT_NE(declared.faults[0].text.find("(auto falls back to the host)"), std::string::npos);
}

TEST(Upload, RefusesNamesOfNoDevice) {
  for (const char* name :
       {"gpu", "cuda", "cuda:", "cuda:-1", "cuda:x", "cuda:0x", "CPU", "", "cuda:99999999999"}) {
    EXPECT_EQ(upload(name).declare({{}}).fault_text(), "device: there is no device '" + std::string(name) +
                                                           "' (allowed: auto, cpu, cuda:0, cuda:1 ...)\n");
  }
}

}  // namespace
}  // namespace headrace
