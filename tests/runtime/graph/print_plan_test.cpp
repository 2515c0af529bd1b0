// SPDX-License-Identifier: Apache-2.0
//
// The plan as people and programs see it.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/runtime/graph/fake_ops.h"

namespace headrace {
namespace {

Planned train() {
  Planned out = plan_text(
      "version: 1\nname: train\nruntime: {threads: 2, seed: 42, memory: 64MiB}\n"
      "nodes:\n"
      "  files: {op: fake.files, with: {shuffle: true}}\n"
      "  read: {op: fake.read, from: files}\n"
      "  decode: {op: fake.decode, from: read}\n"
      "  crop: {op: fake.crop, from: decode, with: {size: 8}}\n"
      "  batch: {op: fake.batch, from: crop, with: {size: 4}, tokens: 4}\n"
      "outputs: {train: {from: batch, fields: [image, label]}}\n");
  EXPECT_EQ(out.errors, "");
  return out;
}

TEST(PrintPlan, SaysWhatRunsAsOneWhatIsCopiedAndWhatIsHeld) {
  EXPECT_EQ(
      print_plan(*train().plan),
      "graph train: 5 nodes, 4 frames, 2 segments\n"
      "2 threads, 4 I/O threads, memory 64 MiB, order strict, seed 42, fuse on\n"
      "\n"
      "frames (what runs as one)\n"
      "  files          fake.files, shuffled\n"
      "                 not fused further: fake.files absorbs nothing\n"
      "  read           fake.read, on an I/O thread\n"
      "                 not fused further: fake.read absorbs nothing\n"
      "  decode + crop  fake.decode\n"
      "                 fused: it absorbs fake.crop\n"
      "                 not fused further: 'batch' is an exchange\n"
      "  batch          fake.batch, 4 records a batch\n"
      "\n"
      "edges\n"
      "  files -> read: path: string; label: int64\n"
      "  read -> decode: path: string; label: int64; bytes: bytes\n"
      "  decode -> crop: path: string; label: int64; bytes: bytes; image: uint8[H, W, 3] HWC\n"
      "  crop -> batch: path: string; label: int64; bytes: bytes; image: uint8[8, 8, 3] HWC\n"
      "  batch -> output train: label: int64[4]; image: uint8[4, 8, 8, 3]\n"
      "      dropped here, since nobody reads it: path, bytes\n"
      "\n"
      "zero-copy (rows of a batch written in place)\n"
      "  label: yes, 'files' writes it straight into 'batch'\n"
      "  image: yes, 'decode + crop' writes it straight into 'batch'\n"
      "\n"
      "tokens (caps of each segment, named by the exchange that begins it)\n"
      "  files  25 items, 63.93 MiB\n"
      "  batch  4 items of 800 B (given), 67.91 KiB\n"
      "  in all  64 MiB of 64 MiB\n"
      "  output train keeps 2 items ready\n"
      "\n"
      "going on behind a checkpoint\n"
      "  the whole epoch is gone through again, up to output 'train': 'batch' (fake.batch) gathers several "
      "kinds of batches at once\n");
}

TEST(PlanJson, HoldsTheWholePlan) {
  const nlohmann::json json = nlohmann::json::parse(plan_json(*train().plan));
  EXPECT_EQ(json["name"], "train");
  EXPECT_EQ(json["nodes"][3]["name"], "crop");
  EXPECT_EQ(json["nodes"][3]["from"], nlohmann::json::array({"decode"}));
  EXPECT_EQ(json["nodes"][3]["with"]["size"], 8);
  EXPECT_EQ(json["nodes"][3]["fields"][3]["shape"], nlohmann::json::array({8, 8, 3}));
  EXPECT_EQ(json["nodes"][2]["fields"][3]["shape"], nlohmann::json::array({"H", "W", 3}));
  EXPECT_EQ(json["nodes"][4]["batch_size"], 4);
  EXPECT_EQ(json["frames"][2]["members"], nlohmann::json::array({"decode", "crop"}));
  EXPECT_EQ(json["segments"][0]["ends"], nlohmann::json::array({"batch"}));
  EXPECT_EQ(json["segments"][1]["cap_items"], 4);
  EXPECT_EQ(json["segments"][1]["items_given"], true);
  EXPECT_EQ(json["segments"][0]["item_bytes"], nullptr);
  EXPECT_EQ(json["rows"][3]["in_place"], true);
  EXPECT_EQ(json["rows"][3]["writer"], "crop");
  EXPECT_EQ(json["rows"][0]["why_not"], "it is no tensor, and is kept in a list");
  EXPECT_EQ(json["outputs"][0]["fields"], nlohmann::json::array({"image", "label"}));
  EXPECT_EQ(json["runtime"]["memory_bytes"], 64 << 20);
}

}  // namespace
}  // namespace headrace
