// SPDX-License-Identifier: Apache-2.0
//
// Parameters that are ops: what their own specs make of them, what is refused, and where.

#include <gtest/gtest.h>

#include <headrace/cpp/param.hpp>

#include "tests/runtime/graph/fake_ops.h"

namespace headrace {
namespace {

constexpr const char* kToImage =
    "f: {op: fake.files}\nr: {op: fake.read, from: f}\nd: {op: fake.decode, from: r}\n";

/// A node `h` of fake.holds below an image, in line 6; its `with` begins in column 35.
Planned held(const std::string& with) {
  return plan_nodes(kToImage + ("h: {op: fake.holds, from: d, with: " + with + "}"), "h");
}

std::string fault(const std::string& with) { return held(with).errors; }

TEST(BindParts, AreNodesWithTheirOwnOpsParameters) {
  const Planned p =
      held("{parts: [{op: fake.crop, with: {size: 7}}, {op: fake.flip}], last: {op: fake.flip}}");
  ASSERT_EQ(p.errors, "");
  const Params params(p.node("h").c);
  const std::vector<Node> parts = params.ops("parts");
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].op(), "fake.crop");
  EXPECT_EQ(parts[0].name(), "h.with.parts[0]");
  EXPECT_EQ(parts[0].op_version(), 1U);
  EXPECT_EQ(parts[0].params().integer("size"), 7);
  EXPECT_EQ(parts[0].params().numbers("scale"), (std::vector<double>{0.08, 1}));
  EXPECT_EQ(parts[1].op(), "fake.flip");
  EXPECT_EQ(Node(*params["last"].node).op(), "fake.flip");
}

TEST(BindParts, MayHoldParts) {
  const Planned p = held("{parts: [{op: fake.holds, with: {parts: [{op: fake.crop, with: {size: 2}}]}}]}");
  ASSERT_EQ(p.errors, "");
  const std::vector<Node> outer = Params(p.node("h").c).ops("parts");
  const std::vector<Node> inner = outer[0].params().ops("parts");
  EXPECT_EQ(inner[0].name(), "h.with.parts[0].with.parts[0]");
  EXPECT_EQ(inner[0].params().integer("size"), 2);
  EXPECT_EQ(outer[0].params()["last"].given, 0);
}

TEST(BindParts, AreCheckedAsNodesAre) {
  EXPECT_EQ(
      fault("{parts: [{op: fake.crop, with: {size: 0}}]}"),
      "g.yaml:6:76: error: h.with.parts[0].with.size must be an integer from 1 to 4096 (pixels), not the "
      "integer 0\n");
  EXPECT_EQ(
      fault("{parts: [{op: fake.flip}, {op: fake.crop, with: {sise: 3}}]}"),
      "g.yaml:6:64: error: h.with.parts[1].with has no size, which fake.crop needs: an integer from 1 to "
      "4096 (pixels)\n"
      "g.yaml:6:87: error: unknown key 'sise' in h.with.parts[1].with (did you mean 'size'?)\n");
}

TEST(BindParts, NameOpsThatMayStandThere) {
  EXPECT_EQ(fault("{parts: [{op: fake.crob}]}"),
            "g.yaml:6:52: error: h.with.parts takes no op 'fake.crob' (did you mean 'fake.crop'?)\n");
  EXPECT_EQ(fault("{parts: [{op: fake.batch}]}"),
            "g.yaml:6:52: error: h.with.parts takes no op 'fake.batch' (allowed: fake.flip, fake.crop, "
            "fake.holds)\n");
  EXPECT_EQ(fault("{parts: [{with: {size: 3}}]}"), "g.yaml:6:47: error: h.with.parts[0] has no op\n");
}

TEST(BindParts, AreMapsOfOpAndWith) {
  EXPECT_EQ(fault("{parts: [fake.flip]}"),
            "g.yaml:6:47: error: each of h.with.parts must be an op such as {op: fake.flip}, not the text "
            "'fake.flip'\n");
  EXPECT_EQ(fault("{parts: {op: fake.flip}}"),
            "g.yaml:6:46: error: h.with.parts must be a list of ops such as {op: fake.flip}, not a map\n");
  EXPECT_EQ(
      fault("{parts: []}"),
      "g.yaml:6:46: error: h.with.parts must be a list of ops such as {op: fake.flip}, not 0 of them\n");
  EXPECT_EQ(fault("{parts: [{op: fake.flip, form: d}]}"),
            "g.yaml:6:63: error: unknown key 'form' in h.with.parts[0] (allowed: op, with)\n");
  EXPECT_EQ(fault("{parts: [{op: fake.flip}], last: 3}"),
            "g.yaml:6:71: error: h.with.last must be an op such as {op: fake.flip}, or null, not the integer "
            "3\n");
}

TEST(BindParts, LetOpsObjectAtTheirPlace) {
  EXPECT_EQ(fault("{parts: [{op: fake.flip}, {op: fake.crop, with: {size: 13}}]}"),
            "g.yaml:6:93: error: h.with.parts[1].with.size: 13 brings bad luck\n");
  EXPECT_EQ(fault("{parts: [{op: fake.holds, with: {parts: [{op: fake.crop, with: {size: 13}}]}}]}"),
            "g.yaml:6:108: error: h.with.parts[0].with.parts[0].with.size: 13 brings bad luck\n");
}

TEST(BindParts, ObjectionsToWhatIsNotWrittenStandAtThePart) {
  EXPECT_EQ(fault("{parts: [{op: fake.flip}, {op: fake.crop, with: {size: 14}}]}"),
            "g.yaml:6:64: error: h.with.parts[1].with.scale: 14 wants a scale of its own\n");
}

}  // namespace
}  // namespace headrace
