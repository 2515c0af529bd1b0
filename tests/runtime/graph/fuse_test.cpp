// SPDX-License-Identifier: Apache-2.0
//
// Which ops run as one, and the reason where they do not.

#include "runtime/graph/fuse.h"

#include <gtest/gtest.h>

#include "tests/runtime/graph/fake_ops.h"

namespace headrace {
namespace {

const std::string kToImage =
    "f: {op: fake.files}\nr: {op: fake.read, from: f}\nd: {op: fake.decode, from: r}\n";

/// Plans nodes behind kToImage, the last of which feeds the output.
Planned planned(const std::string& nodes, const std::string& output, const std::string& head = "") {
  Planned out = plan_nodes(kToImage + nodes, output, head);
  EXPECT_EQ(out.errors, "");
  return out;
}

TEST(Fuse, OffersFollowerAfterFollower) {
  const Planned p =
      planned("c: {op: fake.crop, from: d, with: {size: 8}}\nn: {op: fake.norm, from: c}\n", "n");
  EXPECT_EQ(p.frame_of("d"), "d+c+n");
  EXPECT_EQ(p.frame("d").not_fused, "");
  EXPECT_EQ(p.plan->frames.size(), 3U);
  EXPECT_EQ(p.frame("f").not_fused, "fake.files absorbs nothing");
  EXPECT_TRUE(p.frame("f").is_exchange);
  EXPECT_FALSE(p.frame("d").is_exchange);
}

TEST(Fuse, StopsWhereTheOpDeclines) {
  const Planned p = planned(
      "c: {op: fake.crop, from: d, with: {size: 8}}\ng: {op: fake.flip, from: c}\nn: {op: fake.norm, from: "
      "g}\n",
      "n");
  EXPECT_EQ(p.frame_of("d"), "d+c");
  EXPECT_EQ(p.frame("d").not_fused, "it knows no fake.flip");
  EXPECT_EQ(p.frame_of("g"), "g");
  EXPECT_EQ(p.frame("g").not_fused, "fake.flip absorbs nothing");
}

TEST(Fuse, IsOffWhenTheGraphSaysSo) {
  const Planned p = planned("n: {op: fake.norm, from: d}\n", "n", "runtime: {fuse: false}\n");
  EXPECT_EQ(p.frame_of("d"), "d");
  EXPECT_EQ(p.frame("d").not_fused, "fuse is off");
  EXPECT_EQ(p.frame("n").not_fused, "") << "nothing follows";
}

TEST(Fuse, OffersNoFanOut) {
  const Planned p = planned(
      "c: {op: fake.crop, from: d, with: {size: 8}}\nn: {op: fake.norm, from: d}\nz: {op: fake.zip, from: "
      "[c, n]}\n",
      "z");
  EXPECT_EQ(p.frame_of("d"), "d");
  EXPECT_EQ(p.frame("d").not_fused, "2 nodes read 'd'");
}

TEST(Fuse, OffersNothingThatAnOutputReadsToo) {
  const Planned p = plan_text(
      "version: 1\nnodes:\n  f: {op: fake.files}\n  r: {op: fake.read, from: f}\n  d: {op: fake.decode, "
      "from: r}\n"
      "  n: {op: fake.norm, from: d}\noutputs: {a: {from: d}, b: {from: n}}\n");
  ASSERT_EQ(p.errors, "");
  EXPECT_EQ(p.frame("d").not_fused, "an output reads 'd' too");
}

TEST(Fuse, OffersNothingWithTokensOrConcurrency) {
  EXPECT_EQ(planned("n: {op: fake.norm, from: d, tokens: 3}\n", "n").frame("d").not_fused, "'n' sets tokens");
  EXPECT_EQ(planned("n: {op: fake.norm, from: d, concurrency: 3}\n", "n").frame("d").not_fused,
            "'n' sets concurrency");
}

TEST(Fuse, OffersNoExchange) {
  EXPECT_EQ(planned("b: {op: fake.batch, from: d, with: {size: 2}}\n", "b").frame("d").not_fused,
            "'b' is an exchange");
  EXPECT_EQ(planned("u: {op: fake.upload, from: d}\n", "u").frame("d").not_fused, "'u' is an exchange");
}

TEST(Fuse, OffersNothingThatReadsAnOlderField) {
  // fake.decode would absorb it, but the frame reads only what its first member reads.
  const Planned p = planned("k: {op: fake.keep, from: d, with: {field: path, as: copy}}\n", "k");
  EXPECT_EQ(p.frame("d").not_fused, "'k' reads 'path', which 'd' does not write");
}

TEST(Fuse, KeepsWhatIsReadFurtherOn) {
  // The crop replaces the image; but a second decode's field would be lost inside the frame.
  const Planned p = planned("k: {op: fake.keep, from: d, with: {field: image, as: copy}}\n", "k");
  EXPECT_EQ(p.frame("d").not_fused, "'image' of 'd' is read further on");
}

TEST(Fuse, ReportsAnOpThatBreaksTheRulesOfOffers) {
  EXPECT_EQ(plan_nodes("f: {op: fake.files}\nb: {op: fake.broken, from: f, with: {how: fine}}\nc: {op: "
                       "fake.broken, from: b, with: {how: fine}}",
                       "c")
                .errors,
            "g.yaml:4:3: error: node 'b': op fake.broken is at fault: absorb() answers with status -12\n");
}

}  // namespace
}  // namespace headrace
