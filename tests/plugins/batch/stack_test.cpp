// SPDX-License-Identifier: Apache-2.0
//
// batch.stack on the bench: rows in place, rows copied, lists.

#include <gtest/gtest.h>

#include <headrace/testing/op_bench.h>
#include <headrace/testing/plugin_library.h>

#include <cstdint>
#include <string>
#include <vector>

namespace headrace {
namespace {

using testing::Declared;
using testing::FieldSpec;
using testing::OpBench;
using testing::Outcome;
using testing::Record;
using testing::Schema;
using testing::Value;

const headrace_plugin& batch_plugin() {
  return testing::load_plugin(HEADRACE_BUILD_DIR "/lib/headrace/plugins/batch.so");
}

OpBench stack(std::map<std::string, std::string> with, testing::BenchOptions options = {}) {
  return OpBench(batch_plugin(), {.op = "batch.stack", .with = std::move(with)}, std::move(options));
}

Value picture(std::uint8_t first) {
  std::vector<std::uint8_t> pixels(2 * 3 * 3);
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<std::uint8_t>(first + i);
  return Value::tensor<std::uint8_t>({2, 3, 3}, pixels, HEADRACE_LAYOUT_HWC);
}

Record record(int i) {
  return {{"image", picture(static_cast<std::uint8_t>(20 * i))},
          {"label", Value::scalar<std::int64_t>(i)},
          {"path", Value::string("photo " + std::to_string(i))},
          {"raw", Value::bytes(std::string(static_cast<std::size_t>(i), 'x'))}};
}

void expect_batch(const Outcome& out) {
  ASSERT_TRUE(out.ok()) << out.error;
  EXPECT_EQ(out.record.names(), (std::vector<std::string>{"image", "label", "path", "raw"}));
  std::vector<std::uint8_t> pixels;
  for (int i = 0; i < 3; ++i) {
    for (const std::uint8_t pixel : picture(static_cast<std::uint8_t>(20 * i)).elements<std::uint8_t>())
      pixels.push_back(pixel);
  }
  EXPECT_EQ(out.record["image"].shape(), (std::vector<std::int64_t>{3, 2, 3, 3}));
  EXPECT_EQ(out.record["image"].c().layout, HEADRACE_LAYOUT_NHWC);
  EXPECT_EQ(out.record["image"].elements<std::uint8_t>(), pixels);
  EXPECT_EQ(out.record["label"].elements<std::int64_t>(), (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(out.record["path"].contents(), (std::vector<std::string>{"photo 0", "photo 1", "photo 2"}));
  EXPECT_EQ(out.record["raw"].contents(), (std::vector<std::string>{"", "x", "xx"}));
}

const std::vector<Record> kRows = {record(0), record(1), record(2)};

TEST(Stack, StacksRowsThatLieInTheBatchAlready) {
  OpBench bench = stack({{"size", "3"}});
  expect_batch(bench.reduce(kRows));
  EXPECT_EQ(bench.declared().slots, HEADRACE_SLOTS_FIXED);
  EXPECT_EQ(bench.declared().batch_size, 3);
}

TEST(Stack, StacksRowsThatLieElsewhere) {
  expect_batch(stack({{"size", "3"}}, {.lend_rows = false}).reduce(kRows));
}

TEST(Stack, LeavesRowsThatLieInTheBatchUntouched) {
  // Rows of uint8[1 << 20] each, so that a copy would go through the parallel suite, onto itself.
  std::vector<Record> rows(4);
  for (int i = 0; i < 4; ++i) {
    rows[static_cast<std::size_t>(i)].set(
        "x", Value::empty(HEADRACE_UINT8, {1 << 20}, HEADRACE_LAYOUT_NONE, static_cast<std::uint8_t>(i)));
  }
  for (const bool lend : {true, false}) {
    const Outcome out = stack({{"size", "4"}}, {.lend_rows = lend}).reduce(rows);
    ASSERT_TRUE(out.ok());
    const std::vector<std::uint8_t> bytes = out.record["x"].elements<std::uint8_t>();
    for (std::size_t i = 0; i < bytes.size(); i += 4096) ASSERT_EQ(bytes[i], i >> 20U);
  }
}

TEST(Stack, DeclaresTheBatch) {
  OpBench bench = stack({{"size", "32"}});
  const Value chw = Value::empty(HEADRACE_FLOAT32, {3, 4, 5}, HEADRACE_LAYOUT_CHW);
  const Declared& declared =
      bench.declare({{FieldSpec::of("image", chw), FieldSpec::of("path", Value::string("x"))}});
  ASSERT_EQ(declared.fault_text(), "");
  EXPECT_EQ(declared.writes[0].spec.to_string(), "image: float32[32, 3, 4, 5] NCHW");
  EXPECT_EQ(declared.writes[0].spec.c().bound_bytes, 32 * 3 * 4 * 5 * 4);
  EXPECT_EQ(declared.writes[1].spec.to_string(), "path: string list");
  EXPECT_EQ(declared.last, HEADRACE_LAST_DROP);
}

TEST(Stack, LeavesTheFirstAxisOpenForAPartialBatch) {
  OpBench bench = stack({{"size", "8"}, {"last", "partial"}});
  const Outcome out = bench.reduce(kRows);
  ASSERT_TRUE(out.ok()) << out.error;
  EXPECT_EQ(bench.declared().writes[0].spec.to_string(), "image: uint8[B, 2, 3, 3] NHWC");
  EXPECT_EQ(bench.declared().writes[0].spec.c().bound_bytes, 8 * 2 * 3 * 3);
  EXPECT_EQ(bench.declared().last, HEADRACE_LAST_PARTIAL);
  EXPECT_EQ(out.record["image"].shape()[0], 3);
}

TEST(Stack, PadsAndWrapsByTheHost) {
  OpBench pads = stack({{"size", "8"}, {"last", "pad"}});
  OpBench wraps = stack({{"size", "8"}, {"last", "wrap"}});
  for (OpBench* bench : {&pads, &wraps}) {
    ASSERT_TRUE(bench->reduce(kRows).ok());
    EXPECT_EQ(bench->declared().writes.size(), 4U) << "the mask is the host's";
    EXPECT_EQ(bench->declared().writes[0].spec.to_string(), "image: uint8[8, 2, 3, 3] NHWC");
  }
  EXPECT_EQ(pads.declared().last, HEADRACE_LAST_PAD);
  EXPECT_EQ(wraps.declared().last, HEADRACE_LAST_WRAP);
}

TEST(Stack, RefusesBatchesThatMayBeShort) {
  OpBench inner = stack({{"size", "8"}, {"last", "partial"}});
  ASSERT_TRUE(inner.reduce(kRows).ok());
  OpBench outer = stack({{"size", "2"}});
  const Declared& declared = outer.declare({{inner.declared().writes[0].spec}});
  EXPECT_NE(declared.fault_text().find("field 'image' is a batch whose last one may be short"),
            std::string::npos)
      << declared.fault_text();
  EXPECT_NE(declared.fault_text().find("set last: drop"), std::string::npos) << declared.fault_text();
}

TEST(Stack, TakesBatchesOfOneLength) {
  OpBench inner = stack({{"size", "3"}});
  ASSERT_TRUE(inner.reduce(kRows).ok());
  OpBench outer = stack({{"size", "2"}, {"last", "partial"}});
  const Declared& declared = outer.declare({{inner.declared().writes[0].spec}});
  ASSERT_EQ(declared.fault_text(), "");
  EXPECT_EQ(declared.writes[0].spec.to_string(), "image: uint8[B, 3, 2, 3, 3]");
}

/// A schema whose picture has unknown sides.
Schema unknown_sides() { return {FieldSpec::of("image", picture(0)).with_any(0, "H").with_any(1, "W")}; }

TEST(Stack, CopiesWhatHasNoShapeBeforehand) {
  OpBench bench = stack({{"size", "2"}});
  EXPECT_EQ(bench.declare({unknown_sides()}).slots, HEADRACE_SLOTS_NONE);
  const Outcome out = bench.reduce({{{"image", picture(1)}}, {{"image", picture(2)}}});
  ASSERT_TRUE(out.ok()) << out.error;
  EXPECT_EQ(out.record["image"].shape(), (std::vector<std::int64_t>{2, 2, 3, 3}));
}

TEST(Stack, NamesTheRecordWhoseShapeDiffers) {
  OpBench bench = stack({{"size", "3"}});
  bench.declare({unknown_sides()});
  const Value other = Value::empty(HEADRACE_UINT8, {2, 4, 3}, HEADRACE_LAYOUT_HWC);
  const Outcome out = bench.reduce({{{"image", picture(1)}}, {{"image", picture(2)}}, {{"image", other}}});
  EXPECT_EQ(out.status, HEADRACE_DATA_ERROR);
  EXPECT_EQ(out.error,
            "field 'image' is [2, 3, 3] in row 0 (sample 0) but [2, 4, 3] in row 2 (sample 2), and a batch "
            "needs one shape (put "
            "image.resize or a crop before it, or batch rows of one shape)");
}

TEST(Stack, StacksScalarsAndValuesWithoutElements) {
  const std::vector<Record> rows(
      2, {{"none", Value::empty(HEADRACE_FLOAT32, {0, 4})}, {"one", Value::scalar(1.5F)}});
  const Outcome out = stack({{"size", "2"}}).reduce(rows);
  ASSERT_TRUE(out.ok()) << out.error;
  EXPECT_EQ(out.record["none"].shape(), (std::vector<std::int64_t>{2, 0, 4}));
  EXPECT_EQ(out.record["one"].elements<float>(), (std::vector<float>{1.5F, 1.5F}));
}

std::string fault(const Schema& schema) { return stack({{"size", "2"}}).declare({schema}).fault_text(); }

TEST(Stack, RefusesWhatCannotBeStacked) {
  const Outcome lists = stack({{"size", "3"}}).reduce(kRows);
  EXPECT_EQ(fault({FieldSpec::of("path", lists.record["path"])}),
            "field 'path' is a list already (batch once)\n");
  EXPECT_EQ(fault({FieldSpec::of("x", Value::empty(HEADRACE_UINT8, {1, 1, 1, 1, 1, 1, 1, 1}))}),
            "field 'x' has 8 axes and no room for one more\n");
  EXPECT_EQ(fault({FieldSpec::of("x", Value::scalar(1.0F)).on({HEADRACE_CUDA, 0})}),
            "field 'x' lies on a device (batch before device.upload)\n");
}

TEST(Stack, WantsASize) {
  EXPECT_THROW(stack({}), std::invalid_argument);
  EXPECT_THROW(stack({{"size", "0"}}), std::invalid_argument);
}

TEST(Stack, SaysThatMemoryIsOut) {
  const Outcome out = stack({{"size", "3"}}, {.lend_rows = false, .refuse_memory = true}).reduce(kRows);
  EXPECT_EQ(out.status, HEADRACE_OUT_OF_MEMORY);
  EXPECT_EQ(out.error, "the bench gives no memory");
}

}  // namespace
}  // namespace headrace
