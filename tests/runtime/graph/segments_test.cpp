// SPDX-License-Identifier: Apache-2.0
//
// Where tokens change hands, which rows are lent, what an item holds.

#include "runtime/graph/segments.h"

#include <gtest/gtest.h>

#include "tests/runtime/graph/fake_ops.h"

namespace headrace {
namespace {

const std::string kToImage =
    "f: {op: fake.files}\nr: {op: fake.read, from: f}\nd: {op: fake.decode, from: r}\n";
const std::string kToCrop = kToImage + "c: {op: fake.crop, from: d, with: {size: 8}}\n";

Planned planned(const std::string& nodes, const std::string& output, const std::string& head = "") {
  Planned out = plan_nodes(nodes, output, head);
  EXPECT_EQ(out.errors, "");
  return out;
}

/// "f r d > b w": the frames of a segment and the exchanges it ends in, by first members.
std::string shape(const Planned& p, const std::string& exchange) {
  const PlanSegment& segment = p.segment(exchange);
  const auto name = [&](std::size_t f) { return p.plan->nodes[p.plan->frames[f].members.front()].name; };
  std::string out;
  for (const std::size_t f : segment.frames) out += name(f) + " ";
  out += ">";
  for (const std::size_t f : segment.ends) out += " " + name(f);
  return out;
}

TEST(Segments, EndAtExchanges) {
  const Planned p = planned(kToCrop +
                                "w: {op: fake.shuffle, from: c, with: {window: 5}}\n"
                                "n: {op: fake.norm, from: w}\n"
                                "b: {op: fake.batch, from: n, with: {size: 4}}\n"
                                "u: {op: fake.upload, from: b}\n",
                            "u");
  EXPECT_EQ(p.plan->segments.size(), 4U);
  EXPECT_EQ(shape(p, "f"), "f r d > w");
  EXPECT_EQ(shape(p, "w"), "w n > b");
  EXPECT_EQ(shape(p, "b"), "b > u");
  EXPECT_EQ(shape(p, "u"), "u >");
}

TEST(Segments, HoldTheBranchesOfAFanOut) {
  const Planned p = planned(
      kToImage +
          "a: {op: fake.flip, from: d}\nb: {op: fake.boxes, from: d}\nz: {op: fake.zip, from: [a, b]}\n",
      "z");
  EXPECT_EQ(shape(p, "f"), "f r d a b > z");
  EXPECT_EQ(shape(p, "z"), "z >");
}

TEST(Segments, OfSeveralSourcesMeetInAMerge) {
  const Planned p = planned(
      "f: {op: fake.files}\ng: {op: fake.files}\nm: {op: fake.mix, from: [f, g]}\ne: {op: fake.shuffle, "
      "from: m, with: {window: 2}}\n",
      "e");
  EXPECT_EQ(shape(p, "f"), "f > m");
  EXPECT_EQ(shape(p, "g"), "g > m");
  EXPECT_EQ(shape(p, "m"), "m > e");
}

TEST(Segments, RefuseJoinsOfRecordsThatNeverPair) {
  EXPECT_EQ(
      plan_nodes(kToImage + "e: {op: fake.expand, from: d}\nz: {op: fake.zip, from: [e, d]}\n", "z").errors,
      "g.yaml:7:3: error: node 'z' pairs records of one sample, but those of 'e' and of 'd' were expanded a "
      "different number "
      "of times and never pair\n");
}

TEST(Segments, BoundHowOftenRecordsAreExpanded) {
  std::string nodes = kToImage + "e0: {op: fake.expand, from: d}\n";
  for (int i = 1; i < 4; ++i) {
    nodes += "e" + std::to_string(i) + ": {op: fake.expand, from: e" + std::to_string(i - 1) + "}\n";
  }
  EXPECT_EQ(plan_nodes(nodes, "e3").errors, "");
  EXPECT_EQ(plan_nodes(nodes + "e4: {op: fake.expand, from: e3}\n", "e4").errors,
            "g.yaml:10:3: error: node 'e4': records can be expanded 4 times at most\n");
}

TEST(Rows, AreLentToTheFrameThatWritesTheFieldLast) {
  const Planned p =
      planned(kToCrop + "g: {op: fake.flip, from: c}\nb: {op: fake.batch, from: g, with: {size: 4}}\n", "b");
  const PlanRow& image = p.row("b", "image");
  EXPECT_TRUE(image.in_place);
  EXPECT_EQ(p.plan->nodes[p.plan->frames[image.writer].members.back()].name, "g")
      << "declared in_place, and still gets the row";
  EXPECT_EQ(image.output, 3U);
  const PlanRow& label = p.row("b", "label");
  EXPECT_TRUE(label.in_place);
  EXPECT_EQ(p.plan->nodes[p.plan->frames[label.writer].members.back()].name, "f");
  EXPECT_FALSE(p.row("b", "path").in_place);
  EXPECT_EQ(p.row("b", "path").why_not, "it is no tensor, and is kept in a list");
}

TEST(Rows, AreLentToAFusedFrame) {
  const Planned p = planned(kToCrop + "b: {op: fake.batch, from: c, with: {size: 4, last: partial}}\n", "b");
  EXPECT_TRUE(p.row("b", "image").in_place);
  EXPECT_EQ(p.plan->frames[p.row("b", "image").writer].members.size(), 2U);
}

std::string why_not(const std::string& nodes, const std::string& batch = "b") {
  const Planned p = planned(nodes, batch);
  EXPECT_FALSE(p.row(batch, "image").in_place);
  return p.row(batch, "image").why_not;
}

TEST(Rows, AreNotLentWithoutAReason) {
  EXPECT_EQ(why_not(kToImage + "b: {op: fake.batch, from: d, with: {size: 4}}\n"),
            "its shape is known only sample by sample");
  EXPECT_EQ(why_not(kToCrop + "b: {op: fake.batch, from: c, with: {size: 4, slots: none}}\n"),
            "'b' collates by copying");
  EXPECT_EQ(why_not(kToCrop + "w: {op: fake.shuffle, from: c, with: {window: 2}}\nb: {op: fake.batch, from: "
                              "w, with: {size: 4}}\n"),
            "'w' lies between the batch and what writes it");
  EXPECT_EQ(why_not(kToCrop + "b: {op: fake.batch, from: c, with: {size: 4}}\nbb: {op: fake.batch, from: b, "
                              "with: {size: 4}}\n",
                    "bb"),
            "'b' gathers it first");
  EXPECT_EQ(
      why_not(kToCrop + "u: {op: fake.upload, from: c}\nb: {op: fake.batch, from: u, with: {size: 4}}\n"),
      "it lies on a device");
}

TEST(Rows, AreNotLentAcrossAFanOut) {
  const Planned p = plan_text(
      "version: 1\nnodes:\n  f: {op: fake.files}\n  r: {op: fake.read, from: f}\n  d: {op: fake.decode, "
      "from: r}\n"
      "  c: {op: fake.crop, from: d, with: {size: 8}}\n  b: {op: fake.batch, from: c, with: {size: 4}}\n"
      "outputs: {o: {from: b}, p: {from: c}}\n");
  ASSERT_EQ(p.errors, "");
  EXPECT_EQ(p.row("b", "image").why_not, "'c' is read by others too");
}

TEST(Rows, GoToOneOfTwoBatches) {
  const Planned p = plan_text(
      "version: 1\nnodes:\n  f: {op: fake.files}\n  r: {op: fake.read, from: f}\n  d: {op: fake.decode, "
      "from: r}\n"
      "  c: {op: fake.crop, from: d, with: {size: 8}}\n  k: {op: fake.crop, from: d, with: {size: 9}}\n"
      "  b: {op: fake.batch, from: c, with: {size: 4}}\n  e: {op: fake.batch, from: k, with: {size: 4}}\n"
      "outputs: {o: {from: b}, p: {from: e}}\n");
  ASSERT_EQ(p.errors, "");
  EXPECT_TRUE(p.row("b", "image").in_place);
  EXPECT_EQ(p.row("e", "image").why_not, "'b' lends its rows to the same records");
  EXPECT_EQ(p.row("b", "label").why_not, "'d' is read by others too");
}

TEST(Rows, GoBySizeWhereTheBatchSaysSo) {
  const Planned p =
      planned(kToImage + "b: {op: fake.batch, from: d, with: {size: 4, slots: by_size, groups: 3}}\n", "b");
  EXPECT_TRUE(p.row("b", "image").in_place);
}

TEST(ItemBytes, AreWhatAnItemHoldsAtMost) {
  // label 8 + read at most 1000 + image of unknown size
  const Planned unknown = planned(
      "f: {op: fake.files}\nr: {op: fake.read, from: f, with: {bound: 1000}}\nd: {op: fake.decode, from: r}\n"
      "o: {op: fake.only, from: d, with: {field: image}}\n",
      "o");
  EXPECT_EQ(unknown.segment("f").item_bytes, -1);
}

TEST(ItemBytes, LeaveOutRowsThatAreLent) {
  const std::string nodes =
      "f: {op: fake.files}\no: {op: fake.only, from: f, with: {field: label}}\nk: {op: fake.keep, from: o, "
      "with: {field: label, as: twin}}\n";
  const Planned alone = planned(nodes, "k");
  EXPECT_EQ(alone.segment("f").item_bytes, 16);
  const Planned batched = planned(nodes + "b: {op: fake.batch, from: k, with: {size: 4}}\n", "b");
  EXPECT_TRUE(batched.row("b", "label").in_place);
  EXPECT_EQ(batched.segment("f").item_bytes, 0);
  EXPECT_EQ(batched.segment("b").item_bytes, 4 * 16);
  const Planned copied = planned(nodes + "b: {op: fake.batch, from: k, with: {size: 4, slots: none}}\n", "b");
  EXPECT_EQ(copied.segment("f").item_bytes, 16);
  EXPECT_EQ(copied.segment("b").item_bytes, 2 * 4 * 16) << "the records and what is made of them";
}

TEST(ItemBytes, OfBranchesAddUp) {
  const std::string nodes =
      "f: {op: fake.files}\no: {op: fake.only, from: f, with: {field: label}}\n"
      "k: {op: fake.keep, from: o, with: {field: label, as: twin}}\nl: {op: fake.keep, from: o, with: "
      "{field: label, as: twin}}\n"
      "z: {op: fake.zip, from: [k, l]}\n";
  EXPECT_EQ(planned(nodes, "z").segment("f").item_bytes, 24);
}

TEST(ItemBytes, OfATransferAreBothSides) {
  const std::string nodes =
      kToCrop +
      "o: {op: fake.only, from: c, with: {field: image}}\nb: {op: fake.batch, from: o, with: {size: 4}}\n"
      "u: {op: fake.upload, from: b}\n";
  const Planned p = planned(nodes, "u");
  EXPECT_EQ(p.segment("b").item_bytes, 4 * 8 * 8 * 3);
  EXPECT_EQ(p.segment("u").item_bytes, 2 * 4 * 8 * 8 * 3);
}

}  // namespace
}  // namespace headrace
