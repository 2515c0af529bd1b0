// SPDX-License-Identifier: Apache-2.0
//
// batch.mixup and batch.cutmix: mixed batches, boxes and labels are torchvision's for the same draws, and the
// draws have torch's distribution. References: references/mixing.txt and betas.txt, by
// make_warp_references.py.

#include "mixing.h"

#include <gtest/gtest.h>

#include <headrace/testing/op_bench.h>
#include <headrace/testing/plugin_library.h>

#include <cstring>
#include <limits>
#include <map>
#include <random>

#include "warp_references.h"

namespace headrace::batch {
namespace {

using headrace::testing::BenchOptions;
using headrace::testing::FieldSpec;
using headrace::testing::OpBench;
using headrace::testing::Outcome;
using headrace::testing::Record;
using headrace::testing::Schema;
using headrace::testing::Value;
using image::testing::distance;
using image::testing::elements_of;
using image::testing::numbers_of;
using image::testing::pattern_of;
using image::testing::planes;
using image::testing::reference_rows;

const headrace_plugin& batch_plugin() {
  return headrace::testing::load_plugin(HEADRACE_BUILD_DIR "/lib/headrace/plugins/batch.so");
}

std::vector<std::vector<std::string>> mixing_rows(bool boxes) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& row : reference_rows("../../batch/references/mixing.txt")) {
    if ((row[0] == "box") == boxes) rows.push_back(row);
  }
  EXPECT_GE(rows.size(), 20U);
  return rows;
}

/// The reference's batch in NCHW order, before.
template <class T>
std::vector<T> batch_of(std::size_t seed, std::size_t rows, std::size_t channels, std::size_t pixels) {
  std::vector<T> batch;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::vector<T> picture = planes(pattern_of<T>(channels * pixels, seed + row), channels);
    batch.insert(batch.end(), picture.begin(), picture.end());
  }
  return batch;
}

template <class T>
void expect_mixed(const std::vector<std::string>& row, std::size_t number) {
  const auto size = [&row](std::size_t i) { return std::stoul(row[i]); };
  const std::size_t rows = size(3);
  const std::size_t channels = size(4);
  const std::size_t height = size(5);
  const std::size_t width = size(6);
  const double lambda = std::stod(row[8]);
  std::vector<T> batch = batch_of<T>(100 * number, rows, channels, height * width);
  const std::size_t row_bytes = channels * height * width * sizeof(T);
  auto* first = reinterpret_cast<std::byte*>(batch.data());
  if (row[0] == "mixup") {
    blend({first, rows, row_bytes, row_bytes}, lambda);
  } else {
    const CutBox box{std::stoi(row[9]), std::stoi(row[10]), std::stoi(row[11]), std::stoi(row[12])};
    EXPECT_DOUBLE_EQ(part_left(static_cast<int>(width), static_cast<int>(height), box), lambda);
    for (std::size_t line = 0; line < channels * height; ++line) {
      const auto y = static_cast<int>(line % height);
      if (y < box.y0 || y >= box.y1) continue;
      const std::size_t x = static_cast<std::size_t>(box.x0);
      roll({first + (line * width + x) * sizeof(T), rows, row_bytes,
            static_cast<std::size_t>(box.x1 - box.x0) * sizeof(T)});
    }
  }
  EXPECT_EQ(batch, elements_of<T>(row[14])) << row[0] << " " << number;
  const std::vector<double> labels = numbers_of(row[2]);
  std::vector<float> parts(rows * size(7));
  for (std::size_t i = 0; i < rows; ++i) parts[i * size(7) + static_cast<std::size_t>(labels[i])] = 1;
  blend({reinterpret_cast<std::byte*>(parts.data()), rows, size(7) * sizeof(float), size(7) * sizeof(float)},
        lambda);
  const std::vector<double> expected = numbers_of(row[13]);
  for (std::size_t i = 0; i < parts.size(); ++i) EXPECT_EQ(parts[i], static_cast<float>(expected[i]));
}

TEST(Mixing, GivesTorchvisionsBatches) {
  std::size_t number = 0;
  for (const auto& row : mixing_rows(false)) {
    if (row[1] == "float") {
      expect_mixed<float>(row, number++);
    } else {
      expect_mixed<std::uint8_t>(row, number++);
    }
  }
}

TEST(Mixing, CutsTorchvisionsBoxes) {
  for (const auto& row : mixing_rows(true)) {
    const int height = std::stoi(row[1]);
    const int width = std::stoi(row[2]);
    const int x = static_cast<int>(std::stod(row[4]) * width);
    const int y = static_cast<int>(std::stod(row[5]) * height);
    const CutBox box = cut_box(width, height, std::stod(row[3]), x, y);
    EXPECT_EQ(box, (CutBox{std::stoi(row[6]), std::stoi(row[7]), std::stoi(row[8]), std::stoi(row[9])}));
    EXPECT_DOUBLE_EQ(part_left(width, height, box), std::stod(row[10]));
  }
}

