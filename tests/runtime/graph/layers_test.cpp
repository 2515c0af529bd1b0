// SPDX-License-Identifier: Apache-2.0
//
// include < file < profile < --set, from files that exist in memory only.

#include <gtest/gtest.h>

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "runtime/graph/load.h"
#include "tests/runtime/graph/fake_files.h"

namespace headrace {
namespace {

const char* const kGraph =
    "version: 1\n"
    "vars: {batch: 256, root: photos}\n"
    "runtime: {threads: 4, seed: 1}\n"
    "nodes:\n"
    "  files: {op: source.files, with: {root: \"${vars.root}\", shuffle: true}}\n"
    "  batch: {op: batch.stack, from: files, with: {size: \"${vars.batch}\"}, tokens: 4}\n"
    "outputs:\n"
    "  train: {from: batch}\n"
    "profiles:\n"
    "  debug: {vars: {batch: 8}, runtime: {threads: 1}}\n"
    "  fast: {runtime: {fuse: true}, nodes: {batch: {tokens: {items: 9}}}}\n";

GraphSpec parsed(FakeFiles& fake) {
  auto spec = fake.parse();
  EXPECT_EQ(fake.errors(), "");
  EXPECT_TRUE(spec.has_value());
  return spec ? std::move(*spec) : GraphSpec();
}

std::string faults(FakeFiles& fake) {
  fake.parse();
  return fake.errors();
}

const NodeSpec& node(const GraphSpec& spec, const std::string& name) {
  for (const NodeSpec& candidate : spec.nodes) {
    if (candidate.name == name) return candidate;
  }
  ADD_FAILURE() << "no node " << name;
  return spec.nodes.front();
}

TEST(Profile, ChangesWhatItNamesAndNothingElse) {
  FakeFiles fake;
  fake.files["g.yaml"] = kGraph;
  fake.profile = "debug";
  const GraphSpec spec = parsed(fake);
  EXPECT_EQ(node(spec, "batch").with.find("size")->as_integer(), 8);
  EXPECT_EQ(spec.runtime.threads, 1);
  EXPECT_EQ(spec.runtime.seed, 1U);
  EXPECT_EQ(node(spec, "batch").tokens->items->value, 4);
}

TEST(Profile, ReplacesWhatIsNoMap) {
  FakeFiles fake;
  fake.files["g.yaml"] = kGraph;
  fake.profile = "fast";
  const GraphSpec spec = parsed(fake);
  EXPECT_EQ(node(spec, "batch").tokens->items->value, 9);
  EXPECT_EQ(to_string(node(spec, "batch").tokens->items->where), "g.yaml:11:65");
  EXPECT_EQ(node(spec, "batch").op.name, "batch.stack");
}

TEST(Profile, MustExist) {
  FakeFiles fake;
  fake.files["g.yaml"] = kGraph;
  fake.profile = "debgu";
  EXPECT_EQ(faults(fake), "g.yaml:10:3: error: the graph has no profile 'debgu' (did you mean 'debug'?)\n");
  FakeFiles bare;
  bare.files["g.yaml"] = "version: 1\nnodes: {a: {op: x.y}}\noutputs: {o: {from: a}}\n";
  bare.profile = "debug";
  EXPECT_EQ(faults(bare), "g.yaml:1:1: error: the graph has no profile 'debug'\n");
}

TEST(Profile, IsCheckedEvenWhenNobodyChoseIt) {
  FakeFiles fake;
  fake.files["g.yaml"] =
      "version: 1\n"
      "vars: {batch: 3}\n"
      "nodes: {a: {op: x.y}}\n"
      "outputs: {o: {from: a}}\n"
      "profiles:\n"
      "  one: {vars: {bacth: 8}, runtime: {thraeds: 1}, nodes: {a: {wth: {}}, b: {from: a}}, include: x}\n"
      "  two: {outputs: {o: {prefetch: 0}}, runtime: {seed: \"${env:UNSET}\"}}\n"
      "  three: 3\n"
      "  four:\n";
  EXPECT_EQ(
      faults(fake),
      "g.yaml:6:16: warning: profiles.one sets the var 'bacth', which the graph does not have (did you mean "
      "'batch'?)\n"
      "g.yaml:6:37: error: unknown key 'thraeds' in runtime (did you mean 'threads'?)\n"
      "g.yaml:6:62: error: unknown key 'wth' in a (did you mean 'with'?)\n"
      "g.yaml:6:72: error: node 'b' has no op\n"
      "g.yaml:6:87: error: unknown key 'include' in profiles.one (allowed: name, vars, plugins, runtime, "
      "nodes, outputs)\n"
      "g.yaml:7:33: error: outputs.o.prefetch must be an integer from 1 to 1000000, not the integer 0\n"
      "g.yaml:8:10: error: profiles.three must be a map, not the integer 3\n");
}

TEST(Profile, MayCompleteAGraphThatIsNothingWithoutIt) {
  FakeFiles fake;
  fake.files["g.yaml"] =
      "version: 1\n"
      "nodes: {a: {from: b}, b: {op: x.b}}\n"
      "outputs: {o: {from: a}}\n"
      "profiles: {p: {nodes: {a: {op: x.a}}}, q: {nodes: {a: {op: x.q}}}}\n";
  fake.profile = "p";
  EXPECT_EQ(node(parsed(fake), "a").op.name, "x.a");
}

TEST(Set, WinsOverTheProfile) {
  FakeFiles fake;
  fake.files["g.yaml"] = kGraph;
  fake.profile = "debug";
  fake.sets = {"vars.batch=16", "vars.batch=32", "nodes.batch.with.last=drop", "runtime.memory=1GiB"};
  const GraphSpec spec = parsed(fake);
  EXPECT_EQ(node(spec, "batch").with.find("size")->as_integer(), 32) << "the last one counts";
  EXPECT_EQ(node(spec, "batch").with.find("last")->as_string(), "drop");
  EXPECT_EQ(spec.runtime.memory_bytes->value, 1 << 30);
  EXPECT_EQ(to_string(spec.runtime.memory_bytes->where), "--set runtime.memory");
}

TEST(Set, ReadsItsRightSideAsYaml) {
  FakeFiles fake;
  fake.files["g.yaml"] = kGraph;
  fake.sets = {"nodes.batch.with.scale=[0.08, 1.0]", "nodes.batch.tokens={items: 3}", "vars.root=2012",
               "nodes.batch.with.note=\"${graph_dir}/x\"", "nodes.files.with.eq=a=b"};
  const GraphSpec spec = parsed(fake);
  EXPECT_EQ(node(spec, "batch").with.find("scale")->items()[0].as_real(), 0.08);
  EXPECT_EQ(node(spec, "batch").tokens->items->value, 3);
  EXPECT_EQ(node(spec, "files").with.find("root")->as_string(), "2012") << "a number may stand for text here";
  EXPECT_EQ(node(spec, "batch").with.find("note")->as_string(), "./x");
  EXPECT_EQ(node(spec, "files").with.find("eq")->as_string(), "a=b");
}

TEST(Set, TakesAwayWithNull) {
  FakeFiles fake;
  fake.files["g.yaml"] = kGraph;
  fake.sets = {"nodes.batch.tokens=null", "runtime.seed="};
  const GraphSpec spec = parsed(fake);
  EXPECT_FALSE(node(spec, "batch").tokens.has_value());
  EXPECT_EQ(spec.runtime.seed, 0U);
}

TEST(Set, AddsNoNodeAndNoVar) {
  FakeFiles fake;
  fake.files["g.yaml"] = kGraph;
  fake.sets = {"nodes.bacth.with.size=3", "vars.rot=x", "outputs.x.prefetch=1", "vars.zzz=1"};
  EXPECT_EQ(faults(fake),
            "--set nodes.bacth.with.size: error: the graph has no node 'bacth' (did you mean 'batch'?)\n"
            "--set outputs.x.prefetch: error: the graph has no output 'x' (allowed: train)\n"
            "--set vars.rot: error: the graph has no var 'rot' (did you mean 'root'?)\n"
            "--set vars.zzz: error: the graph has no var 'zzz' (allowed: batch, root)\n");
}

TEST(Set, NamesItselfAsThePlaceOfAMistake) {
  FakeFiles fake;
  fake.files["g.yaml"] = kGraph;
  fake.sets = {"runtime.threads=many",
               "nodes.batch.wth.size=1",
               "foo",
               "=3",
               "a..b=1",
               "nodes.batch.op.x=3",
               "nodes.batch.tokens.bytes=3",
               "profiles.debug=3",
               "include=x",
               "runtime.order=[",
               "colour=red"};
  EXPECT_EQ(
      faults(fake),
      "--set : error: expected PATH=VALUE, such as nodes.crop.with.size=224\n"
      "--set a..b: error: expected PATH=VALUE, such as nodes.crop.with.size=224\n"
      "--set colour: error: unknown key 'colour' in the graph (allowed: version, name, vars, plugins, "
      "runtime, "
      "nodes, outputs, include, profiles)\n"
      "--set foo: error: expected PATH=VALUE, such as nodes.crop.with.size=224\n"
      "--set include: error: include cannot be set\n"
      "--set nodes.batch.op.x: error: nodes.batch.op is the text 'batch.stack', which has no 'x' to set (set "
      "it "
      "as a whole)\n"
      "--set nodes.batch.tokens.bytes: error: nodes.batch.tokens is the integer 4, which has no 'bytes' to "
      "set "
      "(set it as a whole)\n"
      "--set nodes.batch.wth.size: error: unknown key 'wth' in batch (did you mean 'with'?)\n"
      "--set profiles.debug: error: profiles cannot be set\n"
      "--set runtime.order: error: cannot read '[' as a value (for text, quote it: --set "
      "runtime.order='\"[\"')\n"
      "--set runtime.threads: error: runtime.threads must be auto or an integer from 1 to 1024, not the text "
      "'many'\n");
}

TEST(Include, LiesBelowTheFile) {
  FakeFiles fake;
  fake.files["dir/g.yaml"] =
      "version: 1\n"
      "include: [parts/nodes.yaml, parts/run.yaml]\n"
      "runtime: {threads: 2}\n"
      "nodes:\n"
      "  b: {with: {size: 2}}\n"
      "  c: {op: x.c, from: b}\n"
      "outputs: {o: {from: c}}\n";
  fake.files["dir/parts/nodes.yaml"] =
      "nodes:\n"
      "  a: {op: x.a}\n"
      "  b: {op: x.b, from: a, with: {size: 1, name: n}}\n";
  fake.files["dir/parts/run.yaml"] = "runtime: {threads: 8, seed: 7}\n";
  const auto spec = fake.parse("dir/g.yaml");
  EXPECT_EQ(fake.errors(), "");
  ASSERT_TRUE(spec);
  EXPECT_EQ(spec->runtime.threads, 2);
  EXPECT_EQ(spec->runtime.seed, 7U);
  ASSERT_EQ(spec->nodes.size(), 3U);
  EXPECT_EQ(spec->nodes[0].name, "a");
  EXPECT_EQ(spec->nodes[1].with.find("size")->as_integer(), 2);
  EXPECT_EQ(spec->nodes[1].with.find("name")->as_string(), "n");
  EXPECT_EQ(to_string(spec->nodes[1].where), "dir/parts/nodes.yaml:3:3");
  EXPECT_EQ(to_string(spec->nodes[1].with.find("size")->where()), "dir/g.yaml:5:20");
  EXPECT_EQ(spec->nodes[2].name, "c");
}

TEST(Include, OfSeveralFilesLetsTheLaterOneWin) {
  FakeFiles fake;
  fake.files["g.yaml"] =
      "version: 1\ninclude: [one.yaml, two.yaml]\nnodes: {a: {op: x.y}}\noutputs: {o: {from: a}}\n";
  fake.files["one.yaml"] = "name: one\nruntime: {seed: 1}\n";
  fake.files["two.yaml"] = "name: two\ninclude: one.yaml\n";
  const GraphSpec spec = parsed(fake);
  EXPECT_EQ(spec.name, "two");
  EXPECT_EQ(spec.runtime.seed, 1U);
}

TEST(Include, OfItselfIsRefused) {
  FakeFiles fake;
  fake.files["d/g.yaml"] =
      "version: 1\ninclude: ../d/a.yaml\nnodes: {a: {op: x.y}}\noutputs: {o: {from: a}}\n";
  fake.files["d/a.yaml"] = "include: b.yaml\n";
  fake.files["d/b.yaml"] = "include: [a.yaml, ./g.yaml]\n";
  fake.parse("d/g.yaml");
  EXPECT_EQ(fake.errors(),
            "d/b.yaml:1:11: error: 'd/a.yaml' includes itself\n"
            "d/b.yaml:1:19: error: 'd/g.yaml' includes itself\n");
}

TEST(Include, ThatCannotBeReadIsNamedWhereItIsWritten) {
  FakeFiles fake;
  fake.files["d/g.yaml"] =
      "version: 1\n"
      "include: [gone.yaml, broken.yaml, list.yaml, empty.yaml, v2.yaml, 3, \"${vars.x}\", \"${env:NOPE}\"]\n"
      "nodes: {a: {op: x.y}}\noutputs: {o: {from: a}}\n";
  fake.files["d/broken.yaml"] = "a: [\n";
  fake.files["d/list.yaml"] = "- a\n";
  fake.files["d/empty.yaml"] = "\n";
  fake.files["d/v2.yaml"] = "version: 2\n";
  fake.parse("d/g.yaml");
  EXPECT_EQ(
      fake.errors(),
      "d/broken.yaml:1:4: error: this '[' is never closed\n"
      "d/empty.yaml:1:1: error: the file is empty\n"
      "d/g.yaml:2:11: error: cannot include 'd/gone.yaml': No such file or directory\n"
      "d/g.yaml:2:67: error: include must be a file or a list of files, not the integer 3\n"
      "d/g.yaml:2:70: error: an include cannot hold ${vars...}, which are known once all files are read\n"
      "d/g.yaml:2:83: error: the environment variable NOPE is not set (set it, or write a default: "
      "${env:NOPE:-...})\n"
      "d/list.yaml:1:1: error: the graph must be a map, not a list\n"
      "d/v2.yaml:1:10: error: version must be 1, not the integer 2\n");
}

TEST(Include, MayBeNamedByTheEnvironmentAndByAnAbsolutePath) {
  FakeFiles fake;
  fake.files["d/g.yaml"] =
      "version: 1\ninclude: [\"${env:SITE:-site}.yaml\", /etc/x.yaml]\nnodes: {a: {op: x.y}}\noutputs: {o: "
      "{from: a}}\n";
  fake.files["d/berlin.yaml"] = "runtime: {seed: 1}\n";
  fake.files["/etc/x.yaml"] = "runtime: {threads: 3}\n";
  fake.environment["SITE"] = "berlin";
  const auto spec = fake.parse("d/g.yaml");
  EXPECT_EQ(fake.errors(), "");
  EXPECT_EQ(spec->runtime.seed, 1U);
  EXPECT_EQ(spec->runtime.threads, 3);
}

TEST(Include, HasABoundOnItsDepth) {
  FakeFiles fake;
  fake.files["g.yaml"] = "version: 1\ninclude: 0.yaml\nnodes: {a: {op: x.y}}\noutputs: {o: {from: a}}\n";
  for (int i = 0; i < 100; ++i) {
    fake.files[std::to_string(i) + ".yaml"] = "include: " + std::to_string(i + 1) + ".yaml\n";
  }
  EXPECT_EQ(faults(fake), "15.yaml:1:10: error: more than 256 includes, or 16 within each other\n");
}

TEST(GraphDir, IsTheDirectoryOfTheFileItIsWrittenIn) {
  FakeFiles fake;
  fake.files["a/g.yaml"] =
      "version: 1\n"
      "include: b/part.yaml\n"
      "vars: {here: \"${graph_dir}\", set: x}\n"
      "nodes: {n: {op: x.y, with: {here: \"${vars.here}\", there: \"${vars.there}\", set: "
      "\"${vars.set}\"}}}\n"
      "outputs: {o: {from: n}}\n";
  fake.files["a/b/part.yaml"] = "vars: {there: \"${graph_dir}/photos\"}\n";
  fake.sets = {"vars.set=${graph_dir}"};
  const auto spec = fake.parse("a/g.yaml");
  EXPECT_EQ(fake.errors(), "");
  EXPECT_EQ(spec->nodes[0].with.find("here")->as_string(), "a");
  EXPECT_EQ(spec->nodes[0].with.find("there")->as_string(), "a/b/photos");
  EXPECT_EQ(spec->nodes[0].with.find("set")->as_string(), "a");
}

TEST(ParseFile, SaysWhyItCannotReadTheGraph) {
  FakeFiles fake;
  EXPECT_FALSE(fake.parse("gone.yaml").has_value());
  EXPECT_EQ(fake.errors(), "gone.yaml: error: cannot read the graph: No such file or directory\n");
}

TEST(ParseFile, ReadsRealFiles) {
  const std::string path = testing::TempDir() + "layers_test_graph.yaml";
  std::ofstream(path) << "version: 1\nnodes: {a: {op: x.y}}\noutputs: {o: {from: a}}\n";
  Diagnostics diagnostics;
  const auto spec = parse_file(path, {}, diagnostics);
  EXPECT_EQ(diagnostics.render(), "");
  ASSERT_TRUE(spec);
  EXPECT_EQ(spec->name, "layers_test_graph");
  std::remove(path.c_str());
  EXPECT_FALSE(parse_file(path, {}, diagnostics));
  EXPECT_EQ(diagnostics.render(), path + ": error: cannot read the graph: No such file or directory\n");
}

TEST(ParseFile, RefusesWhatIsNoRegularFileAndDoesNotWaitForIt) {
  EXPECT_EQ(read_graph_file(testing::TempDir()).status().message(), "it is a directory");
  const std::string pipe = testing::TempDir() + "headrace_pipe.yaml";
  std::filesystem::remove(pipe);
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& path : {std::string("/dev/zero"), pipe}) {
    EXPECT_EQ(read_graph_file(path).status().message(),
              "it is no regular file (write the graph to one first)");
  }
  std::filesystem::remove(pipe);
}

TEST(ParseFile, ReadsNoMoreThanADocumentMayHold) {
  const std::string large = testing::TempDir() + "headrace_large.yaml";
  std::ofstream(large).close();
  std::filesystem::resize_file(large, std::uintmax_t{1} << 30);
  EXPECT_EQ(read_graph_file(large).value().size(), (std::size_t{16} << 20) + 1);
  std::filesystem::remove(large);
}

TEST(ParseText, HasItsNameForAPath) {
  FakeFiles fake;
  fake.files["d/part.yaml"] = "runtime: {seed: 5}\n";
  const auto spec = parse_text(
      "version: 1\ninclude: part.yaml\nnodes: {a: {op: x.y, with: {d: \"${graph_dir}\"}}}\noutputs: {o: "
      "{from: a}}\n",
      "d/inline.yaml", fake.options(), fake.diagnostics);
  EXPECT_EQ(fake.errors(), "");
  ASSERT_TRUE(spec);
  EXPECT_EQ(spec->runtime.seed, 5U);
  EXPECT_EQ(spec->nodes[0].with.find("d")->as_string(), "d");
}

}  // namespace
}  // namespace headrace
