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
const std::string kReadOn = "r: {op: fake.read, from: f}\nd: {op: fake.decode, from: r}\n";

/// What is said of a graph whose first node has these keys, the nodes of kReadOn and others.
std::string faults_of_fork(const std::string& keys, const std::string& others) {
  return faults("f: {op: fake.files" + keys + "}\n" + kReadOn + others, "z");
}

TEST(Retention, RefusesAForkThatWouldDeadlock) {
  EXPECT_EQ(faults_of_fork(", tokens: 64", kFork),
            "g.yaml:3:31: error: 'z' would wait for ever: 'w' holds back up to 1000 records, and the segment "
            "that begins with 'f' has "
            "no room for their partners (give 'f' at least 1001 tokens)\n");
  EXPECT_NE(faults_of_fork(", tokens: 1000", kFork), "");
  EXPECT_EQ(faults_of_fork(", tokens: 1001", kFork), "");
}

TEST(Retention, LeavesADroppedRecordAWayPastAFullWindow) {
  const std::string rest = "x: {op: fake.flip, from: d}\nz: {op: fake.zip, from: [w, x]}\n";
  const std::string window = kToImage + "w: {op: fake.shuffle, from: d, with: {window: 10}, tokens: ";
  EXPECT_EQ(faults(window + "11}\n" + rest, "z"), "");
  EXPECT_NE(faults(window + "10}\n" + rest, "z")
                .find("'w' holds a window of 10 records and a dropped one on its way to a join, more than 10 "
                      "tokens (give at least 11)"),
            std::string::npos);
}

TEST(Retention, MakesTheShuffledBranchOfAJoinItsLeader) {
  EXPECT_EQ(
      planned(kToImage + "w: {op: fake.shuffle, from: d, with: {window: 10}}\nx: {op: fake.flip, from: d}\n"
                         "z: {op: fake.zip, from: [w, x]}\n",
              "z")
          .plan->frames.back()
          .leader,
      0U);
  EXPECT_EQ(
      planned(kToImage + "w: {op: fake.flip, from: d}\nx: {op: fake.shuffle, from: d, with: {window: 10}}\n"
                         "z: {op: fake.zip, from: [w, x]}\n",
              "z")
          .plan->frames.back()
          .leader,
      1U);
}

TEST(Retention, RaisesCapsThatAreNotGiven) {
  const Planned p = planned(kToImage + kFork, "z");
  EXPECT_GE(p.segment("f").cap_items, 1001);
  EXPECT_LT(p.segment("z").cap_items, 1000);
}

TEST(Retention, CountsWindowsBehindEachOther) {
  const auto chain = [](int tokens) {
    return faults_of_fork(", tokens: " + std::to_string(tokens),
                          "v: {op: fake.shuffle, from: d, with: {window: 6}}\n"
                          "w: {op: fake.shuffle, from: v, with: {window: 4}}\n"
                          "x: {op: fake.flip, from: d}\n"
                          "z: {op: fake.zip, from: [w, d, x]}\n");
  };
  EXPECT_EQ(chain(11), "");
  EXPECT_NE(chain(10).find("'v' and 'w' hold back up to 10 records"), std::string::npos);
}

TEST(Retention, CountsOpenGroups) {
  // Three batches may be open at once in one branch, while the other one, batching by itself, is up to two
  // ahead.
  const auto fork = [](int tokens) {
    return faults_of_fork("",
                          "a: {op: fake.batch, from: d, with: {size: 8, slots: by_size, groups: 3}}\n"
                          "b: {op: fake.batch, from: d, with: {size: 8}, tokens: " +
                              std::to_string(tokens) +
                              "}\n"
                              "z: {op: fake.zip, from: [a, b]}\n");
  };
  EXPECT_EQ(fork(3), "");
  EXPECT_NE(fork(2).find("'a' holds back up to 2 records"), std::string::npos);
}

TEST(Retention, CountsInBatches) {
  const auto fork = [](const std::string& b) {
    return faults_of_fork(", tokens: 2",
                          "a: {op: fake.batch, from: d, with: {size: 8}}\n"
                          "w: {op: fake.shuffle, from: a, with: {window: 3}}\n"
                          "b: {op: fake.batch, from: d, with: " +
                              b +
                              "}\n"
                              "z: {op: fake.zip, from: [w, b]}\n");
  };
  EXPECT_EQ(fork("{size: 8}, tokens: 4"), "");
  EXPECT_NE(fork("{size: 8}, tokens: 3").find("(give 'b' at least 4 tokens)"), std::string::npos);
  const std::string before =
      "w: {op: fake.shuffle, from: d, with: {window: 20}}\n"
      "a: {op: fake.batch, from: w, with: {size: 8}}\n"
      "b: {op: fake.batch, from: d, with: {size: 8}, tokens: ";
  EXPECT_EQ(faults_of_fork("", before + "4}\nz: {op: fake.zip, from: [a, b]}\n"), "")
      << "20 records are the better part of 3 batches";
  EXPECT_NE(faults_of_fork("", before + "3}\nz: {op: fake.zip, from: [a, b]}\n"), "");
}

TEST(Retention, RefusesBatchesOfDifferentSizesOutOfOneFork) {
  EXPECT_EQ(
      faults_of_fork(
          "",
          "a: {op: fake.batch, from: d, with: {size: 8}}\nb: {op: fake.batch, from: d, with: {size: 4}}\n"
          "z: {op: fake.zip, from: [a, b]}\n"),
      "g.yaml:8:3: error: 'z' would wait for ever: of the records of 'f' one of its inputs makes a batch of "
      "8 and another one of "
      "4, and so gets ahead\n");
}