struct Uniform {
  std::mt19937_64 generator{21};
  std::uniform_real_distribution<double> distribution;
  double uniform() { return distribution(generator); }
};

TEST(Mixing, DrawsFromTorchsDistribution) {
  constexpr std::size_t kCount = 20000;
  Uniform draws;
  // Kolmogorov and Smirnov at 1 %, of two samples; torch's is 200000 numbers.
  const double critical = 1.628 * std::sqrt((kCount + 200000.0) / (kCount * 200000.0));
  for (const auto& row : reference_rows("../../batch/references/betas.txt")) {
    const double alpha = std::stod(row[0]);
    std::vector<double> quantiles;
    for (std::size_t i = 1; i < row.size(); ++i) quantiles.push_back(std::stod(row[i]));
    std::vector<double> sample;
    std::vector<double> other;
    for (std::size_t i = 0; i < kCount; ++i) {
      sample.push_back(draw_beta(alpha, draws));
      other.push_back(draw_beta(alpha * 1.3, draws));
    }
    EXPECT_LT(distance(sample, quantiles), critical) << alpha;
    EXPECT_GT(distance(other, quantiles), critical) << alpha;
  }
}

TEST(Mixing, DrawsNumbersForTheSmallestAlpha) {
  Uniform draws;
  for (const double alpha : {1e-3, 1e-200, 1e-310, std::numeric_limits<double>::denorm_min()}) {
    for (int i = 0; i < 1000; ++i) {
      const double lambda = draw_beta(alpha, draws);
      EXPECT_TRUE(lambda >= 0 && lambda <= 1) << alpha << ": " << lambda;
    }
  }
}

/// Rows of one value each, their number.
Record numbered(std::int64_t rows, std::int64_t side, headrace_layout layout = HEADRACE_LAYOUT_NCHW) {
  std::vector<float> pixels;
  std::vector<std::int64_t> labels;
  for (std::int64_t row = 0; row < rows; ++row) {
    pixels.insert(pixels.end(), static_cast<std::size_t>(3 * side * side), static_cast<float>(row));
    labels.push_back(row % 4);
  }
  const std::vector<std::int64_t> shape = layout == HEADRACE_LAYOUT_NCHW
                                              ? std::vector<std::int64_t>{rows, 3, side, side}
                                              : std::vector<std::int64_t>{rows, side, side, 3};
  return {{"image", Value::tensor<float>(shape, pixels, layout)},
          {"label", Value::tensor<std::int64_t>({rows}, labels)}};
}

headrace_sample batch_number(std::uint64_t position) {
  headrace_sample sample = {};
  sample.size = sizeof sample;
  sample.position = position;
  return sample;
}

TEST(MixUp, BlendsPicturesAndLabelsAlike) {
  for (const std::int64_t side : {4, 100}) {  // within one worker, and in shares
    OpBench bench(batch_plugin(), {.op = "batch.mixup", .with = {{"num_classes", "4"}}});
    const Outcome out = bench.map(numbered(4, side));
    ASSERT_TRUE(out.ok()) << out.error;
    const std::vector<float> pixels = out.record["image"].elements<float>();
    const std::vector<float> labels = out.record["label"].elements<float>();
    EXPECT_EQ(out.record["label"].shape(), (std::vector<std::int64_t>{4, 4}));
    const float lambda = labels[0];
    EXPECT_GT(lambda, 0);
    EXPECT_LT(lambda, 1);
    for (std::size_t row = 0; row < 4; ++row) {
      const auto before = static_cast<float>((row + 3) % 4);
      const float expected = before * (1 - lambda) + static_cast<float>(row) * lambda;
      const std::size_t count = pixels.size() / 4;
      for (std::size_t i = 0; i < count; ++i) ASSERT_NEAR(pixels[row * count + i], expected, 1e-5);
      EXPECT_NEAR(labels[row * 4 + row], lambda, 1e-6);
      EXPECT_NEAR(labels[row * 4 + (row + 3) % 4], 1 - lambda, 1e-6);
    }
  }
}

TEST(MixUp, GivesTheSameWhereverTheBatchLies) {
  BenchOptions apart;
  apart.in_place = false;
  for (const char* op : {"batch.mixup", "batch.cutmix"}) {
    OpBench in_place(batch_plugin(), {.op = op, .with = {{"num_classes", "4"}}});
    OpBench elsewhere(batch_plugin(), {.op = op, .with = {{"num_classes", "4"}}}, apart);
    const Outcome first = in_place.map(numbered(5, 60));
    const Outcome second = elsewhere.map(numbered(5, 60));
    ASSERT_TRUE(first.ok()) << first.error;
    ASSERT_TRUE(second.ok()) << second.error;
    EXPECT_TRUE(first.record == second.record) << op;
    EXPECT_TRUE(in_place.counts().empty()) << op;
    EXPECT_EQ(elsewhere.counts(), (std::map<std::string, std::int64_t>{{"batches_copied", 1}})) << op;
  }
}

