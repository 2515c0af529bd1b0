// SPDX-License-Identifier: Apache-2.0
//
// Names, edges and fields: what the check says of a graph, all of it at once.

#include "runtime/graph/check.h"

#include <gtest/gtest.h>

#include "tests/runtime/graph/fake_ops.h"

namespace headrace {
namespace {

const std::string kToImage =
    "f: {op: fake.files}\nr: {op: fake.read, from: f}\nd: {op: fake.decode, from: r}\n";

std::string faults(const std::string& nodes, const std::string& output) {
  return plan_nodes(nodes, output).errors;
}

TEST(Check, OrdersNodesSourcesFirst) {
  const Planned p = plan_nodes(
      "z: {op: fake.zip, from: [b, c]}\n"
      "c: {op: fake.read, from: g}\n"
      "b: {op: fake.read, from: f}\n"
      "g: {op: fake.files}\n"
      "f: {op: fake.files}\n",
      "z");
  ASSERT_EQ(p.errors, "");
  std::vector<std::string> names;
  for (const PlanNode& node : p.plan->nodes) names.push_back(node.name);
  EXPECT_EQ(names, (std::vector<std::string>{"g", "f", "c", "b", "z"}));
  EXPECT_EQ(p.node("z").from, (std::vector<std::size_t>{3, 2}));
  EXPECT_EQ(p.node("g").readers, (std::vector<std::size_t>{2}));
  EXPECT_STREQ(p.node("z").c.name, "z");
  EXPECT_EQ(p.node("z").c.name, p.node("z").name.c_str()) << "the op's view points into the plan's node";
}

TEST(Check, FindsTheNearestOp) {
  EXPECT_EQ(faults("f: {op: fake.flies}", "f"),
            "g.yaml:3:11: error: there is no op 'fake.flies' (did you mean 'fake.files'?)\n");
  EXPECT_EQ(faults("f: {op: files}", "f"),
            "g.yaml:3:11: error: there is no op 'files' (did you mean 'fake.files'?)\n");
  EXPECT_EQ(
      faults("f: {op: nonsense}", "f"),
      "g.yaml:3:11: error: there is no op 'nonsense' (an op is named plugin.op, such as image.decode)\n");
  EXPECT_EQ(faults("f: {op: acme.flies}", "f"),
            "g.yaml:3:11: error: there is no op 'acme.flies', since no plugin 'acme' is loaded (list it "
            "under plugins)\n");
  EXPECT_EQ(faults("f: {op: fake.telescope}", "f"), "g.yaml:3:11: error: there is no op 'fake.telescope'\n");
}

TEST(Check, SaysWhyAPluginsOpsAreMissing) {
  EXPECT_EQ(faults("f: {op: worn.blur}", "f"),
            "g.yaml:3:11: error: there is no op 'worn.blur': the plugin /plugins/worn.so was refused: it is "
            "built for plugin "
            "ABI 0\n");
}

TEST(Check, SaysThatAListedPluginCouldNotBeLoaded) {
  EXPECT_EQ(plan_nodes("f: {op: acme.blur}", "f", "plugins: [./build/acme.so]\n").errors,
            "g.yaml:4:11: error: there is no op 'acme.blur', since the plugin 'acme' could not be loaded\n");
}

TEST(Check, FindsTheNearestNode) {
  EXPECT_EQ(faults("files: {op: fake.files}\nread: {op: fake.read, from: flies}", "raed"),
            "g.yaml:4:31: error: there is no node 'flies' (did you mean 'files'?)\n"
            "g.yaml:6:15: error: there is no node 'raed' (did you mean 'read'?)\n");
  EXPECT_EQ(faults("files: {op: fake.files}\nread: {op: fake.read, from: x}", "read"),
            "g.yaml:3:3: error: nobody reads node 'files' (have a node or an output read it, or remove it)\n"
            "g.yaml:4:31: error: there is no node 'x' (allowed: files, read)\n");
}

TEST(Check, RefusesNodesThatNobodyReads) {
  EXPECT_EQ(
      faults(kToImage + "c: {op: fake.crop, from: d, with: {size: 3}}\ne: {op: fake.boxes, from: c}", "d"),
      "g.yaml:7:3: error: nobody reads node 'e' (have a node or an output read it, or remove it)\n");
}

TEST(Check, CountsInputs) {
  EXPECT_EQ(faults("f: {op: fake.files, from: g}\ng: {op: fake.files}", "f"),
            "g.yaml:3:29: error: fake.files is a source and reads no node (remove from)\n");
  EXPECT_EQ(faults("r: {op: fake.read}", "r"),
            "g.yaml:3:3: error: fake.read reads 1 node, not 0 (write from)\n");
  EXPECT_EQ(faults("f: {op: fake.files}\ng: {op: fake.files}\nr: {op: fake.read, from: [f, g]}", "r"),
            "g.yaml:5:28: error: fake.read reads 1 node, not 2\n");
  EXPECT_EQ(faults("f: {op: fake.files}\nz: {op: fake.zip, from: f}", "z"),
            "g.yaml:4:27: error: fake.zip reads at least 2 nodes, not 1\n");
}

TEST(Check, FindsCircles) {
  EXPECT_EQ(faults("f: {op: fake.files}\nz: {op: fake.zip, from: [f, b]}\na: {op: fake.flip, from: z}\nb: "
                   "{op: fake.flip, from: a}\n"
                   "c: {op: fake.flip, from: c}\nd: {op: fake.flip, from: c}",
                   "d"),
            "g.yaml:4:27: error: nodes read each other in a circle: z -> a -> b -> z\n"
            "g.yaml:7:28: error: nodes read each other in a circle: c -> c\n");
}

TEST(Check, MissesFieldsAndNamesTheNearest) {
  EXPECT_EQ(faults("f: {op: fake.files}\nd: {op: fake.decode, from: f}", "d"),
            "g.yaml:4:30: error: node 'd' reads the field 'bytes', which 'f' does not give (it gives path, "
            "label)\n");
  EXPECT_EQ(faults(kToImage + "e: {op: fake.decode, from: d, with: {field: imgae}}", "e"),
            "g.yaml:6:47: error: node 'e' reads the field 'imgae', which 'd' does not give (did you mean "
            "'image'?)\n");
}

TEST(Check, LetsOpsObject) {
  EXPECT_EQ(faults(kToImage + "c: {op: fake.crop, from: d, with: {size: 13}}", "c"),
            "g.yaml:6:44: error: c.with.size: 13 brings bad luck\n");
}

TEST(Check, ChecksOutputs) {
  EXPECT_EQ(plan_text("version: 1\nnodes: {f: {op: fake.files}}\noutputs: {o: {from: f, fields: [path, "
                      "lable]}, p: {from: g}}\n")
                .errors,
            "g.yaml:3:39: error: outputs.o wants the field 'lable', which 'f' does not give (did you mean "
            "'label'?)\n"
            "g.yaml:3:58: error: there is no node 'g' (allowed: f)\n");
}

TEST(Check, ResolvesOutputs) {
  const Planned p = plan_text(
      "version: 1\nnodes: {f: {op: fake.files}}\noutputs: {o: {from: f}, p: {from: f, fields: [label], "
      "prefetch: 7}}\n");
  ASSERT_EQ(p.errors, "");
  EXPECT_EQ(p.plan->outputs[0].fields, (std::vector<std::string>{"path", "label"}));
  EXPECT_EQ(p.plan->outputs[0].prefetch, 2);
  EXPECT_EQ(p.plan->outputs[1].fields, (std::vector<std::string>{"label"}));
  EXPECT_EQ(p.plan->outputs[1].prefetch, 7);
}

TEST(Check, RefusesConcurrencyOfSerialOps) {
  EXPECT_EQ(faults(kToImage + "s: {op: fake.serial, from: d, concurrency: 2}", "s"),
            "g.yaml:6:46: error: fake.serial takes one call at a time: s.concurrency must be 1, not 2\n");
  EXPECT_EQ(faults(kToImage + "s: {op: fake.serial, from: d, concurrency: 1}", "s"), "");
}

TEST(Check, ReportsEverythingAtOnceAndNothingTwice) {
  // What stands behind a fault is not heard, but its parameters are bound.
  EXPECT_EQ(faults("f: {op: fake.files, with: {shuffle: 3}}\n"
                   "r: {op: fake.read, from: f}\n"
                   "d: {op: fake.decode, from: r, with: {feild: x}}\n"
                   "c: {op: fake.crop, from: d, with: {size: \"${vars.gone}\"}}\n"
                   "n: {op: fake.nrom, from: c}\n",
                   "m"),
            "g.yaml:3:39: error: f.with.shuffle must be true or false, not the integer 3\n"
            "g.yaml:5:40: error: unknown key 'feild' in d.with (did you mean 'field'?)\n"
            "g.yaml:6:44: error: ${vars.gone}: vars has no 'gone'\n"
            "g.yaml:7:3: error: nobody reads node 'n' (have a node or an output read it, or remove it)\n"
            "g.yaml:7:11: error: there is no op 'fake.nrom' (did you mean 'fake.norm'?)\n"
            "g.yaml:9:15: error: there is no node 'm' (allowed: f, r, d, c, n)\n");
}

TEST(Check, DoesNotCallNodesUnreadWhenAReaderIsUnknown) {
  EXPECT_EQ(faults("f: {op: fake.files}\nr: {op: fake.read, from: \"${vars.x}\"}", "r"),
            "g.yaml:4:28: error: ${vars.x}: vars has no 'x'\n");
}

TEST(Schema, FollowsTheFieldsAlongTheEdges) {
  const Planned p = plan_nodes(kToImage +
                                   "c: {op: fake.crop, from: d, with: {size: 8}}\n"
                                   "n: {op: fake.norm, from: c}\n"
                                   "b: {op: fake.batch, from: n, with: {size: 4}}\n",
                               "b");
  ASSERT_EQ(p.errors, "");
  EXPECT_EQ(p.schema("f"), "path: string; label: int64");
  EXPECT_EQ(p.schema("r"), "path: string; label: int64; bytes: bytes");
  EXPECT_EQ(p.schema("d"), "path: string; label: int64; bytes: bytes; image: uint8[H, W, 3] HWC");
  EXPECT_EQ(p.schema("c"), "path: string; label: int64; bytes: bytes; image: uint8[8, 8, 3] HWC");
  EXPECT_EQ(p.schema("n"), "path: string; label: int64; bytes: bytes; image: float32[3, 8, 8] CHW");
  EXPECT_EQ(p.schema("b"),
            "path: list of strings; label: int64[4]; bytes: list of bytes; image: float32[4, 3, 8, 8]");
}

TEST(Schema, DropsWhatIsRemovedAndWhatNobodyReads) {
  const Planned p = plan_nodes(
      kToImage +
          "o: {op: fake.only, from: d, with: {field: image}}\nc: {op: fake.crop, from: o, with: {size: 8}}\n",
      "c");
  ASSERT_EQ(p.errors, "");
  EXPECT_EQ(p.schema("o"), "image: uint8[H, W, 3] HWC");
  EXPECT_EQ(p.schema("d"), "(path: string); (label: int64); (bytes: bytes); image: uint8[H, W, 3] HWC");
  EXPECT_EQ(p.schema("r"), "(path: string); (label: int64); bytes: bytes");
  EXPECT_EQ(p.schema("f"), "path: string; (label: int64)");
}

TEST(Schema, OfAnOutputsFieldsAloneIsLive) {
  const Planned p = plan_text(
      "version: 1\nnodes:\n  f: {op: fake.files}\n  r: {op: fake.read, from: f}\noutputs: {o: {from: r, "
      "fields: [bytes]}}\n");
  ASSERT_EQ(p.errors, "");
  EXPECT_EQ(p.schema("r"), "(path: string); (label: int64); bytes: bytes");
  EXPECT_EQ(p.schema("f"), "path: string; (label: int64)");
}

TEST(Schema, OfAJoinHasWhatItTakes) {
  const Planned p = plan_nodes(
      kToImage +
          "a: {op: fake.flip, from: d}\nb: {op: fake.boxes, from: d}\nz: {op: fake.zip, from: [a, b]}\n"
          "k: {op: fake.only, from: z, with: {field: image_1}}",
      "k");
  ASSERT_EQ(p.errors, "");
  EXPECT_EQ(p.schema("z"),
            "(path_0: string); (label_0: int64); (bytes_0: bytes); (image_0: uint8[H, W, 3] HWC); (path_1: "
            "string); (label_1: "
            "int64); (bytes_1: bytes); image_1: uint8[H2, W2, 3] HWC; (boxes: float32[4])");
  EXPECT_EQ(p.schema("a"), "(path: string); (label: int64); (bytes: bytes); (image: uint8[H, W, 3] HWC)");
  EXPECT_EQ(p.schema("b"),
            "(path: string); (label: int64); (bytes: bytes); image: uint8[H, W, 3] HWC; (boxes: float32[4])");
}

TEST(Schema, OfAMergeCoversItsInputs) {
  const std::string two = kToImage +
                          "g: {op: fake.files}\ns: {op: fake.read, from: g}\ne: {op: fake.decode, from: s}\n"
                          "c: {op: fake.crop, from: d, with: {size: 8}}\n"
                          "k: {op: fake.crop, from: e, with: {size: 9}}\n";
  const Planned p = plan_nodes(two + "m: {op: fake.mix, from: [c, k]}", "m");
  ASSERT_EQ(p.errors, "");
  EXPECT_EQ(p.schema("m"), "path: string; label: int64; bytes: bytes; image: uint8[?, ?, 3] HWC");
  EXPECT_EQ(plan_nodes(two + "n: {op: fake.norm, from: k}\nm: {op: fake.mix, from: [c, n]}", "m").errors,
            "g.yaml:12:3: error: node 'm': the field 'image' is uint8[8, 8, 3] HWC from 'c' and float32[3, "
            "9, 9] CHW from 'n' "
            "(make them alike)\n");
  EXPECT_EQ(plan_nodes(two + "m: {op: fake.mix, from: [c, k], with: {half: true}}", "m").errors.substr(0, 92),
            "g.yaml:11:3: error: node 'm': op fake.mix is at fault: it takes the field 'path' from 1 of i");
}

TEST(Declare, RefusesOpsThatBreakTheRules) {
  const auto fault = [](const std::string& how) {
    return faults("f: {op: fake.files}\nb: {op: fake.broken, from: f, with: {how: " + how + "}}", "b");
  };
  const std::string start = "g.yaml:4:3: error: node 'b': op fake.broken is at fault: ";
  EXPECT_EQ(fault("silent"), start + "it refuses this place in the graph without a reason\n");
  EXPECT_EQ(fault("throws"), "g.yaml:4:3: error: node 'b': it fell over\n");
  EXPECT_EQ(fault("input"), start + "it reads from input 3, of 1\n");
  EXPECT_EQ(fault("twice"), start + "it writes the field 'x' twice\n");
  EXPECT_EQ(fault("nameless"), start + "it writes a field without a name\n");
  EXPECT_EQ(fault("dtype"), start + "it writes a field 'x' of a dtype that is none\n");
  EXPECT_EQ(fault("dims"), start + "it writes a field 'x' with a negative dimension\n");
  EXPECT_EQ(fault("indexed"), start + "it calls itself indexed, which only a source may\n");
  EXPECT_EQ(fault("runs"), start + "it runs in a place that is none\n");
  EXPECT_EQ(fault("take"), start + "it takes fields, which only joins and merges can\n");
  EXPECT_EQ(fault("port"), start + "it declares a port that it has not\n");
  EXPECT_EQ(fault("empty"), start + "it gives no field\n");
}

TEST(Declare, ChecksBatchesAndWindows) {
  EXPECT_EQ(faults("f: {op: fake.files}\nw: {op: fake.shuffle, from: f, with: {window: 0}}", "w"),
            "g.yaml:4:3: error: node 'w': op fake.shuffle is at fault: its window must hold from 1 to 2^31 "
            "records\n");
  EXPECT_EQ(faults("f: {op: fake.files}\nw: {op: fake.batch, from: f, with: {size: 2, groups: 0}}", "w"),
            "g.yaml:4:3: error: node 'w': op fake.batch is at fault: it must hold at least 1 group open\n");
  EXPECT_EQ(faults("f: {op: fake.files, with: {indexed: false, shuffle: true}}", "f"),
            "g.yaml:3:3: error: node 'f': op fake.files is at fault: it wants its order shuffled, which "
            "needs an indexed source\n");
}

TEST(Field, SaysItsSize) {
  Field field;
  field.dims = {2, 3, 4};
  field.dim_names = {"", "", ""};
  field.dtype = HEADRACE_FLOAT32;
  EXPECT_EQ(field.known_bytes(), 96);
  field.dims[1] = -1;
  EXPECT_EQ(field.known_bytes(), -1);
  field.dims = {};
  EXPECT_EQ(field.known_bytes(), 4);
  field.dims = {std::int64_t{1} << 40, std::int64_t{1} << 40};
  EXPECT_EQ(field.known_bytes(), -1);
  field.dims = {0, 5};
  EXPECT_EQ(field.known_bytes(), 0);
  field.kind = HEADRACE_BYTES;
  field.bound_bytes = 7;
  EXPECT_EQ(field.known_bytes(), -1);
}

}  // namespace
}  // namespace headrace