TEST(Retention, CountsBytesWhereTheyAreKnown) {
  const std::string nodes =
      "o: {op: fake.only, from: f, with: {field: label}}\n"
      "w: {op: fake.shuffle, from: o, with: {window: 100}}\n"
      "z: {op: fake.zip, from: [w, o]}\n";
  // 8 bytes a record: 800 hold 100 of them, one too few.
  EXPECT_EQ(faults("f: {op: fake.files, tokens: {bytes: 4KiB}}\n" + nodes, "z"), "");
  EXPECT_EQ(faults("f: {op: fake.files, tokens: {bytes: 800}}\n" + nodes, "z"),
            "g.yaml:3:39: error: 'z' would wait for ever: 'w' holds back up to 100 records, and the segment "
            "that begins with 'f' has no "
            "room for their partners (give 'f' at least 808 B)\n");
}

TEST(Retention, LooksBehindTheForkOnly) {
  const std::string window = kToImage + "w: {op: fake.shuffle, from: d, with: {window: 100}, tokens: ";
  EXPECT_EQ(faults(window + "100}\na: {op: fake.flip, from: w}\nb: {op: fake.flip, from: w}\nz: {op: "
                            "fake.zip, from: [a, b]}\n",
                   "z"),
            "");
  const std::string behind =
      "a: {op: fake.shuffle, from: w, with: {window: 5}}\nb: {op: fake.flip, from: w}\nz: {op: fake.zip, "
      "from: [a, b]}\n";
  EXPECT_EQ(faults(window + "105}\n" + behind, "z"), "") << "its window and 5 that wait for their partners";
  EXPECT_NE(faults(window + "104}\n" + behind, "z").find("(give 'w' at least 105 tokens)"),
            std::string::npos);
}

TEST(Retention, AddsUpWhatWaitsInSeveralJoins) {
  const auto two = [](int tokens) {
    return plan_text(
               "version: 1\nnodes:\n  f: {op: fake.files, tokens: " + std::to_string(tokens) +
               "}\n"
               "  v: {op: fake.shuffle, from: f, with: {window: 10}}\n  x: {op: fake.zip, from: [v, f]}\n"
               "  w: {op: fake.shuffle, from: f, with: {window: 20}}\n  y: {op: fake.zip, from: [w, f]}\n"
               "outputs: {o: {from: x}, p: {from: y}}\n")
        .errors;
  };
  EXPECT_NE(two(30), "");
  EXPECT_EQ(two(31), "");
}

TEST(Retention, HoldsForJoinsOfDifferentSourcesToo) {
  const auto two = [](int tokens) {
    return faults("f: {op: fake.files, tokens: " + std::to_string(tokens) +
                      "}\ng: {op: fake.files, tokens: 1}\n"
                      "w: {op: fake.shuffle, from: g, with: {window: 50}}\nz: {op: fake.zip, from: [f, w]}\n",
                  "z");
  };
  EXPECT_EQ(two(51), "");
  EXPECT_NE(two(50), "");
  EXPECT_EQ(
      faults(
          "f: {op: fake.files, tokens: 1}\ng: {op: fake.files, tokens: 1}\nz: {op: fake.zip, from: [f, g]}\n",
          "z"),
      "");
}

TEST(Retention, RefusesWhatNoCapCanHold) {
  EXPECT_EQ(
      faults_of_fork("",
                     "w: {op: fake.shuffle, from: d, with: {window: 2}}\na: {op: fake.expand, from: w}\n"
                     "b: {op: fake.expand, from: d}\nz: {op: fake.zip, from: [a, b]}\n"),
      "g.yaml:9:3: error: 'z' would wait for ever: 'w' holds back records that an op after it makes any "
      "number of (put it behind "
      "that op)\n");
}

TEST(Retention, RefusesAShuffledBranchInOrderAny) {
  const std::string any = "runtime: {order: any}\n";
  EXPECT_EQ(faults(kToImage + kFork, "z", any),
            "g.yaml:9:3: error: 'z' would wait for ever at the end of an epoch in order any: 'w' holds back "
            "records until it comes, and "
            "it comes when the segment that begins with 'f', where their partners wait, is empty (use order: "
            "strict)\n");
  EXPECT_EQ(
      faults("f: {op: fake.files}\ng: {op: fake.files}\nw: {op: fake.shuffle, from: g, with: {window: 5}}\n"
             "z: {op: fake.zip, from: [f, w]}\n",
             "z", any),
      "")
      << "its partners come from another source";
}

TEST(Retention, LooksAtEachPathOnce) {
  // Each zip reads the one before it twice: 2^60 paths.
  std::string nodes = "f: {op: fake.files}\nz0: {op: fake.only, from: f, with: {field: label}}\n";
  for (int i = 1; i <= 60; ++i) {
    const std::string below = "z" + std::to_string(i - 1);
    nodes += "y" + std::to_string(i) + ": {op: fake.only, from: " + below + ", with: {field: label}}\n";
    nodes +=
        "x" + std::to_string(i) + ": {op: fake.zip, from: [" + below + ", y" + std::to_string(i) + "]}\n";
    nodes += "w" + std::to_string(i) + ": {op: fake.keep, from: x" + std::to_string(i) +
             ", with: {field: label_0, as: label}}\n";
    nodes += "z" + std::to_string(i) + ": {op: fake.only, from: w" + std::to_string(i) +
             ", with: {field: label}}\n";
  }
  EXPECT_EQ(faults(nodes, "z60"), "");
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
