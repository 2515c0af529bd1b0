// SPDX-License-Identifier: Apache-2.0
//
// device.upload on a real GPU. What it uploaded cannot be read without CUDA, so it is its addresses, events
// and repetition that are looked at here; contents are in cuda_upload_test.

#include <gtest/gtest.h>

#include <headrace/testing/plugin_library.h>

#include <set>

#include "device_records.h"

namespace headrace {
namespace {

using testing::OpBench;
using testing::Outcome;

TEST(Gpu, TakesTensorsAndLeavesTextsOnTheHost) {
  const headrace_plugin& plugin = testing::load_plugin(HEADRACE_BUILD_DIR "/lib/headrace/plugins/device.so");
  OpBench bench(plugin, {.op = "device.upload", .with = {{"device", "'cuda:0'"}}});
  if (!bench.declare({{}}).ok()) GTEST_SKIP() << bench.declared().fault_text();
  OpBench upload(plugin, {.op = "device.upload"});
  std::vector<Outcome> kept;
  std::set<void*> addresses;
  for (int i = 0; i < 50; ++i) {
    kept.push_back(upload.map(batch(i)));
    const Outcome& out = kept.back();
    ASSERT_TRUE(out.ok()) << out.error;
    const headrace_value& image = out.record["image"].c();
    EXPECT_EQ(image.device.type, HEADRACE_CUDA);
    ASSERT_NE(image.event, nullptr);
    EXPECT_EQ(image.event->synchronize(image.event), HEADRACE_OK);
    EXPECT_EQ(image.event->wait_on_stream(image.event, nullptr), HEADRACE_OK);
    EXPECT_EQ(out.record["path"].c().device.type, HEADRACE_CPU);
    addresses.insert(image.data);
  }
  EXPECT_EQ(addresses.size(), kept.size()) << "a batch that is held was overwritten";
}

}  // namespace
}  // namespace headrace
