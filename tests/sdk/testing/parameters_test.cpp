// SPDX-License-Identifier: Apache-2.0
//
// Text bound to parameters, as the bench does it.

#include "sdk/testing/parameters.h"

#include <gtest/gtest.h>

#include <headrace/cpp/op.hpp>

namespace headrace::testing {
namespace {

headrace_param_spec spec(Param param) { return param; }

/// The one parameter's value, bound; kept alive by `bound`.
struct Bound {
  Bound(Param param, const std::string& text) : parameters("acme.op", {spec(param)}, {{param.name, text}}) {}
  const headrace_param_value& value() const { return *parameters.values(); }
  Parameters parameters;
};

std::string fault(Param param, const std::string& text) {
  try {
    const Bound bound(param, text);
    return "";
  } catch (const std::invalid_argument& problem) {
    return problem.what();
  }
}

TEST(Parameters, BindsEveryType) {
  EXPECT_EQ(Bound(Param::boolean("p", "."), "true").value().boolean, 1);
  EXPECT_EQ(Bound(Param::integer("p", "."), "-12").value().integer, -12);
  EXPECT_EQ(Bound(Param::number("p", "."), "2").value().number, 2.0);
  EXPECT_EQ(Bound(Param::bytes("p", "."), "1.5KiB").value().integer, 1536);
  EXPECT_EQ(Bound(Param::bytes("p", "."), "4096").value().integer, 4096);
  EXPECT_EQ(Bound(Param::seconds("p", "."), "250ms").value().number, 0.25);
  EXPECT_EQ(Bound(Param::seconds("p", "."), "2min").value().number, 120.0);
  EXPECT_EQ(view(Bound(Param::string("p", "."), "plain text").value().string), "plain text");
  EXPECT_EQ(view(Bound(Param::string("p", "."), "'a: [b]'").value().string), "a: [b]");
}

TEST(Parameters, BindsLists) {
  const Bound list(Param::number("p", ".").list(2, 3), "[0.08, 1.0]");
  ASSERT_EQ(list.value().count, 2U);
  EXPECT_EQ(list.value().items[0].number, 0.08);
  EXPECT_EQ(list.value().is_list, 1U);
  const Bound one(Param::string("p", ".").one_or_list(), "x");
  ASSERT_EQ(one.value().count, 1U);
  EXPECT_EQ(view(one.value().items[0].string), "x");
  EXPECT_EQ(Bound(Param::integer("p", ".").list(), "[]").value().count, 0U);
  const Bound texts(Param::string("p", ".").list(), "['a, b', c]");
  EXPECT_EQ(view(texts.value().items[0].string), "a, b");
}

TEST(Parameters, TypesScalarsByTheirLooks) {
  const auto type = [](const std::string& text) { return Bound(Param::scalar("p", "."), text).value().type; };
  EXPECT_EQ(type("true"), HEADRACE_PARAM_BOOL);
  EXPECT_EQ(type("3"), HEADRACE_PARAM_INT);
  EXPECT_EQ(type("3.5"), HEADRACE_PARAM_FLOAT);
  EXPECT_EQ(type("cat"), HEADRACE_PARAM_STRING);
  EXPECT_EQ(type("'3'"), HEADRACE_PARAM_STRING);
}

TEST(Parameters, SaysWhatIsWrong) {
  static constexpr const char* kChoices[] = {"drop", "partial"};
  EXPECT_EQ(fault(Param::integer("p", "."), "x"), "parameter 'p' of acme.op cannot be 'x': it is no integer");
  EXPECT_EQ(fault(Param::integer("p", ".").range(1, 5), "6"),
            "parameter 'p' of acme.op cannot be '6': it is out of range");
  EXPECT_EQ(fault(Param::number("p", ".").above(0), "0"),
            "parameter 'p' of acme.op cannot be '0': it is out of range");
  EXPECT_EQ(fault(Param::choice("p", ".", kChoices), "x"),
            "parameter 'p' of acme.op cannot be 'x': it is none of the choices");
  EXPECT_EQ(fault(Param::integer("p", "."), "[1]"), "parameter 'p' of acme.op cannot be '[1]': it is a list");
  EXPECT_EQ(fault(Param::integer("p", ".").list(2), "[1]"),
            "parameter 'p' of acme.op cannot be '[1]': it has too few or too many elements");
  EXPECT_EQ(fault(Param::integer("p", "."), "null"),
            "parameter 'p' of acme.op cannot be 'null': it is no integer");
  EXPECT_THROW(Parameters("acme.op", {}, {{"q", "1"}}), std::invalid_argument);
  EXPECT_THROW(Parameters("acme.op", {spec(Param::integer("p", ".").required())}, {}), std::invalid_argument);
}

TEST(Parameters, FallsBackToTheDefaultAndKnowsWhenThereIsNone) {
  const Parameters bound("acme.op",
                         {spec(Param::integer("a", ".").otherwise("3")), spec(Param::integer("b", "."))}, {});
  EXPECT_EQ(bound.values()[0].integer, 3);
  EXPECT_EQ(bound.values()[1].given, 0);
  const Parameters null("acme.op", {spec(Param::integer("a", ".").nullable().otherwise("3"))},
                        {{"a", "null"}});
  EXPECT_EQ(null.values()[0].given, 0);
}

struct Part {
  static constexpr OpInfo kInfo{.name = "acme.part", .doc = "Is a part."};
  static constexpr const char* kParts[] = {"acme.part"};
  static constexpr std::array kParams{Param::integer("size", "Its size.").otherwise("3"),
                                      Param::string("word", "A word.").list(),
                                      Param::op("parts", "Its own parts.", kParts).list()};
  static void declare(Declaration&) {}
  explicit Part(const Config&) {}
  void process(Call&) {}
};
constexpr headrace_plugin kPlugin = plugin_table<Part>("acme", "1.0.0", "Parts.");

std::string part_fault(const std::string& text) {
  try {
    const Parameters bound("acme.op", {spec(Param::op("p", ".", Part::kParts).list(1))}, {{"p", text}},
                           &kPlugin);
    return "";
  } catch (const std::invalid_argument& problem) {
    return problem.what();
  }
}

TEST(Parameters, ReadsOpsWithinOps) {
  const Parameters bound(
      "acme.op", {spec(Param::op("p", ".", Part::kParts).list(1))},
      {{"p",
        "[{op: acme.part}, {op: acme.part, with: {size: 5, word: ['a, b', c], parts: [{op: acme.part}]}}]"}},
      &kPlugin);
  const headrace_param_value& parts = bound.values()[0];
  ASSERT_EQ(parts.count, 2U);
  const Node first(*parts.items[0].node);
  const Node second(*parts.items[1].node);
  EXPECT_EQ(first.op(), "acme.part");
  EXPECT_EQ(first.params().integer("size"), 3);
  EXPECT_EQ(second.params().integer("size"), 5);
  EXPECT_EQ(second.params().strings("word"), (std::vector<std::string>{"a, b", "c"}));
  EXPECT_EQ(second.params().ops("parts").size(), 1U);
  EXPECT_EQ(second.name(), "p[1]");
}

TEST(Parameters, SaysWhatIsWrongWithAnOp) {
  const std::string begin = "parameter 'p' of acme.op cannot be ";
  EXPECT_EQ(part_fault("[x]"), begin + "'[x]': it does not begin with {");
  EXPECT_EQ(part_fault("[{op: acme.part]"), begin + "'[{op: acme.part]': it does not end in ]");
  EXPECT_EQ(part_fault("[{op: acme.other}]"), begin + "'[{op: acme.other}]': it is none of the choices");
  EXPECT_EQ(part_fault("[{op: acme.part, p: 1}]"),
            begin + "'[{op: acme.part, p: 1}]': it has a key 'p' beside op and with");
  EXPECT_EQ(part_fault("[{op: acme.part, with: {size: x}}]"),
            begin +
                "'[{op: acme.part, with: {size: x}}]': it has an op whose parameter 'size' of acme.part "
                "cannot be 'x': it is no integer");
}

}  // namespace
}  // namespace headrace::testing
