// SPDX-License-Identifier: Apache-2.0
//
// The conformance suite on every bundled plugin, each op with an example where none can be made up.

#include <gtest/gtest.h>

#include <headrace/testing/conformance.h>

#include <fstream>
#include <iterator>
#include <string>

namespace headrace {
namespace {

using testing::Check;
using testing::ConformanceOptions;
using testing::ConformanceReport;
using testing::Example;
using testing::Record;
using testing::Value;

std::string content_of(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Passes, with every op opened at least.
void expect_sound(const std::string& plugin, std::vector<Example> examples) {
  ConformanceOptions options;
  options.examples = std::move(examples);
  const ConformanceReport report =
      testing::check_conformance(HEADRACE_BUILD_DIR "/lib/headrace/plugins/" + plugin + ".so", options);
  EXPECT_TRUE(report.passed()) << report.to_string();
  for (const Check& check : report.checks) {
    const bool is_vital = check.what == "declares itself" || check.what == "opens";
    EXPECT_TRUE(!is_vital || check.skipped.empty()) << check.op << ": " << check.skipped;
  }
}

TEST(Bundled, SourceIsSound) {
  expect_sound("source", {{{.op = "source.files", .with = {{"root", "graphs/photos"}}}},
                          {{.op = "source.range", .with = {{"endless", "true"}}}},
                          {{.op = "source.read"},
                           {{{"path", Value::string("graphs/photos/cat/0.jpg")}},
                            {{"path", Value::string("graphs/photos/README.md")}}}}});
}

TEST(Bundled, FlowIsSound) {
  expect_sound(
      "flow", {{{.op = "flow.filter", .with = {{"field", "label"}, {"min", "3"}}},
                {{{"label", Value::scalar<std::int64_t>(2)}}, {{"label", Value::scalar<std::int64_t>(3)}}}}});
}

TEST(Bundled, ImageIsSound) {
  const Record photo = {{"bytes", Value::bytes(content_of("graphs/photos/cat/0.jpg"))}};
  const Record damaged = {{"bytes", Value::bytes(content_of("graphs/photos/cat/0.jpg").substr(0, 3000))}};
  const Record boxed = {{"image", Value::empty(HEADRACE_UINT8, {9, 7, 3}, HEADRACE_LAYOUT_HWC)},
                        {"boxes", Value::tensor<float>({2, 4}, {1, 1, 5, 5, 3, 2, 3, 8})},
                        {"classes", Value::tensor<std::int64_t>({2}, {4, 5})}};
  expect_sound("image", {{{.op = "image.decode"}, {photo, damaged}},
                         {{.op = "image.resize", .with = {{"size", "[4, 5]"}, {"boxes", "boxes"}}}, {boxed}},
                         {{.op = "image.clamp_boxes"}, {boxed}},
                         {{.op = "image.sanitize_boxes", .with = {{"labels", "classes"}}}, {boxed}}});
}

TEST(Bundled, BatchIsSound) {
  const Record batch = {{"image", Value::empty(HEADRACE_FLOAT32, {3, 2, 4, 5}, HEADRACE_LAYOUT_NCHW)},
                        {"label", Value::tensor<std::int64_t>({3}, {0, 2, 1})}};
  expect_sound("batch", {{{.op = "batch.mixup", .with = {{"num_classes", "3"}}}, {batch}},
                         {{.op = "batch.cutmix", .with = {{"num_classes", "3"}}}, {batch}}});
}

TEST(Bundled, DeviceIsSound) { expect_sound("device", {}); }

}  // namespace
}  // namespace headrace
