// SPDX-License-Identifier: Apache-2.0
//
// How an epoch ends, as the plan works it out: what is dealt in which multiples, which batches get a mask,
// and what is refused since ranks could not stay in step.
#include "runtime/graph/ends.h"

#include <gtest/gtest.h>

#include "tests/runtime/graph/fake_ops.h"

namespace headrace {
namespace {

const std::string kRecords =
    "f: {op: fake.files}\n"
    "r: {op: fake.read, from: f}\n"
    "d: {op: fake.decode, from: r}\n"
    "c: {op: fake.crop, from: d, with: {size: 2}}\n"
    "o: {op: fake.only, from: c, with: {field: image}}\n";
const std::string kTwo = "runtime: {rank: 1, world: 2}\n";

std::string stack(const std::string& last, const std::string& from = "o", int size = 6) {
  return "b: {op: fake.stack, from: " + from + ", with: {size: " + std::to_string(size) + ", last: " + last +
         "}}\n";
}

std::string faults(const std::string& nodes, const std::string& output, const std::string& head = "") {
  return plan_nodes(nodes, output, head).errors;
}

TEST(Ends, DealsWhatTheBatchesOfASourceMakeTogether) {
  const auto dealt = [](const std::string& batches, const std::string& output, const std::string& head) {
    const Planned p = plan_nodes(kRecords + batches, output, head);
    EXPECT_EQ(p.errors, "");
    return std::pair(p.node("f").count.multiple, p.node("f").count.ending);
  };
  EXPECT_EQ(dealt(stack("drop"), "b", ""), std::pair(std::int64_t{1}, Ending::partial));
  EXPECT_EQ(dealt(stack("partial"), "b", ""), std::pair(std::int64_t{1}, Ending::partial));
  EXPECT_EQ(dealt(stack("drop"), "b", kTwo), std::pair(std::int64_t{6}, Ending::drop));
  EXPECT_EQ(dealt(stack("pad"), "b", ""), std::pair(std::int64_t{6}, Ending::pad));
  EXPECT_EQ(dealt(stack("wrap"), "b", kTwo), std::pair(std::int64_t{6}, Ending::wrap));
  EXPECT_EQ(dealt("", "o", kTwo), std::pair(std::int64_t{1}, Ending::drop));
  const std::string twice = stack("pad") + "b2: {op: fake.stack, from: b, with: {size: 4, last: pad}}\n";
  EXPECT_EQ(dealt(twice, "b2", ""), std::pair(std::int64_t{24}, Ending::pad));
}

TEST(Ends, DealsTheCommonMultipleOfAForksBatches) {
  const Planned p = plan_text(
      "version: 1\nruntime: {rank: 0, world: 3}\nnodes:\n"
      "  f: {op: fake.files}\n"
      "  a: {op: fake.stack, from: f, with: {size: 6}}\n"
      "  b: {op: fake.stack, from: f, with: {size: 4}}\n"
      "outputs: {a: {from: a}, b: {from: b}}\n");
  EXPECT_EQ(p.errors, "");
  EXPECT_EQ(p.node("f").count.multiple, 12);
}

TEST(Ends, GivesAMaskWhereRowsMayNotCount) {
  const auto schema = [](const std::string& nodes, const std::string& head) {
    const Planned p = plan_nodes(nodes, "b", head);
    EXPECT_EQ(p.errors, "");
    return p.schema("b");
  };
  const std::string skips = kRecords.substr(0, kRecords.find("c:")) +
                            "c: {op: fake.crop, from: d, with: {size: 2}, on_error: skip}\n"
                            "o: {op: fake.only, from: c, with: {field: image}}\n";
  const std::string plain = "image: uint8[6, 2, 2, 3]";
  const std::string masked = plain + "; mask: bool[6]";
  EXPECT_EQ(schema(kRecords + stack("drop"), ""), plain);
  EXPECT_EQ(schema(kRecords + stack("drop"), kTwo), plain);
  EXPECT_EQ(schema(kRecords + stack("wrap"), kTwo), plain);
  EXPECT_EQ(schema(kRecords + stack("pad"), ""), masked);
  EXPECT_EQ(schema(skips + stack("drop"), ""), plain);
  EXPECT_EQ(schema(skips + stack("drop"), kTwo), masked);
  EXPECT_EQ(schema(skips + stack("wrap"), ""), masked);
  EXPECT_EQ(schema(kRecords + "x: {op: fake.filter, from: o}\n" + stack("drop", "x"), kTwo), masked);
  EXPECT_EQ(schema(kRecords + "x: {op: fake.flip, from: o, on_error: mask}\n" + stack("drop", "x"), ""),
            masked);
  EXPECT_EQ(schema(kRecords + "x: {op: fake.flip, from: o, on_error: mask}\n" + stack("partial", "x"), ""),
            "image: uint8[B, 2, 2, 3]; mask: bool[B]");
}

TEST(Ends, GathersTheMasksOfBatchesThatAreBatchedAgain) {
  const Planned p = plan_nodes(
      kRecords + stack("pad") + "b2: {op: fake.stack, from: b, with: {size: 4, last: pad}}\n", "b2");
  EXPECT_EQ(p.errors, "");
  EXPECT_EQ(p.schema("b2"), "image: uint8[4, 6, 2, 2, 3]; mask: bool[4, 6]");
  for (const Port& port : p.node("b2").reads) EXPECT_NE(port.field, "mask") << "the host gathers it";
}

TEST(Ends, WarnsOfAnOutputThatLeavesTheMaskOut) {
  const auto said = [](const std::string& fields) {
    return plan_text(
               "version: 1\nnodes:\n  f: {op: fake.files}\n"
               "  b: {op: fake.stack, from: f, with: {size: 2, last: pad}}\n"
               "outputs: {o: {from: b, fields: " +
               fields + "}}\n")
        .errors;
  };
  EXPECT_EQ(said("[label]"),
            "g.yaml:5:32: warning: outputs.o leaves out 'mask', which says which rows of 'b' count\n");
  EXPECT_EQ(said("[label, mask]"), "");
}

TEST(Ends, RefusesAMaskThatFindsItsNameTaken) {
  EXPECT_EQ(
      faults(kRecords + "m: {op: fake.keep, from: o, with: {field: image, as: mask}}\n" + stack("pad", "m"),
             "b"),
      "g.yaml:9:3: error: node 'b': its batches get a field 'mask' that says which rows count (last: pad), "
      "and "
      "there is a field 'mask' of 'm' already (write that one under another name)\n");
}

TEST(Ends, RefusesBlankRowsOfUnknownShape) {
  const std::string masks =
      "f: {op: fake.files}\nr: {op: fake.read, from: f}\n"
      "d: {op: fake.decode, from: r, on_error: mask}\n";
  EXPECT_EQ(faults(masks + stack("drop", "d"), "b"),
            "g.yaml:6:3: error: node 'b': a row may have to be left blank (on_error: mask before it keeps "
            "the places "
            "of samples that fail), but the shape of 'image' is known only sample by sample: uint8[H, W, 3] "
            "HWC (bring "
            "it to one shape before the batch, or leave it out)\n");
  EXPECT_EQ(faults(kRecords + stack("pad", "d"), "b").find("known only sample"), std::string::npos)
      << "padding is of real samples";
}

TEST(Ends, RefusesAMaskThatComesToNoBatch) {
  EXPECT_EQ(faults("f: {op: fake.files}\nr: {op: fake.read, from: f, on_error: mask}\n", "r"),
            "g.yaml:4:41: error: 'r' masks what fails, but not all that it gives comes to a batch that could "
            "keep the "
            "place of a sample (batch it, or use skip)\n");
  const std::string expanded =
      kRecords + "e: {op: fake.expand, from: o, on_error: mask}\n" + stack("drop", "e");
  EXPECT_NE(faults(expanded, "b").find("'e' masks what fails"), std::string::npos);
  const std::string grouped = kRecords + "x: {op: fake.flip, from: o, on_error: mask}\n" +
                              "b: {op: fake.batch, from: x, with: {size: 2}}\n";
  EXPECT_NE(faults(grouped, "b").find("'x' masks what fails"), std::string::npos);
}

TEST(Ends, RefusesAShortLastBatchOnSeveralRanks) {
  EXPECT_EQ(faults(kRecords + stack("partial"), "b", kTwo),
            "g.yaml:9:54: error: the last batch of 'b' may be short (last: partial), so that the 2 ranks "
            "would not make "
            "the same number of steps (use drop, pad or wrap, or run it as one rank)\n");
}

TEST(Ends, RefusesWhatCannotKeepRanksInStep) {
  const std::string not_in_step = "so that the 2 ranks would not make the same number of steps";
  for (const auto& [nodes, output, who] : std::vector<std::tuple<std::string, std::string, std::string>>{
           {"e: {op: fake.expand, from: o}\n" + stack("drop", "e"), "b",
            "'e' makes any number of records of one"},
           {"b: {op: fake.batch, from: o, with: {size: 2}}\n", "b", "'b' sorts its records into groups"},
           {"x: {op: fake.filter, from: o}\n", "x", "'x' drops records"},
           {stack("drop") + "x: {op: fake.filter, from: b}\n", "x", "'x' drops records"},
           {"x: {op: fake.flip, from: o, on_error: skip}\n", "x", "'x' skips what fails"},
           {"b: {op: fake.stack, from: o, with: {size: 2}, on_error: skip}\n", "b", "'b' skips what fails"},
       }) {
    const std::string said = faults(kRecords + nodes, output, kTwo);
    EXPECT_NE(said.find(who), std::string::npos) << said;
    EXPECT_NE(said.find(not_in_step), std::string::npos) << said;
    EXPECT_EQ(faults(kRecords + nodes, output), "") << "as one rank it may";
  }
}

TEST(Ends, LosesBeforeABatchAreMadeUpOnSeveralRanks) {
  EXPECT_EQ(
      faults(kRecords + "x: {op: fake.filter, from: o, on_error: skip}\n" + stack("drop", "x"), "b", kTwo),
      "");
}

TEST(Ends, RefusesAMixThatEndsWithTheFirstThatLost) {
  const auto mix = [](const std::string& all, const std::string& filter) {
    return "g: {op: fake.files}\nf: {op: fake.files}\n"
           "x: {op: " +
           filter +
           "}\n"
           "m: {op: fake.mix, from: [g, x], with: {all: " +
           all +
           "}}\n"
           "b: {op: fake.stack, from: m, with: {size: 2, slots: none}}\n";
  };
  EXPECT_NE(
      faults(mix("false", "fake.filter, from: f"), "b", kTwo).find("'m' ends with the first of its inputs"),
      std::string::npos);
  EXPECT_EQ(faults(mix("true", "fake.filter, from: f"), "b", kTwo), "");
}

TEST(Ends, RefusesToWrapWhatHasNoLength) {
  EXPECT_EQ(
      faults(
          "f: {op: fake.files, with: {indexed: false}}\nb: {op: fake.stack, from: f, with: {size: 2, last: "
          "wrap}}\n",
          "b"),
      "g.yaml:4:54: error: 'b' cannot wrap: 'f' is a stream, so nobody knows how much of the next round "
      "would "
      "fill the last batch (use pad)\n");
  EXPECT_NE(faults(kRecords + "e: {op: fake.expand, from: o}\n" + stack("wrap", "e"), "b")
                .find("'b' cannot wrap: 'e' makes any number of records of one"),
            std::string::npos);
  EXPECT_EQ(
      faults(
          "f: {op: fake.files, with: {indexed: false}}\nb: {op: fake.stack, from: f, with: {size: 2, last: "
          "pad}}\n",
          "b", kTwo),
      "");
}

TEST(Ends, RefusesBatchesOfOneSourceThatEndInDifferentWays) {
  const auto two = [](const std::string& a, const std::string& b, const std::string& runtime) {
    return plan_text("version: 1\nruntime: " + runtime +
                     "\nnodes:\n"
                     "  f: {op: fake.files}\n"
                     "  a: {op: fake.stack, from: f, with: {size: 6, last: " +
                     a +
                     "}}\n"
                     "  b: {op: fake.stack, from: f, with: {size: 4, last: " +
                     b +
                     "}}\n"
                     "outputs: {a: {from: a}, b: {from: b}}\n")
        .errors;
  };
  EXPECT_EQ(two("drop", "partial", "{}"), "");
  EXPECT_EQ(two("drop", "pad", "{}"),
            "g.yaml:6:54: error: 'a' and 'b' gather what 'f' gives and end in different ways, drop and pad, "
            "but its "
            "order can go on in one way only (make them alike)\n");
}

TEST(Ends, SamplesOnlyWhatHasAnIndex) {
  EXPECT_EQ(faults("f: {op: fake.files, with: {indexed: false}, sampling: {num_samples: 3}}\n", "f"),
            "g.yaml:3:57: error: 'f' is a stream, of which nobody knows the length: only a source with an "
            "index can "
            "be sampled\n");
  EXPECT_EQ(faults("f: {op: fake.files}\nr: {op: fake.read, from: f, sampling: {repeat: 3}}\n", "r"),
            "g.yaml:4:41: error: 'r' is no source: only a source with an index can be sampled\n");
}

TEST(Ends, AreShownByThePlan) {
  const Planned p = plan_nodes(
      "f: {op: fake.files, sampling: {subset: 0.5, repeat: 2}}\n"
      "b: {op: fake.stack, from: f, with: {size: 4, last: pad}}\n",
      "b", kTwo);
  ASSERT_EQ(p.errors, "");
  const std::string text = print_plan(*p.plan);
  EXPECT_NE(text.find("rank 1 of 2, as the graph's runtime says\n"), std::string::npos) << text;
  EXPECT_NE(
      text.find("fake.files, samples, 0.5 of them, 2 times each, padded to whole batches, each rank takes a "
                "multiple of 4 records\n"),
      std::string::npos)
      << text;
}

}  // namespace
}  // namespace headrace
