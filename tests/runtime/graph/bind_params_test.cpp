// SPDX-License-Identifier: Apache-2.0
//
// Parameters: what each type takes, what it refuses and in which words.

#include "runtime/graph/bind_params.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/runtime/graph/fake_ops.h"

namespace headrace {
namespace {

/// A graph whose node `n` is fake.params with these parameters, from column 30 of line 3.
Planned bound(const std::string& with) {
  Planned out = plan_nodes("n: {op: fake.params, with: " + with + "}", "n");
  EXPECT_EQ(out.errors, "");
  return out;
}

std::string fault(const std::string& with) {
  return plan_nodes("n: {op: fake.params, with: " + with + "}", "n").errors;
}

headrace_param_value value(const Planned& planned, const std::string& name) {
  const headrace_node& node = planned.node("n").c;
  for (std::uint32_t i = 0; i < node.param_count; ++i) {
    if (node.param_specs[i]->name == name) return node.params[i];
  }
  throw std::runtime_error("no parameter " + name);
}

std::string text(const headrace_param_value& value) { return {value.string.data, value.string.size}; }

TEST(BindParams, FillsEveryType) {
  const Planned p = bound(
      "{flag: true, count: 3, p: 0.5, name: a b, mode: bicubic, budget: 64MiB, patience: 500ms, any: x, "
      "mean: [1, 2.5, 3], size: "
      "[4, 5], words: [u, v]}");
  EXPECT_EQ(value(p, "flag").boolean, 1);
  EXPECT_EQ(value(p, "count").integer, 3);
  EXPECT_EQ(value(p, "count").number, 3.0);
  EXPECT_EQ(value(p, "p").number, 0.5);
  EXPECT_EQ(text(value(p, "name")), "a b");
  EXPECT_EQ(text(value(p, "mode")), "bicubic");
  EXPECT_EQ(value(p, "budget").integer, 64 << 20);
  EXPECT_EQ(value(p, "patience").number, 0.5);
  EXPECT_EQ(value(p, "any").type, HEADRACE_PARAM_STRING);
  EXPECT_EQ(text(value(p, "any")), "x");
  const headrace_param_value mean = value(p, "mean");
  ASSERT_EQ(mean.count, 3U);
  EXPECT_EQ(mean.is_list, 1U);
  EXPECT_EQ(mean.items[1].number, 2.5);
  EXPECT_EQ(value(p, "size").items[1].integer, 5);
  EXPECT_EQ(text(value(p, "words").items[1]), "v");
  for (const char* name : {"flag", "count", "p", "mean", "words"}) EXPECT_EQ(value(p, name).given, 1) << name;
  EXPECT_EQ(value(p, "count").size, sizeof(headrace_param_value));
}

TEST(BindParams, TakesDefaultsAndSaysWhatIsNotGiven) {
  const Planned p = bound("{}");
  EXPECT_EQ(value(p, "count").integer, 7);
  EXPECT_EQ(value(p, "count").given, 1);
  EXPECT_EQ(text(value(p, "mode")), "bilinear");
  EXPECT_EQ(value(p, "limit").integer, 9);
  for (const char* name : {"flag", "p", "name", "budget", "mean", "size"})
    EXPECT_EQ(value(p, name).given, 0) << name;
}

TEST(BindParams, TakesNullWhereItMayBeWritten) {
  EXPECT_EQ(value(bound("{limit: null}"), "limit").given, 0);
  EXPECT_EQ(fault("{count: null}"),
            "g.yaml:3:38: error: n.with.count must be an integer of at least 1, not nothing\n");
}

TEST(BindParams, TakesOneForAListOfOne) {
  const Planned one = bound("{size: 4}");
  const headrace_param_value size = value(one, "size");
  EXPECT_EQ(size.is_list, 1U);
  ASSERT_EQ(size.count, 1U);
  EXPECT_EQ(size.items[0].integer, 4);
}

TEST(BindParams, KeepsTheTypeOfAScalar) {
  EXPECT_EQ(value(bound("{any: true}"), "any").type, HEADRACE_PARAM_BOOL);
  EXPECT_EQ(value(bound("{any: 3}"), "any").type, HEADRACE_PARAM_INT);
  EXPECT_EQ(value(bound("{any: 3}"), "any").number, 3.0);
  EXPECT_EQ(value(bound("{any: 3.5}"), "any").type, HEADRACE_PARAM_FLOAT);
  EXPECT_EQ(value(bound("{any: \"3\"}"), "any").type, HEADRACE_PARAM_STRING);
  const Planned list = bound("{keep: [1, a, false]}");
  const headrace_param_value keep = value(list, "keep");
  EXPECT_EQ(keep.items[0].type, HEADRACE_PARAM_INT);
  EXPECT_EQ(keep.items[1].type, HEADRACE_PARAM_STRING);
  EXPECT_EQ(keep.items[2].type, HEADRACE_PARAM_BOOL);
}

TEST(BindParams, RefusesOtherTypes) {
  EXPECT_EQ(fault("{flag: yes}"),
            "g.yaml:3:37: error: n.with.flag must be true or false, not the text 'yes'\n");
  EXPECT_EQ(fault("{count: 3.0}"),
            "g.yaml:3:38: error: n.with.count must be an integer of at least 1, not the number 3.0\n");
  EXPECT_EQ(fault("{p: [0.5]}"), "g.yaml:3:34: error: n.with.p must be a number from 0 to 1, not a list\n");
  EXPECT_EQ(fault("{name: 3}"),
            "g.yaml:3:37: error: n.with.name must be a text, not the integer 3 (write \"3\" for text)\n");
  EXPECT_EQ(fault("{budget: 64mb}"),
            "g.yaml:3:39: error: n.with.budget must be a size such as 64MiB of at most 1 GiB, not the text "
            "'64mb'\n");
  EXPECT_EQ(fault("{patience: soon}"),
            "g.yaml:3:41: error: n.with.patience must be a duration such as 500ms, not the text 'soon'\n");
  EXPECT_EQ(fault("{any: {a: 1}}"),
            "g.yaml:3:36: error: n.with.any must be true, false, a number or a text, not a map\n");
}

TEST(BindParams, ChecksRanges) {
  EXPECT_EQ(fault("{count: 0}"),
            "g.yaml:3:38: error: n.with.count must be an integer of at least 1, not the integer 0\n");
  EXPECT_EQ(fault("{p: 1.01}"),
            "g.yaml:3:34: error: n.with.p must be a number from 0 to 1, not the number 1.01\n");
  EXPECT_EQ(
      fault("{p: .nan}"),
      "g.yaml:3:34: error: n.with.p must be a number from 0 to 1, not the number .nan (a number must be "
      "finite)\n");
  EXPECT_EQ(
      fault("{above: .inf}"),
      "g.yaml:3:38: error: n.with.above must be a number above 0, not the number .inf (a number must be "
      "finite)\n");
  EXPECT_EQ(fault("{above: 0}"),
            "g.yaml:3:38: error: n.with.above must be a number above 0, not the integer 0\n");
  EXPECT_EQ(fault("{budget: 2GiB}"),
            "g.yaml:3:39: error: n.with.budget must be a size such as 64MiB of at most 1 GiB, not the text "
            "'2GiB'\n");
  EXPECT_EQ(value(bound("{p: 0}"), "p").number, 0.0);
  EXPECT_EQ(value(bound("{p: 1}"), "p").number, 1.0);
}

TEST(BindParams, ChecksChoices) {
  EXPECT_EQ(fault("{mode: bilnear}"),
            "g.yaml:3:37: error: n.with.mode must be nearest, bilinear or bicubic, not the text 'bilnear' "
            "(did you mean "
            "'bilinear'?)\n");
  EXPECT_EQ(fault("{mode: 3}"),
            "g.yaml:3:37: error: n.with.mode must be nearest, bilinear or bicubic, not the integer 3\n");
}

TEST(BindParams, ChecksLists) {
  EXPECT_EQ(fault("{mean: 3}"),
            "g.yaml:3:37: error: n.with.mean must be a list of 3 numbers, not the integer 3\n");
  EXPECT_EQ(fault("{mean: [1, 2]}"),
            "g.yaml:3:37: error: n.with.mean must be a list of 3 numbers, not 2 of them\n");
  EXPECT_EQ(fault("{mean: [1, x, true]}"),
            "g.yaml:3:41: error: each of n.with.mean must be a number, not the text 'x'\n"
            "g.yaml:3:44: error: each of n.with.mean must be a number, not true\n");
  EXPECT_EQ(fault("{size: 0}"),
            "g.yaml:3:37: error: n.with.size must be an integer of at least 1 or a list of 1 to 2 integers, "
            "each of at least 1 "
            "(pixels), not the integer 0\n");
  EXPECT_EQ(fault("{size: []}"),
            "g.yaml:3:37: error: n.with.size must be an integer of at least 1 or a list of 1 to 2 integers, "
            "each of at least 1 "
            "(pixels), not 0 of them\n");
}

TEST(BindParams, NamesTheNearestParameter) {
  EXPECT_EQ(fault("{cuont: 3, moed: x}"),
            "g.yaml:3:31: error: unknown key 'cuont' in n.with (did you mean 'count'?)\n"
            "g.yaml:3:41: error: unknown key 'moed' in n.with (did you mean 'mode'?)\n");
  EXPECT_EQ(plan_nodes("f: {op: fake.files, with: {shufle: true}}", "f").errors,
            "g.yaml:3:30: error: unknown key 'shufle' in f.with (did you mean 'shuffle'?)\n");
}

TEST(BindParams, MissesWhatIsRequired) {
  EXPECT_EQ(
      plan_nodes("f: {op: fake.files}\nr: {op: fake.read, from: f}\nd: {op: fake.decode, from: r}\nc: {op: "
                 "fake.crop, from: d}",
                 "c")
          .errors,
      "g.yaml:6:3: error: c.with has no size, which fake.crop needs: an integer from 1 to 4096 (pixels)\n");
}

TEST(BindParams, TakesAYearFromTheEnvironmentForText) {
  const std::string head = "vars: {year: \"${env:NO_SUCH_VARIABLE:-2012}\"}\n";
  const Planned p =
      plan_nodes("n: {op: fake.params, with: {name: \"${vars.year}\", count: \"${vars.year}\"}}", "n", head);
  EXPECT_EQ(p.errors, "");
  EXPECT_EQ(text(value(p, "name")), "2012");
  EXPECT_EQ(value(p, "count").integer, 2012);
}

TEST(BindParams, SaysWhereAValueCameFrom) {
  EXPECT_EQ(plan_nodes("n: {op: fake.params, with: {count: \"${vars.c}\"}}", "n", "vars: {c: many}\n").errors,
            "g.yaml:4:38: error: n.with.count must be an integer of at least 1, not the text 'many' (from "
            "${vars.c}, given at "
            "g.yaml:2:11)\n");
}

TEST(ParamTakes, IsTheEndOfASentence) {
  const RegisteredOp& op = *fake_registry().find("fake.params");
  std::vector<std::string> takes;
  for (const headrace_param_spec& spec : op.params) takes.push_back(param_takes(spec));
  EXPECT_EQ(
      takes,
      (std::vector<std::string>{
          "true or false", "an integer of at least 1", "a number from 0 to 1", "a number above 0", "a text",
          "nearest, bilinear or bicubic", "a size such as 64MiB of at most 1 GiB", "a duration such as 500ms",
          "true, false, a number or a text", "a list of 3 numbers",
          "an integer of at least 1 or a list of 1 to 2 integers, each of at least 1 (pixels)",
          "true, false, a number or a text or a list of values", "an integer, or null", "a list of texts"}));
}

}  // namespace
}  // namespace headrace
