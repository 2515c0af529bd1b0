// SPDX-License-Identifier: Apache-2.0
//
// ${...} in graph files.

#include "runtime/graph/substitute.h"

#include <gtest/gtest.h>

#include "tests/runtime/graph/fake_files.h"

namespace headrace {
namespace {

/// A graph whose one node has `with`, and whose vars are `vars`.
struct OneNode : FakeFiles {
  OneNode(const std::string& vars, const std::string& with) {
    files["g.yaml"] = "version: 1\nvars: " + vars + "\nnodes: {n: {op: x.y, with: " + with +
                      "}}\noutputs: {o: {from: n}}\n";
  }

  /// with.v of the node.
  Value v() {
    const auto spec = parse();
    EXPECT_EQ(errors(), "");
    const Value* value = spec ? spec->nodes.at(0).with.find("v") : nullptr;
    return value ? *value : Value();
  }

  std::string faults() {
    parse();
    return errors();
  }
};

Value v(const std::string& vars, const std::string& with) { return OneNode(vars, with).v(); }
std::string faults(const std::string& vars, const std::string& with) { return OneNode(vars, with).faults(); }

TEST(Substitution, KeepsTheTypeOfAWholeScalar) {
  EXPECT_EQ(v("{a: 3}", "{v: \"${vars.a}\"}").as_integer(), 3);
  EXPECT_EQ(v("{a: 0.5}", "{v: \"${vars.a}\"}").as_real(), 0.5);
  EXPECT_EQ(v("{a: true}", "{v: \"${vars.a}\"}").as_boolean(), true);
  EXPECT_EQ(v("{a: \"3\"}", "{v: \"${vars.a}\"}").as_integer(), std::nullopt);
  EXPECT_EQ(v("{a: [1, x]}", "{v: \"${vars.a}\"}").items().size(), 2U);
  EXPECT_EQ(v("{a: {b: 7}}", "{v: \"${vars.a}\"}").find("b")->as_integer(), 7);
  EXPECT_EQ(v("{a: {b: 7}}", "{v: \"${vars.a.b}\"}").as_integer(), 7);
}

TEST(Substitution, WorksUnquotedAndDeepInLists) {
  EXPECT_EQ(v("{a: 3}", "{v: [[\"${vars.a}\"]]}").items()[0].items()[0].as_integer(), 3);
  FakeFiles fake;
  fake.files["g.yaml"] =
      "version: 1\nvars: {a: 3}\nnodes:\n  n:\n    op: x.y\n    with:\n      v: ${vars.a}\noutputs: {o: "
      "{from: n}}\n";
  EXPECT_EQ(fake.parse()->nodes[0].with.find("v")->as_integer(), 3);
}

TEST(Substitution, MakesTextWithinText) {
  EXPECT_EQ(v("{a: photos, n: 0x10}", "{v: \"/data/${vars.a}/${vars.n}.txt\"}").as_string(),
            "/data/photos/0x10.txt");
  EXPECT_EQ(v("{a: true, b: 1.50}", "{v: \"${vars.a}${vars.b}\"}").as_string(), "true1.50");
}

TEST(Substitution, LeavesOtherDollarsAlone) {
  EXPECT_EQ(v("{}", "{v: \"$5 $$ {x} $\"}").as_string(), "$5 $$ {x} $");
  EXPECT_EQ(v("{}", "{v: \"$${vars.a}\"}").as_string(), "${vars.a}");
  EXPECT_EQ(v("{a: 1}", "{v: \"$${x} ${vars.a} $$${y}\"}").as_string(), "${x} 1 $${y}");
}

TEST(Substitution, IsNotSearchedAgain) {
  EXPECT_EQ(v("{a: \"$${vars.b}\", b: 1}", "{v: \"${vars.a}\"}").as_string(), "${vars.b}");
}

TEST(Substitution, GoesThroughVarsThatNameVars) {
  EXPECT_EQ(v("{a: \"${vars.b}\", b: \"${vars.c.d}\", c: {d: 9}}", "{v: \"${vars.a}\"}").as_integer(), 9);
  EXPECT_EQ(v("{a: {x: \"${vars.a.y}\", y: 1}}", "{v: \"${vars.a.x}\"}").as_integer(), 1);
}

TEST(Substitution, StandsWhereItIsUsedAndSaysWhereItWasGiven) {
  const Value value = v("{a: 3, b: \"${vars.a}\"}", "{v: \"${vars.b}\"}");
  EXPECT_EQ(to_string(value.where()), "g.yaml:3:32");
  EXPECT_EQ(value.describe(), "the integer 3 (from ${vars.a}, given at g.yaml:2:11)");
  FakeFiles fake;
  fake.files["g.yaml"] =
      "version: 1\nvars: {n: 3}\nruntime: {threads: \"${vars.n}\", seed: \"${env:SEED}\"}\n"
      "nodes: {n: {op: x.y}}\noutputs: {o: {from: n}}\n";
  fake.sets = {"vars.n=many"};
  fake.environment["SEED"] = "-1";
  fake.parse();
  EXPECT_EQ(fake.errors(),
            "g.yaml:3:20: error: runtime.threads must be auto or an integer from 1 to 1024, not the text "
            "'many' (from "
            "${vars.n}, given at --set vars.n)\n"
            "g.yaml:3:39: error: runtime.seed must be an integer of at least 0, not the integer -1 (from "
            "${env:SEED})\n");
}

TEST(Substitution, FindsCircles) {
  EXPECT_EQ(faults("{a: \"${vars.b}\", b: \"x${vars.a}\"}", "{v: \"${vars.a}\"}"),
            "g.yaml:2:11: error: vars go round in a circle: vars.a -> vars.b -> vars.a\n");
  EXPECT_EQ(faults("{a: \"${vars.a}\"}", "{}"),
            "g.yaml:2:11: error: vars go round in a circle: vars.a -> vars.a\n");
  EXPECT_EQ(faults("{a: {b: [\"${vars.a}\"]}}", "{}"),
            "g.yaml:2:11: error: vars go round in a circle: vars.a -> vars.a\n");
}

TEST(Substitution, NamesTheNearestVar) {
  EXPECT_EQ(faults("{batch: 3}", "{v: \"${vars.bacth}\"}"),
            "g.yaml:3:32: error: ${vars.bacth}: vars has no 'bacth' (did you mean 'batch'?)\n");
  EXPECT_EQ(
      faults("{aug: {size: 3}}", "{v: \"${vars.aug.sise}\", w: \"${vars.aug.size.x}\", x: \"${batch}\"}"),
      "g.yaml:3:32: error: ${vars.aug.sise}: vars.aug has no 'sise' (did you mean 'size'?)\n"
      "g.yaml:3:55: error: ${vars.aug.size.x}: vars.aug.size is the integer 3, not a map\n"
      "g.yaml:3:80: error: ${batch} names nothing (there are ${vars.NAME}, ${env:NAME} and ${graph_dir}; $${ "
      "is "
      "the text ${)\n");
  EXPECT_EQ(faults("{batch: 3}", "{v: \"${batch}\"}"),
            "g.yaml:3:32: error: ${batch} names nothing (did you mean ${vars.batch}?)\n");
  EXPECT_EQ(faults("", "{v: \"${vars.a}\"}"), "g.yaml:3:32: error: ${vars.a}: vars has no 'a'\n");
}

TEST(Substitution, ReportsAFaultOnceHoweverOftenItIsUsed) {
  EXPECT_EQ(faults("{a: \"${env:GONE}\", b: \"${vars.a}\"}", "{v: \"${vars.a}\", w: \"${vars.b}/x\"}"),
            "g.yaml:2:11: error: the environment variable GONE is not set (set it, or write a default: "
            "${env:GONE:-...})\n");
}

TEST(Substitution, RefusesListsMapsAndNullWithinText) {
  EXPECT_EQ(faults("{l: [1], m: {}, n: null}", "{v: \"x${vars.l}\", w: \"${vars.m}x\", x: \"x${vars.n}\"}"),
            "g.yaml:3:32: error: ${vars.l} cannot stand within a longer text, being a list\n"
            "g.yaml:3:49: error: ${vars.m} cannot stand within a longer text, being a map\n"
            "g.yaml:3:66: error: ${vars.n} cannot stand within a longer text, being null\n");
}

TEST(Substitution, RefusesWhatIsNeverClosed) {
  EXPECT_EQ(
      faults("{}", "{v: \"a${vars.b\"}"),
      "g.yaml:3:32: error: a '${' is never closed, or more than 16 are nested (write $${ for the text ${)\n");
}

TEST(Substitution, RefusesKeys) {
  EXPECT_EQ(faults("{a: 1}", "{\"${vars.a}\": 1}"),
            "g.yaml:3:29: error: the key '${vars.a}' cannot be substituted\n");
}

TEST(Environment, GivesTypedTextThatMayStandForAString) {
  OneNode number("{}", "{v: \"${env:YEAR}\"}");
  number.environment["YEAR"] = "2012";
  EXPECT_EQ(number.v().as_integer(), 2012);
  EXPECT_EQ(number.v().as_string(), "2012");
  OneNode text("{}", "{v: \"${env:DIR}/x\"}");
  text.environment["DIR"] = "/a b";
  EXPECT_EQ(text.v().as_string(), "/a b/x");
}

TEST(Environment, HasDefaultsForUnsetAndEmpty) {
  EXPECT_EQ(v("{}", "{v: \"${env:A:-photos/train}\"}").as_string(), "photos/train");
  EXPECT_EQ(v("{}", "{v: \"${env:A:-256}\"}").as_integer(), 256);
  EXPECT_EQ(v("{}", "{v: \"x${env:A:-}y\"}").as_string(), "xy");
  EXPECT_EQ(v("{b: [1]}", "{v: \"${env:A:-${vars.b}}\"}").items()[0].as_integer(), 1);
  EXPECT_EQ(v("{}", "{v: \"${env:A:-${graph_dir}/photos}\"}").as_string(), "./photos");
  EXPECT_EQ(v("{}", "{v: \"${env:A:-${env:B:-c}}\"}").as_string(), "c");
  OneNode empty("{}", "{v: \"${env:A:-x}\"}");
  empty.environment["A"] = "";
  EXPECT_EQ(empty.v().as_string(), "x");
  OneNode set("{}", "{v: \"${env:A:-x}\"}");
  set.environment["A"] = "y:-z";
  EXPECT_EQ(set.v().as_string(), "y:-z");
}

TEST(Environment, MustBeSetWithoutADefault) {
  EXPECT_EQ(faults("{}", "{v: \"${env:A}\", w: \"${env:A:b}\", x: \"${env:}\", y: \"${env:1A}\"}"),
            "g.yaml:3:32: error: the environment variable A is not set (set it, or write a default: "
            "${env:A:-...})\n"
            "g.yaml:3:47: error: ${env:A:b} is not ${env:NAME} or ${env:NAME:-default}\n"
            "g.yaml:3:64: error: ${env:} is not ${env:NAME} or ${env:NAME:-default}\n"
            "g.yaml:3:78: error: ${env:1A} is not ${env:NAME} or ${env:NAME:-default}\n");
}

TEST(Substitution, BoundsWhatVarsGrowTo) {
  std::string vars = "{a0: [x, x, x, x, x, x, x, x, x, x]";
  std::string texts = "{a0: xxxxxxxxxx";
  for (int i = 1; i < 10; ++i) {
    const std::string below = "${vars.a" + std::to_string(i - 1) + "}";
    vars += ", a" + std::to_string(i) + ": [";
    texts += ", a" + std::to_string(i) + ": \"";
    for (int j = 0; j < 10; ++j) {
      vars += (j ? ", \"" : "\"") + below + "\"";
      texts += below;
    }
    vars += "]";
    texts += "\"";
  }
  EXPECT_NE(faults(vars + "}", "{}").find("substitutions make more than 100000 values"), std::string::npos);
  EXPECT_NE(faults(texts + "}", "{}").find("substitutions make a text of more than 1048576 bytes"),
            std::string::npos);
}

TEST(Substitution, BoundsNesting) {
  std::string text = "x";
  for (int i = 0; i < 1000; ++i) text = "${env:A:-" + text + "}";
  EXPECT_NE(faults("{}", "{v: \"" + text + "\"}").find("more than 16 are nested"), std::string::npos);
  std::string chain = "{v0: 1";
  std::string deep = "{v0: [1]";
  for (int i = 1; i < 100; ++i) {
    const std::string entry = ", v" + std::to_string(i) + ": ";
    const std::string below = "\"${vars.v" + std::to_string(i - 1) + "}\"";
    chain = entry.substr(2) + below + ", " + chain.substr(1);
    chain = "{" + chain;
    deep += entry + "[" + below + "]";
  }
  EXPECT_NE(faults(chain + "}", "{}").find("more than 64 vars name each other in a row"), std::string::npos);
  EXPECT_NE(faults(deep + "}", "{}").find("is nested deeper than 64 levels"), std::string::npos);
}

}  // namespace
}  // namespace headrace
