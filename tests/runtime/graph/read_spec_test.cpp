// SPDX-License-Identifier: Apache-2.0
//
// The fixed structure of the graph file: each key, its defaults, its mistakes.

#include "runtime/graph/read_spec.h"

#include <gtest/gtest.h>

#include "tests/runtime/graph/fake_files.h"

namespace headrace {
namespace {

GraphSpec parsed(const std::string& text) {
  FakeFiles fake;
  fake.files["imagenet.yaml"] = text;
  auto spec = fake.parse("imagenet.yaml");
  EXPECT_EQ(fake.errors(), "");
  return spec ? std::move(*spec) : GraphSpec();
}

std::string faults(const std::string& text) {
  FakeFiles fake;
  fake.files["g.yaml"] = text;
  fake.parse();
  return fake.errors();
}

/// Line 2 of a graph that is right otherwise.
std::string faults_of(const std::string& line) {
  return faults("version: 1\n" + line + "\nnodes: {a: {op: x.y}}\noutputs: {o: {from: a}}\n");
}

/// A node's keys after its op, at column 21 of line 2.
std::string faults_of_node(const std::string& keys) {
  return faults("version: 1\nnodes: {n: {op: x.y, " + keys + "}}\noutputs: {o: {from: n}}\n");
}

std::string faults_of_output(const std::string& keys) {
  return faults("version: 1\nnodes: {n: {op: x.y}}\noutputs: {o: {" + keys + "}}\n");
}

TEST(ReadSpec, TakesEverythingFromTheExampleOfTheFormat) {
  const GraphSpec spec = parsed(
      "# yaml-language-server: $schema=headrace.schema.json\n"
      "version: 1\n"
      "name: imagenet-train\n"
      "vars: {root: \"${env:IMAGENET:-photos/train}\", batch: 256}\n"
      "plugins: [acme_aug]\n"
      "runtime: {threads: auto, seed: 42, memory: 8GiB, order: strict}\n"
      "nodes:\n"
      "  files:   {op: source.files, with: {root: \"${vars.root}\", layout: image_folder, shuffle: true}}\n"
      "  read:    {op: source.read, from: files, tokens: {items: 64, bytes: 64MiB}}\n"
      "  decode:  {op: image.decode, from: read, on_error: {action: skip, max_fraction: 0.001}}\n"
      "  crop:    {op: image.random_resized_crop, from: decode, with: {size: 224, scale: [0.08, 1.0]}}\n"
      "  batch:   {op: batch.stack, from: crop, with: {size: \"${vars.batch}\", last: drop}, tokens: 4}\n"
      "  upload:  {op: device.upload, from: [batch], with: {device: auto}, concurrency: 2}\n"
      "outputs:\n"
      "  train: {from: upload, fields: [image, label], prefetch: 3}\n"
      "profiles:\n"
      "  debug: {vars: {batch: 8}, runtime: {threads: 1}}\n");
  EXPECT_EQ(spec.name, "imagenet-train");
  EXPECT_EQ(spec.version, 1);
  EXPECT_EQ(to_string(spec.where), "imagenet.yaml:2:1");
  EXPECT_EQ(spec.vars.find("root")->as_string(), "photos/train");
  ASSERT_EQ(spec.plugins.size(), 1U);
  EXPECT_EQ(spec.plugins[0].name, "acme_aug");
  EXPECT_EQ(to_string(spec.plugins[0].where), "imagenet.yaml:5:11");
  EXPECT_EQ(spec.runtime.threads, 0);
  EXPECT_EQ(spec.runtime.seed, 42U);
  EXPECT_EQ(spec.runtime.memory_bytes->value, 8589934592);
  EXPECT_EQ(spec.runtime.order, Order::strict);
  EXPECT_TRUE(spec.runtime.fuse);
  ASSERT_EQ(spec.nodes.size(), 6U);
  const NodeSpec& read = spec.nodes[1];
  EXPECT_EQ(read.name, "read");
  EXPECT_EQ(to_string(read.where), "imagenet.yaml:9:3");
  EXPECT_EQ(read.op.name, "source.read");
  EXPECT_EQ(to_string(read.op.where), "imagenet.yaml:9:17");
  ASSERT_EQ(read.from.size(), 1U);
  EXPECT_EQ(read.from[0].name, "files");
  EXPECT_EQ(to_string(read.from[0].where), "imagenet.yaml:9:36");
  EXPECT_EQ(read.tokens->items->value, 64);
  EXPECT_EQ(read.tokens->bytes->value, 67108864);
  EXPECT_EQ(to_string(read.tokens->bytes->where), "imagenet.yaml:9:70");
  EXPECT_EQ(spec.nodes[2].on_error.action, ErrorAction::skip);
  EXPECT_EQ(spec.nodes[2].on_error.max_fraction, 0.001);
  EXPECT_EQ(spec.nodes[2].on_error.max_count, std::nullopt);
  EXPECT_EQ(spec.nodes[3].with.find("scale")->items().size(), 2U);
  EXPECT_EQ(spec.nodes[4].tokens->items->value, 4);
  EXPECT_FALSE(spec.nodes[4].tokens->bytes.has_value());
  EXPECT_EQ(spec.nodes[5].from[0].name, "batch");
  EXPECT_EQ(spec.nodes[5].concurrency->value, 2);
  EXPECT_EQ(spec.outputs[0].from.name, "upload");
  ASSERT_TRUE(spec.outputs[0].fields.has_value());
  EXPECT_EQ(spec.outputs[0].fields->at(1).name, "label");
  EXPECT_EQ(spec.outputs[0].prefetch->value, 3);
}

TEST(ReadSpec, HasDefaults) {
  const GraphSpec spec = parsed("version: 1\nnodes: {a: {op: x.y}}\noutputs: {o: {from: a}}\n");
  EXPECT_EQ(spec.name, "imagenet");
  EXPECT_EQ(spec.runtime.threads, 0);
  EXPECT_EQ(spec.runtime.io_threads, 0);
  EXPECT_FALSE(spec.runtime.memory_bytes.has_value());
  EXPECT_TRUE(spec.nodes[0].from.empty());
  EXPECT_FALSE(spec.nodes[0].from_is_broken);
  EXPECT_TRUE(spec.nodes[0].with.is_map());
  EXPECT_FALSE(spec.nodes[0].tokens.has_value());
  EXPECT_EQ(spec.nodes[0].on_error.action, ErrorAction::fail);
  EXPECT_FALSE(spec.outputs[0].fields.has_value());
  EXPECT_FALSE(spec.outputs[0].prefetch.has_value());
  EXPECT_TRUE(spec.vars.entries().empty());
}

TEST(ReadSpec, TakesNullForNotGiven) {
  const GraphSpec spec = parsed(
      "version: 1\nname:\nvars:\nplugins:\nruntime: {threads: ~, memory: null}\n"
      "nodes: {a: {op: x.y, from: ~, with: ~, tokens: ~, on_error: ~, concurrency: ~}}\n"
      "outputs: {o: {from: a, fields: ~, prefetch: ~}}\nprofiles:\n");
  EXPECT_EQ(spec.name, "imagenet");
  EXPECT_FALSE(spec.nodes[0].tokens.has_value());
  EXPECT_FALSE(spec.outputs[0].fields.has_value());
}

TEST(ReadSpec, TakesAWordForTheActionOnError) {
  const GraphSpec spec =
      parsed("version: 1\nnodes: {a: {op: x.y, on_error: skip}}\noutputs: {o: {from: a}}\n");
  EXPECT_EQ(spec.nodes[0].on_error.action, ErrorAction::skip);
}

TEST(ReadSpec, ReadsHowASourceIsSampled) {
  const auto sampling = [](const std::string& text) {
    return *parsed("version: 1\nnodes: {a: {op: x.y, sampling: " + text + "}}\noutputs: {o: {from: a}}\n")
                .nodes[0]
                .sampling;
  };
  EXPECT_EQ(sampling("{subset: [2, 5]}").range->first, 2U);
  EXPECT_EQ(sampling("{subset: [2, 5]}").range->last, 5U);
  EXPECT_EQ(sampling("{subset: 0.25}").fraction, 0.25);
  EXPECT_EQ(sampling("{subset: 1}").fraction, 1.0);
  EXPECT_EQ(sampling("{subset: some.txt}").indices_file->name, "some.txt");
  EXPECT_EQ(sampling("{repeat: 3}").repeat, 3);
  EXPECT_FALSE(sampling("{num_samples: 10}").replacement);
  EXPECT_EQ(sampling("{num_samples: 10}").num_samples, 10);
  EXPECT_EQ(sampling("{weights: w.txt}").weights_file->name, "w.txt");
  EXPECT_TRUE(sampling("{weights: w.txt}").replacement) << "as in torch's WeightedRandomSampler";
  EXPECT_FALSE(sampling("{weights: w.txt, replacement: false}").replacement);
}

TEST(ReadSpec, RefusesSamplingThatMeansNothing) {
  EXPECT_EQ(
      faults_of_node("sampling: {subset: [5, 5]}"),
      "g.yaml:2:41: error: n.sampling.subset is empty: [5, 5] is from the first on and before the last\n");
  const std::string not_a_subset =
      "n.sampling.subset must be [first, last], a fraction above 0 and at most 1, or the "
      "name of a file with an index a line, not ";
  EXPECT_EQ(faults_of_node("sampling: {subset: 100}"),
            "g.yaml:2:41: error: " + not_a_subset + "the integer 100\n");
  EXPECT_EQ(faults_of_node("sampling: {subset: [1, 2, 3]}"),
            "g.yaml:2:41: error: " + not_a_subset + "a list\n");
  EXPECT_EQ(faults_of_node("sampling: {repeat: 2, weights: w.txt}"),
            "g.yaml:2:41: error: n.sampling.repeat means nothing where samples are drawn by weights "
            "(num_samples says "
            "how many)\n");
  EXPECT_EQ(faults_of_node("sampling: {repeat: 2, replacement: true}"),
            "g.yaml:2:41: error: n.sampling.repeat means nothing where samples are drawn with replacement "
            "(num_samples says how many)\n");
  EXPECT_EQ(faults_of_node("sampling: {samples: 2}"),
            "g.yaml:2:33: error: unknown key 'samples' in n.sampling (allowed: subset, repeat, weights, "
            "replacement, "
            "num_samples)\n");
}

TEST(ReadSpec, NeedsVersionNodesAndOutputs) {
  EXPECT_EQ(faults("name: x\n"),
            "g.yaml:1:1: error: the graph does not say its version (write version: 1)\n"
            "g.yaml:1:1: error: the graph has no nodes\n"
            "g.yaml:1:1: error: the graph has no outputs\n");
  EXPECT_EQ(faults("version: 1\nnodes: {}\noutputs:\n"),
            "g.yaml:1:1: error: the graph has no outputs\n"
            "g.yaml:2:8: error: the graph has no nodes\n");
  EXPECT_EQ(faults(""), "g.yaml:1:1: error: the file is empty\n");
  EXPECT_EQ(faults("- a\n"), "g.yaml:1:1: error: the graph must be a map, not a list\n");
  EXPECT_EQ(faults("version: 1\nnodes: [a]\noutputs: 3\n"),
            "g.yaml:2:8: error: nodes must be a map, not a list\n"
            "g.yaml:3:10: error: outputs must be a map, not the integer 3\n");
}

TEST(ReadSpec, KnowsVersionOneAlone) {
  EXPECT_EQ(faults("version: 2\nnodes: {a: {op: x.y}}\noutputs: {o: {from: a}}\n"),
            "g.yaml:1:10: error: version must be 1, not the integer 2\n");
  EXPECT_EQ(faults("version: \"1\"\nnodes: {a: {op: x.y}}\noutputs: {o: {from: a}}\n"),
            "g.yaml:1:10: error: version must be 1, not the text '1'\n");
}

TEST(ReadSpec, RefusesUnknownKeysEverywhere) {
  EXPECT_EQ(faults_of("runtme: {}"),
            "g.yaml:2:1: error: unknown key 'runtme' in the graph (did you mean 'runtime'?)\n");
  EXPECT_EQ(faults_of("runtime: {thread: 1}"),
            "g.yaml:2:11: error: unknown key 'thread' in runtime (did you mean 'threads'?)\n");
  EXPECT_EQ(faults_of("runtime: {timeout: 3s}"),
            "g.yaml:2:11: error: unknown key 'timeout' in runtime (allowed: threads, io_threads, seed, memory, order, "
            "fuse, rank, world, stage_timeout)\n");
  EXPECT_EQ(faults_of_node("frm: b"), "g.yaml:2:22: error: unknown key 'frm' in n (did you mean 'from'?)\n");
  EXPECT_EQ(faults_of_node("tokens: {itens: 3}"),
            "g.yaml:2:31: error: unknown key 'itens' in n.tokens (did you mean 'items'?)\n");
  EXPECT_EQ(faults_of_node("on_error: {action: skip, max_cuont: 3}"),
            "g.yaml:2:47: error: unknown key 'max_cuont' in n.on_error (did you mean 'max_count'?)\n");
  EXPECT_EQ(faults_of_output("from: n, feilds: [x]"),
            "g.yaml:3:24: error: unknown key 'feilds' in outputs.o (did you mean 'fields'?)\n");
  EXPECT_EQ(faults_of("runtime: {3: 1, true: 2}"),
            "g.yaml:2:11: error: a key in runtime must be a name, not the integer 3\n"
            "g.yaml:2:17: error: a key in runtime must be a name, not true\n");
}

TEST(ReadSpec, NoticesAMissingSpace) {
  EXPECT_EQ(faults_of_node("from:b"), "g.yaml:2:22: error: 'from:b' lacks a space after the colon\n");
}

TEST(ReadSpec, ChecksRuntime) {
  EXPECT_EQ(
      faults_of("runtime: {threads: 0, io_threads: 1025, seed: -1, memory: 8gib, order: sorted, fuse: 1}"),
      "g.yaml:2:20: error: runtime.threads must be auto or an integer from 1 to 1024, not the integer 0\n"
      "g.yaml:2:35: error: runtime.io_threads must be auto or an integer from 1 to 1024, not the integer "
      "1025\n"
      "g.yaml:2:47: error: runtime.seed must be an integer of at least 0, not the integer -1\n"
      "g.yaml:2:59: error: runtime.memory must be a size such as 64MiB, 500MB or a whole number of bytes, "
      "not "
      "the text '8gib'\n"
      "g.yaml:2:72: error: runtime.order must be strict or any, not the text 'sorted'\n"
      "g.yaml:2:86: error: runtime.fuse must be true or false, not the integer 1\n");
  EXPECT_EQ(faults_of("runtime: 3"), "g.yaml:2:10: error: runtime must be a map, not the integer 3\n");
  EXPECT_EQ(faults_of("runtime: {memory: 0}"),
            "g.yaml:2:19: error: runtime.memory must be at least 1 byte, not the integer 0\n");
}

TEST(ReadSpec, ChecksNameVarsAndPlugins) {
  EXPECT_EQ(faults_of("name: [x]"), "g.yaml:2:7: error: name must be a name, not a list\n");
  EXPECT_EQ(faults_of("vars: [x]"), "g.yaml:2:7: error: vars must be a map, not a list\n");
  EXPECT_EQ(faults_of("plugins: [a, 3]"),
            "g.yaml:2:14: error: each of plugins must be a name, not the integer 3\n");
  EXPECT_EQ(faults_of("plugins: [a, b, a]"), "g.yaml:2:17: error: 'a' stands twice in plugins\n");
  EXPECT_EQ(faults_of("plugins: {a: b}"),
            "g.yaml:2:10: error: plugins must be a name or a list of names, not a map\n");
}

TEST(ReadSpec, ChecksNodes) {
  EXPECT_EQ(faults_of_node("op2: x").find("g.yaml:2:22: error: unknown key 'op2' in n"), 0U);
  EXPECT_EQ(faults("version: 1\nnodes: {n: {from: a}, m: 3, k: }\noutputs: {o: {from: n}}\n"),
            "g.yaml:2:9: error: node 'n' has no op\n"
            "g.yaml:2:26: error: m must be a map, not the integer 3\n"
            "g.yaml:2:32: error: k must be a map, not nothing\n");
  EXPECT_EQ(faults_of_node("from: []"), "g.yaml:2:28: error: n.from is empty\n");
  EXPECT_EQ(faults_of_node("from: 3"),
            "g.yaml:2:28: error: n.from must be a name or a list of names, not the integer 3\n");
  EXPECT_EQ(faults_of_node("from: [a, [b]]"),
            "g.yaml:2:32: error: each of n.from must be a name, not a list\n");
  EXPECT_EQ(faults_of_node("with: 3"), "g.yaml:2:28: error: n.with must be a map, not the integer 3\n");
  EXPECT_EQ(faults_of_node("concurrency: 0"),
            "g.yaml:2:35: error: n.concurrency must be an integer from 1 to 1024, not the integer 0\n");
}

TEST(ReadSpec, ChecksTokens) {
  const std::string wanted =
      "n.tokens must be a number of items of at least 1 or a map such as {items: 64, bytes: 64MiB}, not ";
  EXPECT_EQ(faults_of_node("tokens: 0"), "g.yaml:2:30: error: " + wanted + "the integer 0\n");
  EXPECT_EQ(faults_of_node("tokens: 64MiB"), "g.yaml:2:30: error: " + wanted + "the text '64MiB'\n");
  EXPECT_EQ(faults_of_node("tokens: {items: 0, bytes: 12XB}"),
            "g.yaml:2:38: error: n.tokens.items must be an integer of at least 1, not the integer 0\n"
            "g.yaml:2:48: error: n.tokens.bytes must be a size such as 64MiB, 500MB or a whole number of "
            "bytes, not "
            "the text '12XB'\n");
}

TEST(ReadSpec, ChecksOnError) {
  EXPECT_EQ(faults_of_node("on_error: {action: mask, max_count: 3}"), "");
  EXPECT_EQ(faults_of_node("on_error: ignore"),
            "g.yaml:2:32: error: n.on_error.action must be fail or skip or mask, not the text 'ignore'\n");
  EXPECT_EQ(faults_of_node("on_error: {action: skip, max_count: -1, max_fraction: 1.5}"),
            "g.yaml:2:58: error: n.on_error.max_count must be an integer of at least 0, not the integer -1\n"
            "g.yaml:2:76: error: n.on_error.max_fraction must be a number from 0 to 1, not the number 1.5\n");
  EXPECT_EQ(
      faults_of_node("on_error: {action: skip, max_fraction: .nan}"),
      "g.yaml:2:61: error: n.on_error.max_fraction must be a number from 0 to 1, not the number .nan\n");
  EXPECT_EQ(faults_of_node("on_error: {max_count: 3}"),
            "g.yaml:2:32: error: n.on_error has no action (fail, skip or mask)\n");
  EXPECT_EQ(faults_of_node("on_error: {action: fail, max_count: 3}"),
            "g.yaml:2:32: error: n.on_error fails at the first error, so it has no budget (use action: skip "
            "or mask, or drop "
            "max_count and max_fraction)\n");
}

TEST(ReadSpec, ChecksOutputs) {
  EXPECT_EQ(faults_of_output("fields: [a, a]"),
            "g.yaml:3:11: error: output 'o' has no from\n"
            "g.yaml:3:27: error: 'a' stands twice in outputs.o.fields\n");
  EXPECT_EQ(faults_of_output("from: [n, m]"),
            "g.yaml:3:21: error: outputs.o.from must be a name, not a list\n");
  EXPECT_EQ(faults_of_output("from: n, fields: []"),
            "g.yaml:3:32: error: outputs.o.fields is empty (leave it out for all fields)\n");
  EXPECT_EQ(
      faults_of_output("from: n, prefetch: 0"),
      "g.yaml:3:34: error: outputs.o.prefetch must be an integer from 1 to 1000000, not the integer 0\n");
}

TEST(ReadSpec, ChecksNames) {
  EXPECT_EQ(faults("version: 1\nnodes: {1d: {op: x.y}, 2: {op: x.y}, a.b: {op: x.y}, -: {op: x.y}, ok-1_B: "
                   "{op: x.y}}\n"
                   "outputs: {\"o o\": {from: ok-1_B}}\n"),
            "g.yaml:2:9: error: '1d' cannot name a node (letters, digits, '_' and '-', not beginning with a "
            "digit or "
            "'-')\n"
            "g.yaml:2:24: error: '2' cannot name a node (letters, digits, '_' and '-', not beginning with a "
            "digit or "
            "'-')\n"
            "g.yaml:2:38: error: 'a.b' cannot name a node (letters, digits, '_' and '-', not beginning with "
            "a digit or "
            "'-')\n"
            "g.yaml:2:54: error: '-' cannot name a node (letters, digits, '_' and '-', not beginning with a "
            "digit or "
            "'-')\n"
            "g.yaml:3:11: error: 'o o' cannot name an output (letters, digits, '_' and '-', not beginning "
            "with a digit "
            "or '-')\n");
}

TEST(ReadSpec, KeepsWhatIsRightBesideWhatIsWrong) {
  FakeFiles fake;
  fake.files["g.yaml"] =
      "version: 1\n"
      "nodes:\n"
      "  a: {op: x.a, with: {n: \"${vars.gone}\"}, concurrency: many}\n"
      "  b: {op: x.b, from: 3}\n"
      "  c: {op: \"${vars.gone}\", from: [b]}\n"
      "outputs: {o: {from: c}}\n";
  const auto spec = fake.parse();
  EXPECT_EQ(fake.diagnostics.error_count(), 4U) << fake.errors();
  ASSERT_TRUE(spec);
  ASSERT_EQ(spec->nodes.size(), 3U);
  EXPECT_TRUE(spec->nodes[0].with.find("n")->is_broken());
  EXPECT_FALSE(spec->nodes[0].concurrency.has_value());
  EXPECT_TRUE(spec->nodes[1].from_is_broken);
  EXPECT_EQ(spec->nodes[2].op.name, "");
  EXPECT_EQ(spec->nodes[2].from[0].name, "b");
}

TEST(ReadSpec, GivesNothingAfterASyntaxError) {
  FakeFiles fake;
  fake.files["g.yaml"] = "version: 1\nnodes: {a: [\n";
  EXPECT_FALSE(fake.parse().has_value());
  EXPECT_EQ(fake.errors(), "g.yaml:2:12: error: this '[' is never closed\n");
}

}  // namespace
}  // namespace headrace
