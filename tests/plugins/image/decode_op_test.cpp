// SPDX-License-Identifier: Apache-2.0
//
// image.decode as a host sees it: what its parameters give and declare, that they hold for a fused chain to
// the bit, and what is refused.
#include <gtest/gtest.h>

#include "exif_writer.h"
#include "fused_bench.h"
#include "jpeg_writer.h"
#include "references.h"

namespace headrace::image {
namespace {

using headrace::testing::FieldSpec;
using testing::bytes_of;
using testing::expect_same_bits;
using testing::FusedBench;
using testing::make_jpeg;
using testing::NodeText;
using testing::one_by_one;
using testing::OpBench;
using testing::plugin;
using testing::raw;
using testing::read_file;
using testing::Record;
using testing::Value;
using testing::with_orientation;

using Files = std::vector<std::vector<std::uint8_t>>;
using Settings = std::map<std::string, std::string>;

NodeText decode_node(const Settings& with) { return {.op = "image.decode", .with = with, .name = "decode"}; }

const NodeText kCrop{.op = "image.random_resized_crop", .with = {{"size", "[40, 50]"}}, .name = "crop"};
const NodeText kFlip{.op = "image.random_horizontal_flip", .with = {}, .name = "flip"};
const NodeText kResize{.op = "image.resize", .with = {{"size", "64"}}, .name = "resize"};
const NodeText kCenter{.op = "image.center_crop", .with = {{"size", "60"}}, .name = "center"};
const NodeText kNormalize{
    .op = "image.normalize", .with = {{"mean", "0.5"}, {"std", "[0.25]"}}, .name = "norm"};

Files turned_files() {
  Files files;
  const Files upright{make_jpeg({.width = 203, .height = 117, .h_sampling = 2, .v_sampling = 2}),
                      make_jpeg({.width = 81, .height = 160, .h_sampling = 2, .progressive = true}),
                      make_jpeg({.width = 64, .height = 90, .components = 4}),
                      read_file("trials/pil123rgba.png")};
  for (std::size_t i = 0; i < 16; ++i)
    files.push_back(with_orientation(upright[i % upright.size()], static_cast<int>(i / 2) + 1));
  return files;
}

TEST(ImageDecode, GivesTheSameBitsFusedInEveryOrientationAndMode) {
  const Files files = turned_files();
  const Settings all_settings[] = {
      {},
      {{"exif", "ignore"}},
      {{"mode", "gray"}},
      {{"mode", "gray"}, {"alpha", "keep"}},
      {{"alpha", "keep"}},
      {{"alpha", "blend"}, {"background", "[200, 100, 0]"}},
      {{"mode", "gray"}, {"alpha", "blend"}, {"background", "77"}},
      {{"verify", "whole"}},
  };
  for (const Settings& with : all_settings) {
    expect_same_bits({decode_node(with), kCrop, kFlip, kNormalize}, files, 2);
    expect_same_bits({decode_node(with), kResize, kCenter}, files, 1);
    expect_same_bits({decode_node(with), kCenter, kFlip}, files, 1);
  }
  expect_same_bits({decode_node({{"mode", "unchanged"}}), kCenter, kFlip}, files, 2);
}

TEST(ImageDecode, DeclaresTheChannelsOfItsMode) {
  const auto declared = [](const Settings& with) {
    OpBench bench(plugin(), decode_node(with));
    const auto declaration = bench.declare({{FieldSpec::of("bytes", Value::bytes("x"))}});
    std::string text = declaration.fault_text();
    for (const auto& write : declaration.writes) text += write.spec.to_string() + "; ";
    return text;
  };
  EXPECT_EQ(declared({}), "image: uint8[?, ?, 3] HWC; ");
  EXPECT_EQ(declared({{"alpha", "keep"}}), "image: uint8[?, ?, 4] HWC; ");
  EXPECT_EQ(declared({{"alpha", "blend"}}), "image: uint8[?, ?, 3] HWC; ");
  EXPECT_EQ(declared({{"mode", "gray"}}), "image: uint8[?, ?, 1] HWC; ");
  EXPECT_EQ(declared({{"mode", "gray"}, {"alpha", "keep"}}), "image: uint8[?, ?, 2] HWC; ");
  EXPECT_EQ(declared({{"mode", "unchanged"}}), "image: uint8[?, ?, ?] HWC; ");
  EXPECT_EQ(declared({{"damaged", "salvage"}}), "image: uint8[?, ?, 3] HWC; damaged: bool[]; ");
}

TEST(ImageDecode, RefusesSettingsThatContradictEachOther) {
  const auto fault = [](const Settings& with) {
    OpBench bench(plugin(), decode_node(with));
    return bench.declare({{FieldSpec::of("bytes", Value::bytes("x"))}}).fault_text();
  };
  EXPECT_NE(fault({{"mode", "unchanged"}, {"alpha", "keep"}}).find("leave alpha out"), std::string::npos);
  EXPECT_NE(fault({{"background", "9"}}).find("only with alpha blend"), std::string::npos);
  EXPECT_NE(fault({{"alpha", "blend"}, {"background", "[9, 9]"}}).find("red, green and blue"),
            std::string::npos);
  EXPECT_NE(fault({{"damaged", "salvage"}, {"out", "damaged"}}).find("another field"), std::string::npos);
}

TEST(ImageDecode, GivesEachFileItsOwnChannelsUnchanged) {
  OpBench bench(plugin(), decode_node({{"mode", "unchanged"}}));
  const std::pair<const char*, std::int64_t> files[] = {{"trials/hopper_gray.jpg", 1},
                                                        {"png/type4_8bit.png", 2},
                                                        {"trials/hopper.jpg", 3},
                                                        {"trials/pil_sample_cmyk.jpg", 4}};
  for (const auto& [name, channels] : files) {
    const auto outcome = bench.map({{"bytes", bytes_of(read_file(name))}});
    ASSERT_TRUE(outcome.ok()) << outcome.error;
    EXPECT_EQ(outcome.record["image"].shape().at(2), channels) << name;
  }
}

// What follows sees the size of the turned picture.
TEST(ImageDecode, TurnsBeforeItCrops) {
  const auto file = with_orientation(make_jpeg({.width = 120, .height = 40}), 6);
  const auto size = [&](const Settings& with) {
    NodeText resize = kResize;
    resize.with["size"] = "20";
    FusedBench bench({decode_node(with), resize});
    return bench.run({{"bytes", bytes_of(file)}}, 0).record["image"].shape();
  };
  EXPECT_EQ(size({}), (std::vector<std::int64_t>{60, 20, 3}));
  EXPECT_EQ(size({{"exif", "ignore"}}), (std::vector<std::int64_t>{20, 60, 3}));
}

TEST(ImageDecode, MarksWhatItSalvaged) {
  OpBench bench(plugin(), decode_node({{"damaged", "salvage"}}));
  const auto whole = make_jpeg({.width = 100, .height = 80});
  auto cut = whole;
  cut.resize(cut.size() / 2);
  for (const auto& [file, damaged] : {std::pair{whole, false}, std::pair{cut, true}}) {
    const auto outcome = bench.map({{"bytes", bytes_of(file)}});
    ASSERT_TRUE(outcome.ok()) << outcome.error;
    EXPECT_TRUE(outcome.violations.empty());
    EXPECT_EQ(raw(outcome.record["damaged"]), std::vector<std::uint8_t>{damaged});
    EXPECT_EQ(outcome.record["image"].shape(), (std::vector<std::int64_t>{80, 100, 3}));
  }
  EXPECT_EQ(bench.map({{"bytes", bytes_of(read_file("formats/picture.webp"))}}).status, HEADRACE_DATA_ERROR);
}

// Where nobody reads the mark, the chain is fused and gives the same pixels without it.
TEST(ImageDecode, SalvagesFusedToo) {
  const std::vector<NodeText> nodes{decode_node({{"damaged", "salvage"}}), kResize, kNormalize};
  auto cut = make_jpeg({.width = 100, .height = 80, .h_sampling = 2, .v_sampling = 2});
  cut.resize(cut.size() * 2 / 3);
  FusedBench fused(nodes);
  const Record record{{"bytes", bytes_of(cut)}};
  const auto together = fused.run(record, 0);
  ASSERT_TRUE(together.ok()) << together.error;
  EXPECT_EQ(raw(together.record["image"]), raw(one_by_one(nodes, record, 0).record["image"]));
}

TEST(ImageDecode, FindsDamageBelowTheCropWhenToldToVerifyTheWhole) {
  auto file = make_jpeg({.width = 256, .height = 256, .h_sampling = 2, .v_sampling = 2});
  file[file.size() * 9 / 10] = 0xff;
  file[file.size() * 9 / 10 + 1] = 0xd3;
  FusedBench needed({decode_node({}), kCenter});
  EXPECT_TRUE(needed.run({{"bytes", bytes_of(file)}}, 0).ok());
  FusedBench whole({decode_node({{"verify", "whole"}}), kCenter});
  EXPECT_EQ(whole.run({{"bytes", bytes_of(file)}}, 0).status, HEADRACE_DATA_ERROR);
}

}  // namespace
}  // namespace headrace::image