TEST(MixUp, DrawsByTheBatchsNumber) {
  OpBench bench(batch_plugin(), {.op = "batch.mixup", .with = {{"num_classes", "4"}}});
  std::vector<Record> mixed;
  for (const std::uint64_t position : {0U, 1U, 0U}) {
    bench.set_sample(batch_number(position));
    mixed.push_back(bench.map(numbered(4, 2)).record);
  }
  EXPECT_FALSE(mixed[0] == mixed[1]);
  EXPECT_TRUE(mixed[0] == mixed[2]);
}

TEST(MixUp, TakesLabelsThatAreMixedAlready) {
  Record record = numbered(2, 2);
  record.set("label", Value::tensor<float>({2, 3}, {1, 0, 0, 0, 0.5F, 0.5F}));
  OpBench bench(batch_plugin(), {.op = "batch.mixup"});
  const Outcome out = bench.map(record);
  ASSERT_TRUE(out.ok()) << out.error;
  const std::vector<float> labels = out.record["label"].elements<float>();
  EXPECT_NEAR(labels[0] + labels[1] + labels[2], 1, 1e-6);
  EXPECT_NEAR(labels[0], 1 - labels[3], 1e-6);
}

TEST(CutMix, ReplacesABoxAndWeighsLabelsByItsArea) {
  for (const headrace_layout layout : {HEADRACE_LAYOUT_NCHW, HEADRACE_LAYOUT_NHWC}) {
    OpBench bench(batch_plugin(), {.op = "batch.cutmix", .with = {{"num_classes", "4"}}});
    int cut = 0;
    for (std::uint64_t position = 0; position < 20; ++position) {
      bench.set_sample(batch_number(position));
      const Outcome out = bench.map(numbered(3, 10, layout));
      ASSERT_TRUE(out.ok()) << out.error;
      const std::vector<float> pixels = out.record["image"].elements<float>();
      const std::vector<float> labels = out.record["label"].elements<float>();
      for (std::size_t row = 0; row < 3; ++row) {
        const auto own = static_cast<float>(row);
        const auto other = static_cast<float>((row + 2) % 3);
        const auto first = pixels.begin() + static_cast<std::ptrdiff_t>(row * 300);
        EXPECT_EQ(std::count(first, first + 300, own) + std::count(first, first + 300, other), 300);
        EXPECT_NEAR(static_cast<float>(std::count(first, first + 300, own)) / 300, labels[row * 4 + row],
                    1e-6);
        cut += std::count(first, first + 300, other) > 0 ? 1 : 0;
      }
    }
    EXPECT_GE(cut, 30);
  }
}

std::string fault_of(const std::string& op, std::map<std::string, std::string> with, const Record& record) {
  Schema schema;
  for (const auto& [name, value] : record.fields()) schema.push_back(FieldSpec::of(name, value));
  return OpBench(batch_plugin(), {.op = op, .with = std::move(with)}).declare({schema}).fault_text();
}

TEST(MixUp, RefusesWhatCannotBeRight) {
  EXPECT_NE(fault_of("batch.mixup", {}, numbered(2, 2)).find("num_classes"), std::string::npos);
  Record bytes = numbered(2, 2);
  bytes.set("image", Value::empty(HEADRACE_UINT8, {2, 3, 2, 2}, HEADRACE_LAYOUT_NCHW));
  EXPECT_NE(fault_of("batch.mixup", {{"num_classes", "4"}}, bytes).find("field: 'image' is not float32"),
            std::string::npos);
  EXPECT_EQ(fault_of("batch.cutmix", {{"num_classes", "4"}}, bytes), "");
  Record single = numbered(2, 2);
  single.set("image", Value::empty(HEADRACE_FLOAT32, {3, 2, 2}, HEADRACE_LAYOUT_CHW));
  EXPECT_NE(fault_of("batch.cutmix", {{"num_classes", "4"}}, single).find("after batch.stack"),
            std::string::npos);
  Record words = numbered(2, 2);
  words.set("label", Value::empty(HEADRACE_INT32, {2}));
  EXPECT_NE(fault_of("batch.mixup", {{"num_classes", "4"}}, words).find("labels: 'label' is neither"),
            std::string::npos);
  Record parts = numbered(2, 2);
  parts.set("label", Value::empty(HEADRACE_FLOAT32, {2, 3}));
  EXPECT_NE(
      fault_of("batch.mixup", {{"num_classes", "4"}}, parts).find("num_classes: 'label' has a part for each"),
      std::string::npos);
  OpBench bench(batch_plugin(), {.op = "batch.mixup", .with = {{"num_classes", "2"}}});
  const Outcome out = bench.map(numbered(4, 2));
  EXPECT_EQ(out.status, HEADRACE_DATA_ERROR);
  EXPECT_EQ(out.error, "label 2 of row 2 is none of 2 classes (see num_classes)");
}

}  // namespace
}  // namespace headrace::batch
