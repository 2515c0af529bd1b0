// SPDX-License-Identifier: Apache-2.0
//
// The ops of the image plugin, as a host sees them: what they declare, what they absorb, that a frame gives
// the very bits of its members run one by one, and that those are torchvision's.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "fused_bench.h"
#include "jpeg_writer.h"
#include "references.h"

namespace headrace::image {
namespace {

using headrace::testing::FieldSpec;
using testing::BenchOptions;
using testing::bytes_of;
using testing::crc;
using testing::FusedBench;
using testing::make_jpeg;
using testing::NodeText;
using testing::one_by_one;
using testing::OpBench;
using testing::Outcome;
using testing::plugin;
using testing::raw;
using testing::read_file;
using testing::Record;
using testing::reference_rows;
using testing::sample_at;
using testing::Value;

const NodeText kDecode{.op = "image.decode", .with = {}, .name = "decode"};
const NodeText kCrop{.op = "image.random_resized_crop", .with = {{"size", "[40, 50]"}}, .name = "crop"};
const NodeText kFlip{.op = "image.random_horizontal_flip", .with = {}, .name = "flip"};
const NodeText kResize{.op = "image.resize", .with = {{"size", "64"}}, .name = "resize"};
const NodeText kCenter{.op = "image.center_crop", .with = {{"size", "60"}}, .name = "center"};
const NodeText kNormalize{.op = "image.normalize",
                          .with = {{"mean", "[0.485, 0.456, 0.406]"}, {"std", "[0.229, 0.224, 0.225]"}},
                          .name = "norm"};

std::vector<std::vector<std::uint8_t>> pictures() {
  return {make_jpeg({.width = 203, .height = 117, .h_sampling = 2, .v_sampling = 2}),
          make_jpeg({.width = 81, .height = 160, .h_sampling = 2, .progressive = true}),
          make_jpeg({.width = 90, .height = 70, .components = 1}),
          make_jpeg({.width = 64, .height = 64, .components = 4}),
          read_file("trials/hopper.png"),
          read_file("png/type6_16bit_interlaced.png")};
}

void expect_same_bits(const std::vector<NodeText>& nodes) { testing::expect_same_bits(nodes, pictures(), 8); }

TEST(ImageOps, GiveTheSameBitsFusedForTraining) { expect_same_bits({kDecode, kCrop, kFlip, kNormalize}); }

TEST(ImageOps, GiveTheSameBitsFusedForEvaluation) {
  expect_same_bits({kDecode, kResize, kCenter, kNormalize});
}

TEST(ImageOps, GiveTheSameBitsFusedInOtherOrders) {
  expect_same_bits({kDecode, kFlip});
  expect_same_bits({kDecode, kNormalize});
  expect_same_bits({kDecode, kCenter, kResize, kCenter, kFlip, kFlip});
  NodeText hwc = kNormalize;
  hwc.with["layout"] = "HWC";
  expect_same_bits({kDecode, kCenter, kFlip, hwc});
  NodeText lanczos = kResize;
  lanczos.with = {{"size", "[33, 91]"}, {"interpolation", "lanczos"}};
  expect_same_bits({kDecode, kCenter, lanczos, hwc});
}

TEST(ImageOps, GiveTheSameBitsFusedInEveryTypeAndLayout) {
  for (const char* dtype : {"float16", "bfloat16"}) {
    for (const char* layout : {"CHW", "HWC"}) {
      NodeText narrow = kNormalize;
      narrow.with["dtype"] = dtype;
      narrow.with["layout"] = layout;
      expect_same_bits({kDecode, kCrop, kFlip, narrow});
    }
  }
  const NodeText planes{.op = "image.to_layout", .with = {}, .name = "planes"};
  expect_same_bits({kDecode, kCrop, kFlip, planes});
  const NodeText interleaved{.op = "image.to_layout", .with = {{"layout", "HWC"}}, .name = "interleaved"};
  expect_same_bits({kDecode, interleaved, kResize, planes});
}

TEST(ImageOps, OrderTheAxesOfAnyType) {
  const Record interleaved{
      {"image", Value::tensor<float>({1, 2, 3}, {1, 2, 3, 4, 5, 6}, HEADRACE_LAYOUT_HWC)}};
  OpBench planes(plugin(), {.op = "image.to_layout", .with = {}});
  const Outcome there = planes.map(interleaved);
  EXPECT_EQ(there.record["image"].shape(), (std::vector<std::int64_t>{3, 1, 2}));
  EXPECT_EQ(there.record["image"].elements<float>(), (std::vector<float>{1, 4, 2, 5, 3, 6}));
  OpBench back(plugin(), {.op = "image.to_layout", .with = {{"layout", "HWC"}}});
  EXPECT_TRUE(back.map(there.record).record == interleaved);
  OpBench nothing(plugin(), {.op = "image.to_layout", .with = {}});
  EXPECT_TRUE(nothing.map(there.record).record == there.record);
}

TEST(ImageOps, NarrowFloatsAsTheyNormalizeThem) {
  const Record record{{"image", Value::tensor<float>({1, 2, 2}, {1, 2, 3, 4}, HEADRACE_LAYOUT_HWC)}};
  const std::map<std::string, std::vector<std::uint16_t>> expected{
      {"float16", {0x0000, 0x3C00, 0x3C00, 0x4000}}, {"bfloat16", {0x0000, 0x3F80, 0x3F80, 0x4000}}};
  for (const auto& [dtype, bits] : expected) {
    OpBench bench(plugin(),
                  {.op = "image.normalize", .with = {{"mean", "[1, 0]"}, {"std", "2"}, {"dtype", dtype}}});
    const std::vector<std::uint8_t> bytes = raw(bench.map(record).record["image"]);
    std::vector<std::uint16_t> halves(bytes.size() / 2);
    std::memcpy(halves.data(), bytes.data(), bytes.size());
    EXPECT_EQ(halves, bits) << dtype;
  }
}

TEST(ImageOps, GiveTheSameBitsFusedUnderOtherFieldNames) {
  NodeText decode = kDecode;
  decode.with = {{"field", "jpg"}, {"out", "picture"}, {"keep", "true"}};
  NodeText crop = kCrop;
  crop.with = {{"size", "32"}, {"field", "picture"}, {"out", "view"}};
  NodeText normalize = kNormalize;
  normalize.with["field"] = "view";
  const std::vector<NodeText> nodes{decode, crop, normalize};
  FusedBench fused(nodes);
  const Record record{{"jpg", bytes_of(pictures()[0])}};
  const Outcome together = fused.run(record, 3);
  ASSERT_TRUE(together.ok()) << together.error;
  EXPECT_EQ(together.record.names(), (std::vector<std::string>{"jpg", "view"}));
  EXPECT_TRUE(together.record == one_by_one(nodes, record, 3).record);
}

TEST(ImageOps, GiveTorchvisionsFloats) {
  const NodeText wide{.op = "image.center_crop", .with = {{"size", "[300, 110]"}}, .name = "wide"};
  const NodeText squeeze{.op = "image.resize", .with = {{"size", "[90, 150]"}}, .name = "squeeze"};
  const NodeText frame{.op = "image.center_crop", .with = {{"size", "160"}}, .name = "frame"};
  const NodeText shorter{.op = "image.resize", .with = {{"size", "256"}}, .name = "shorter"};
  const NodeText middle{.op = "image.center_crop", .with = {{"size", "224"}}, .name = "middle"};
  const NodeText small{.op = "image.resize",
                       .with = {{"size", "100"}, {"max_size", "120"}, {"interpolation", "bicubic"}},
                       .name = "small"};
  const std::map<std::string, std::vector<NodeText>> chains{
      {"eval", {kDecode, shorter, middle, kNormalize}},
      {"padded", {kDecode, wide, squeeze, frame, kNormalize}},
      {"bicubic", {kDecode, small, kNormalize}}};
  for (const auto& row : reference_rows("pipelines.txt")) {
    const Record record{{"bytes", bytes_of(read_file("../../../" + row[1]))}};
    FusedBench fused(chains.at(row[0]));
    const Outcome outcome = fused.run(record, 0);
    ASSERT_TRUE(outcome.ok()) << outcome.error;
    const Value& image = outcome.record["image"];
    EXPECT_EQ(image.shape(),
              (std::vector<std::int64_t>{std::stol(row[2]), std::stol(row[3]), std::stol(row[4])}));
    EXPECT_EQ(crc(raw(image)), static_cast<std::uint32_t>(std::stoul(row[5]))) << row[0] << " of " << row[1];
  }
}

TEST(ImageOps, DrawInTheirOwnNodesName) {
  NodeText other = kCrop;
  other.name = "other_crop";
  const Record record{{"bytes", bytes_of(pictures()[0])}};
  FusedBench first({kDecode, kCrop});
  FusedBench second({kDecode, other});
  EXPECT_FALSE(first.run(record, 1).record == second.run(record, 1).record);
  EXPECT_FALSE(first.run(record, 1).record == first.run(record, 2).record);
  EXPECT_TRUE(first.run(record, 1).record == first.run(record, 1).record);
}

TEST(ImageOps, FlipAsOftenAsTheyAreTold) {
  const Record record{{"image", Value::tensor<std::uint8_t>({1, 2, 1}, {1, 2}, HEADRACE_LAYOUT_HWC)}};
  for (const auto& [p, least, most] :
       {std::tuple{"0", 0, 0}, std::tuple{"1", 400, 400}, std::tuple{"0.25", 60, 140}}) {
    OpBench bench(plugin(), {.op = "image.random_horizontal_flip", .with = {{"p", p}}, .name = "flip"});
    int flipped = 0;
    for (std::uint64_t i = 0; i < 400; ++i) {
      bench.set_sample(sample_at(i));
      const Outcome outcome = bench.map(record);
      ASSERT_TRUE(outcome.ok()) << outcome.error;
      flipped += outcome.record["image"].elements<std::uint8_t>()[0] == 2 ? 1 : 0;
    }
    EXPECT_GE(flipped, least) << p;
    EXPECT_LE(flipped, most) << p;
  }
}

TEST(ImageOps, MoveFloatsInPlanesToo) {
  const Record record{{"image", Value::tensor<float>({2, 1, 3}, {1, 2, 3, 4, 5, 6}, HEADRACE_LAYOUT_CHW)}};
  OpBench flip(plugin(), {.op = "image.random_horizontal_flip", .with = {{"p", "1"}}});
  EXPECT_EQ(flip.map(record).record["image"].elements<float>(), (std::vector<float>{3, 2, 1, 6, 5, 4}));
  OpBench crop(plugin(), {.op = "image.center_crop", .with = {{"size", "[1, 1]"}}});
  EXPECT_EQ(crop.map(record).record["image"].elements<float>(), (std::vector<float>{2, 5}));
  OpBench pad(plugin(), {.op = "image.center_crop", .with = {{"size", "[2, 1]"}}});
  EXPECT_EQ(pad.map(record).record["image"].elements<float>(), (std::vector<float>{2, 0, 5, 0}));
}

TEST(ImageOps, NormalizeFloatsIntoEitherLayout) {
  const Record record{{"image", Value::tensor<float>({1, 2, 2}, {1, 2, 3, 4}, HEADRACE_LAYOUT_HWC)}};
  OpBench chw(plugin(), {.op = "image.normalize", .with = {{"mean", "[1, 0]"}, {"std", "2"}}});
  EXPECT_EQ(chw.map(record).record["image"].elements<float>(), (std::vector<float>{0, 1, 1, 2}));
  OpBench hwc(plugin(),
              {.op = "image.normalize", .with = {{"mean", "0"}, {"std", "0.5"}, {"layout", "HWC"}}});
  EXPECT_EQ(hwc.map(record).record["image"].elements<float>(), (std::vector<float>{2, 4, 6, 8}));
}

TEST(ImageDecode, SaysWhatItCannotDoOnTheWay) {
  const auto reason = [](const std::vector<NodeText>& accepted, const NodeText& follower) {
    OpBench bench(plugin(), kDecode);
    for (const NodeText& node : accepted) EXPECT_EQ(bench.offer(plugin(), node), "");
    return bench.offer(plugin(), follower);
  };
  EXPECT_EQ(reason({kCrop}, kResize), "a second resize needs all rows of the first");
  EXPECT_EQ(reason({kFlip}, kCenter), "it comes after a flip");
  EXPECT_EQ(reason({kNormalize}, kFlip), "the pixels are as they go into the batch by then");
  EXPECT_EQ(reason({}, kDecode), "image.decode is not one of the ops that decoding can do on the way");
  NodeText elsewhere = kCrop;
  elsewhere.with["field"] = "mask";
  EXPECT_EQ(reason({}, elsewhere), "it reads 'mask', not the picture 'image'");
  NodeText keeping = kCrop;
  keeping.with = {{"size", "32"}, {"out", "view"}, {"keep", "true"}};
  EXPECT_EQ(reason({}, keeping), "it keeps 'image' besides its own result");
}

TEST(ImageDecode, RefusesWithCauseAndRemedy) {
  std::vector<std::uint8_t> cut = pictures()[0];
  cut.resize(cut.size() / 2);
  for (const std::vector<NodeText>& nodes :
       {std::vector<NodeText>{kDecode}, {kDecode, kCrop, kFlip, kNormalize}}) {
    FusedBench bench(nodes);
    Outcome outcome = bench.run({{"bytes", bytes_of(cut)}}, 0);
    EXPECT_EQ(outcome.status, HEADRACE_DATA_ERROR);
    EXPECT_EQ(outcome.member, 0U);
    EXPECT_EQ(outcome.error,
              "the JPEG is cut short: it has no end marker after its scan; replace the file, or set on_error "
              "to skip "
              "such files");
    outcome = bench.run({{"bytes", bytes_of(read_file("formats/picture.webp"))}}, 0);
    EXPECT_EQ(
        outcome.error,
        "this is WebP, not JPEG or PNG; convert the file to JPEG or PNG, or set on_error to skip such files");
    outcome = bench.run({{"bytes", Value::bytes("")}}, 0);
    EXPECT_EQ(outcome.status, HEADRACE_DATA_ERROR);
    EXPECT_NE(outcome.error.find("an empty file"), std::string::npos) << outcome.error;
  }
}

TEST(ImageDecode, NamesTheMemberThatFailed) {
  NodeText impossible = kResize;
  impossible.with = {{"size", "1"}, {"max_size", "2"}};
  NodeText sliver = kCenter;
  sliver.with["size"] = "[1, 300]";
  FusedBench fused({kDecode, sliver, impossible});
  const Outcome outcome = fused.run({{"bytes", bytes_of(pictures()[0])}}, 0);
  EXPECT_EQ(outcome.status, HEADRACE_DATA_ERROR);
  EXPECT_EQ(outcome.member, 2U);
  EXPECT_EQ(outcome.error, "resizing 300 x 1 pixels would leave a side of 0");
}

TEST(ImageDecode, ReportsTheHostsRefusalOfMemory) {
  BenchOptions options;
  options.refuse_memory = true;
  FusedBench bench({kDecode, kCrop}, options);
  EXPECT_EQ(bench.run({{"bytes", bytes_of(pictures()[0])}}, 0).status, HEADRACE_OUT_OF_MEMORY);
}

TEST(ImageDecode, WorksOnManyThreadsAtOnce) {
  std::vector<Record> records;
  for (int i = 0; i < 8; ++i) {
    for (const std::vector<std::uint8_t>& file : pictures()) records.push_back({{"bytes", bytes_of(file)}});
  }
  FusedBench one({kDecode, kCrop, kFlip, kNormalize});
  FusedBench four({kDecode, kCrop, kFlip, kNormalize});
  const std::vector<Outcome> expected = one.bench().map_all(records, 1);
  const std::vector<Outcome> outcomes = four.bench().map_all(records, 4);
  ASSERT_EQ(outcomes.size(), expected.size());
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    ASSERT_TRUE(outcomes[i].ok()) << outcomes[i].error;
    EXPECT_TRUE(outcomes[i].record == expected[i].record) << i;
  }
}

std::string faults(const NodeText& node, const Record& fields) {
  OpBench bench(plugin(), node);
  headrace::testing::Schema schema;
  for (const auto& [name, value] : fields.fields()) schema.push_back(FieldSpec::of(name, value));
  return bench.declare({schema}).fault_text();
}

TEST(ImageOps, RefuseWhatCannotBeRight) {
  const Value pixels = Value::tensor<std::uint8_t>({1, 2, 1}, {1, 2}, HEADRACE_LAYOUT_HWC);
  const Value doubles = Value::tensor<double>({1, 2, 1}, {1, 2}, HEADRACE_LAYOUT_HWC);
  const Value number = Value::scalar<std::int64_t>(1);
  NodeText resize = kResize;
  resize.with = {{"size", "[10, 20]"}, {"max_size", "30"}};
  EXPECT_NE(faults(resize, {{"image", pixels}}).find("max_size goes with one number"), std::string::npos);
  resize.with = {{"size", "30"}, {"max_size", "30"}};
  EXPECT_NE(faults(resize, {{"image", pixels}}).find("max_size must be above size"), std::string::npos);
  NodeText crop = kCrop;
  crop.with["scale"] = "[0.5, 0.2]";
  EXPECT_NE(faults(crop, {{"image", pixels}}).find("scale: the first of the two"), std::string::npos);
  EXPECT_NE(faults(kCrop, {{"image", doubles}}).find("must be uint8 or float32"), std::string::npos);
  EXPECT_NE(faults(kFlip, {{"image", number}}).find("'image' is no picture"), std::string::npos);
  EXPECT_NE(faults(kFlip, {{"image", Value::bytes("x")}}).find("image.decode makes a picture"),
            std::string::npos);
  EXPECT_NE(faults(kDecode, {{"bytes", pixels}}).find("'bytes' holds no bytes"), std::string::npos);
  EXPECT_NE(faults(kNormalize, {{"image", pixels}}).find("3 means and 3 stds for 1 channels"),
            std::string::npos);
  EXPECT_NE(faults(kFlip, {{"label", number}}).find("image"), std::string::npos);
}

TEST(ImageOps, DeclareTheSizesTheyKnow) {
  const Value pixels = Value::empty(HEADRACE_UINT8, {5, 6, 3}, HEADRACE_LAYOUT_HWC);
  const auto declared = [&](const NodeText& node) {
    OpBench bench(plugin(), node);
    return bench.declare({{FieldSpec::of("image", pixels)}}).writes.at(0).spec.to_string();
  };
  EXPECT_EQ(declared(kCrop), "image: uint8[40, 50, 3] HWC");
  EXPECT_EQ(declared(kCenter), "image: uint8[60, 60, 3] HWC");
  EXPECT_EQ(declared(kFlip), "image: uint8[5, 6, 3] HWC");
  EXPECT_EQ(declared(kNormalize), "image: float32[3, 5, 6] CHW");
}

}  // namespace
}  // namespace headrace::image
