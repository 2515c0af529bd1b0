// SPDX-License-Identifier: Apache-2.0
//
// Caps: what the graph gives, what ops need, what memory holds, and the forks that would deadlock.

#include "runtime/graph/tokens.h"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/runtime/graph/fake_ops.h"

namespace headrace {
namespace {

const std::string kToImage =
    "f: {op: fake.files}\nr: {op: fake.read, from: f}\nd: {op: fake.decode, from: r}\n";
const std::string kToCrop = kToImage + "c: {op: fake.crop, from: d, with: {size: 100}}\n";  // 30000 bytes

Planned planned(const std::string& nodes, const std::string& output, const std::string& head = "") {
  Planned out = plan_nodes(nodes, output, head);
  EXPECT_EQ(out.errors, "");
  return out;
}

std::string faults(const std::string& nodes, const std::string& output, const std::string& head = "") {
  return plan_nodes(nodes, output, head).errors;
}

std::int64_t sum_of_caps(const Planned& p) {
  return std::accumulate(
      p.plan->segments.begin(), p.plan->segments.end(), std::int64_t{0},
      [](std::int64_t sum, const PlanSegment& segment) { return sum + segment.cap_bytes; });
}

TEST(Tokens, AreAsTheGraphGivesThem) {
  const Planned p =
      planned("f: {op: fake.files}\nr: {op: fake.read, from: f, tokens: {items: 64, bytes: 64MiB}}\n", "r");
  const PlanSegment& segment = p.segment("f");
  EXPECT_EQ(segment.cap_items, 64);
  EXPECT_EQ(segment.cap_bytes, 64 << 20);
  EXPECT_TRUE(segment.explicit_items);
  EXPECT_TRUE(segment.explicit_bytes);
  const Planned items = planned("f: {op: fake.files, tokens: 3}\nr: {op: fake.read, from: f}\n", "r");
  EXPECT_EQ(items.segment("f").cap_items, 3);
  EXPECT_FALSE(items.segment("f").explicit_bytes);
}

TEST(Tokens, AreEnoughForEveryThreadWhereNoneAreGiven) {
  const Planned p = planned(kToCrop + "b: {op: fake.batch, from: c, with: {size: 8}}\n", "b",
                            "runtime: {threads: 4, io_threads: 6}\n");
  EXPECT_GE(p.segment("f").cap_items, 4 * (4 + 6));
  // Rows for all of these, two finished batches that wait and one that the consumer has.
  EXPECT_GE(p.segment("b").cap_items, p.segment("f").cap_items / 8 + 1 + 2 + 1);
}

TEST(Tokens, AddUpToTheMemory) {
  const Planned p = planned(kToCrop + "b: {op: fake.batch, from: c, with: {size: 8}}\n", "b",
                            "runtime: {memory: 100MiB}\n");
  EXPECT_LE(sum_of_caps(p), 100 << 20);
  EXPECT_GE(sum_of_caps(p), (100 << 20) - 10);
  for (const PlanSegment& segment : p.plan->segments)
    EXPECT_GE(segment.cap_bytes, segment.cap_items * std::max<std::int64_t>(0, segment.item_bytes));
}

TEST(Tokens, TakeHalfOfTheMachineWhereNoMemoryIsGiven) {
  EXPECT_EQ(planned("f: {op: fake.files}", "f").plan->memory_bytes, std::int64_t{4} << 30);
  const Planned unknown =
      plan_text("version: 1\nnodes: {f: {op: fake.files}}\noutputs: {o: {from: f}}\n", {1, 0});
  EXPECT_EQ(unknown.plan->memory_bytes, std::int64_t{4} << 30);
}

TEST(Tokens, ShrinkUntilTheMemoryHoldsThem) {
  const std::string nodes = kToCrop + "b: {op: fake.batch, from: c, with: {size: 100}}\n";  // 3 MB a batch
  const std::int64_t wanted = planned(nodes, "b").segment("b").cap_items;
  const Planned p = planned(nodes, "b", "runtime: {memory: 8MiB}\n");
  EXPECT_LT(p.segment("b").cap_items, wanted);
  EXPECT_GE(p.segment("b").cap_items, 1);
  EXPECT_LE(p.segment("b").cap_items * 3000800, 8 << 20);
  EXPECT_LE(sum_of_caps(p), 8 << 20);
}

TEST(Tokens, RefuseAMemoryBelowTheLeast) {
  EXPECT_EQ(
      faults(kToCrop + "b: {op: fake.batch, from: c, with: {size: 100}}\n", "b", "runtime: {memory: 2MiB}\n"),
      "g.yaml:2:19: error: the memory is 2 MiB, and the least that the graph needs is more: 'b' 1 x 2.86 "
      "MiB\n");
}

TEST(Tokens, RefuseCapsThatExceedTheMemory) {
  EXPECT_EQ(
      faults(kToCrop + "b: {op: fake.batch, from: c, with: {size: 100}, tokens: 100}\n", "b",
             "runtime: {memory: 64MiB}\n"),
      "g.yaml:8:59: error: 100 tokens of 2.86 MiB, 286.18 MiB in all are more than the memory, 64 MiB\n");
  EXPECT_EQ(faults("f: {op: fake.files, tokens: {bytes: 40MiB}}\nw: {op: fake.shuffle, from: f, with: "
                   "{window: 2}, tokens: {bytes: 40MiB}}\n",
                   "w", "runtime: {memory: 64MiB}\n"),
            "g.yaml:2:19: error: the memory is 64 MiB, and what the graph gives its segments adds up to "
            "more: 'f' 40 MiB, 'w' 40 MiB\n");
}

TEST(Tokens, OfOneSegmentAreSetOnce) {
  EXPECT_EQ(
      faults("f: {op: fake.files, tokens: 3}\nr: {op: fake.read, from: f, tokens: {bytes: 1MiB}}\n", "r"),
      "g.yaml:4:39: error: 'f' and 'r' lie in one segment, which 'f' begins, and both set its tokens (those "
      "of 'f' at "
      "g.yaml:3:31); keep one\n");
}

TEST(Tokens, HoldAWindow) {
  const std::string window = "f: {op: fake.files}\nw: {op: fake.shuffle, from: f, with: {window: 1000}";
  EXPECT_GT(planned(window + "}\n", "w").segment("w").cap_items, 1000);
  EXPECT_EQ(
      faults(window + ", tokens: 999}\n", "w"),
      "g.yaml:4:64: error: 'w' holds a window of 1000 records, more than 999 tokens (give at least 1000)\n");
  EXPECT_EQ(faults(window + ", tokens: 1000}\n", "w"), "");
}

TEST(Tokens, HoldABatchForEachOpenGroup) {
  const std::string batch =
      kToCrop + "b: {op: fake.batch, from: c, with: {size: 10, slots: by_size, groups: 4}";
  EXPECT_GE(planned(batch + "}\n", "b").segment("b").cap_items, 4);
  EXPECT_EQ(faults(batch + ", tokens: 3}\n", "b"),
            "g.yaml:7:85: error: 'b' holds 4 batches open at once, more than 3 tokens (give at least 4)\n");
  EXPECT_EQ(faults(batch + ", tokens: {bytes: 1MiB}}\n", "b"),
            "g.yaml:7:93: error: 'b' holds 4 batches open at once, each of 293.05 KiB, more than 1 MiB\n");
  EXPECT_EQ(faults(batch + ", tokens: {bytes: 2MiB}}\n", "b"), "");
}

const std::string kFork =
    "w: {op: fake.shuffle, from: d, with: {window: 1000}}\n"
    "x: {op: fake.flip, from: d}\n"
    "z: {op: fake.zip, from: [w, x]}\n";

TEST(Retention, MakesTheShuffledBranchOfAJoinItsLeader) {
  const std::string source =
      "f: {op: fake.files}\nr: {op: fake.read, from: f}\nd: {op: fake.decode, from: r}\n";
  EXPECT_EQ(planned(source + kFork, "z").plan->frames.back().leader, 0U);
  EXPECT_EQ(planned(source + "w: {op: fake.flip, from: d}\n"
                             "x: {op: fake.shuffle, from: d, with: {window: 10}}\n"
                             "z: {op: fake.zip, from: [w, x]}\n",
                    "z")
                .plan->frames.back()
                .leader,
            1U);
}

TEST(Retention, RefusesAJoinOfBranchesShuffledApart) {
  EXPECT_EQ(faults("f: {op: fake.files}\nr: {op: fake.read, from: f}\nd: {op: fake.decode, from: r}\n"
                   "w: {op: fake.shuffle, from: d, with: {window: 10}}\n"
                   "x: {op: fake.shuffle, from: d, with: {window: 20}}\n"
                   "z: {op: fake.zip, from: [w, x]}\n",
                   "z"),
            "g.yaml:8:3: error: 'z' could wait for ever: more than one of its branches is shuffled by itself "
            "(shuffle before the fork, or one branch only)\n");
}

TEST(Retention, RefusesAForkThatWouldDeadlock) {
  EXPECT_EQ(
      faults("f: {op: fake.files, tokens: 64}\nr: {op: fake.read, from: f}\nd: {op: fake.decode, from: r}\n" +
                 kFork,
             "z"),
      "g.yaml:3:31: error: 'z' would wait for ever: 'w' gives its first record after 1001, but the other "
      "branch can hold no more "
      "than 64 of them (give 'f' at least 1001 tokens)\n");
  EXPECT_EQ(
      faults(
          "f: {op: fake.files, tokens: 1001}\nr: {op: fake.read, from: f}\nd: {op: fake.decode, from: r}\n" +
              kFork,
          "z"),
      "");
}

TEST(Retention, RaisesCapsThatAreNotGiven) {
  const Planned p = planned(kToImage + kFork, "z");
  EXPECT_GE(p.segment("f").cap_items, 1001);
}

TEST(Retention, CountsRoomInTheOtherBranch) {
  const std::string fork =
      "w: {op: fake.shuffle, from: d, with: {window: 100}}\n"
      "v: {op: fake.upload, from: d, tokens: 80}\n"
      "z: {op: fake.zip, from: [w, v]}\n";
  const std::string chain = "r: {op: fake.read, from: f}\nd: {op: fake.decode, from: r}\n" + fork;
  // 101 records must enter: 80 find room behind v, 21 keep a token of f.
  EXPECT_EQ(faults("f: {op: fake.files, tokens: 21}\n" + chain, "z"), "");
  EXPECT_NE(
      faults("f: {op: fake.files, tokens: 20}\n" + chain, "z").find("can hold no more than 100 of them"),
      std::string::npos);
}

TEST(Retention, CountsRecordsOfBatches) {
  const std::string fork =
      "a: {op: fake.batch, from: d, with: {size: 8}}\n"
      "w: {op: fake.shuffle, from: a, with: {window: 3}}\n"
      "b: {op: fake.batch, from: d, with: {size: 8}, tokens: 2}\n"
      "z: {op: fake.zip, from: [w, b]}\n";
  const std::string chain = "r: {op: fake.read, from: f}\nd: {op: fake.decode, from: r}\n" + fork;
  // w gives its first batch after 4, that is 32 records; 16 of them find room in b's two batches.
  EXPECT_EQ(faults("f: {op: fake.files, tokens: 16}\n" + chain, "z"), "");
  EXPECT_NE(faults("f: {op: fake.files, tokens: 15}\n" + chain, "z")
                .find("after 32, but the other branch can hold no more than 31"),
            std::string::npos);
}

TEST(Retention, CountsBytesWhereTheyAreKnown) {
  const std::string nodes =
      "o: {op: fake.only, from: f, with: {field: label}}\n"
      "w: {op: fake.shuffle, from: o, with: {window: 100}}\n"
      "z: {op: fake.zip, from: [w, o]}\n";
  // 8 bytes a record, and 4 KiB hold 512 of them; 800 hold 100, one too few.
  EXPECT_EQ(faults("f: {op: fake.files, tokens: {bytes: 4KiB}}\n" + nodes, "z"), "");
  EXPECT_EQ(faults("f: {op: fake.files, tokens: {bytes: 800}}\n" + nodes, "z"),
            "g.yaml:3:39: error: 'z' would wait for ever: 'w' gives its first record after 101, but the "
            "other branch can hold no more "
            "than 100 of them (give 'f' at least 808 B)\n");
}

TEST(Retention, LooksAtTheNearestFork) {
  // The fork lies behind the window, whose records count against its segment.
  const std::string nodes =
      kToImage +
      "w: {op: fake.shuffle, from: d, with: {window: 100}, tokens: 100}\n"
      "a: {op: fake.flip, from: w}\nb: {op: fake.flip, from: w}\nz: {op: fake.zip, from: [a, b]}\n";
  EXPECT_EQ(faults(nodes, "z"), "");
  const std::string two = kToImage +
                          "w: {op: fake.shuffle, from: d, with: {window: 100}, tokens: 104}\n"
                          "a: {op: fake.shuffle, from: w, with: {window: 5}}\nb: {op: fake.flip, from: "
                          "w}\nz: {op: fake.zip, from: [a, b]}\n";
  EXPECT_NE(
      faults(two, "z").find("gives its first record after 6, but the other branch can hold no more than 5"),
      std::string::npos);
}

TEST(Retention, LetsJoinsOfDifferentSourcesBe) {
  EXPECT_EQ(faults("f: {op: fake.files, tokens: 2}\ng: {op: fake.files, tokens: 2}\nw: {op: fake.shuffle, "
                   "from: g, with: {window: 50}}\n"
                   "z: {op: fake.zip, from: [f, w]}\n",
                   "z"),
            "");
}

TEST(Retention, RefusesMergesOfOneFanOut) {
  EXPECT_EQ(
      faults(
          kToImage +
              "a: {op: fake.flip, from: d}\nb: {op: fake.flip, from: d}\nm: {op: fake.mix, from: [a, b]}\n",
          "m"),
      "g.yaml:8:3: error: 'm' would wait for ever: two of its inputs are branches of 'd', and while it takes "
      "from one the other "
      "fills up (give each input a source of its own)\n");
}

}  // namespace
}  // namespace headrace
