// SPDX-License-Identifier: Apache-2.0
//
// Tables from this program's own memory, sound and broken.

#include "runtime/plugin/registry.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace headrace {
namespace {

headrace_status declare(headrace_declaration*) { return HEADRACE_OK; }
headrace_status create(const headrace_config*, void**) { return HEADRACE_OK; }
void destroy(void*) {}
headrace_status process(void*, headrace_call*) { return HEADRACE_OK; }
headrace_status choose(void*, headrace_choice*) { return HEADRACE_OK; }

/// A sound plugin "acme" with the op "acme.pass", to be spoiled.
struct Acme {
  Acme() {
    param.size = sizeof(param);
    param.type = HEADRACE_PARAM_INT;
    param.name = "k";
    param.doc = "K.";
    op.size = sizeof(op);
    op.version = 1;
    op.name = "acme.pass";
    op.doc = "Passes.";
    op.rate = HEADRACE_MAP;
    op.runs = HEADRACE_RUNS_CPU;
    op.min_inputs = op.max_inputs = 1;
    op.params = &param;
    op.param_count = 1;
    op.declare = declare;
    op.create = create;
    op.destroy = destroy;
    op.process = process;
    plugin.size = sizeof(plugin);
    plugin.abi_major = HEADRACE_ABI_MAJOR;
    plugin.op_count = 1;
    plugin.name = "acme";
    plugin.version = "1.0.0";
    plugin.doc = "Acme.";
    plugin.ops = ops;
  }
  Acme(const Acme&) = delete;
  Acme& operator=(const Acme&) = delete;

  /// What add() refuses it with; "" when it is taken.
  std::string refusal() {
    Registry registry;
    const Status status = registry.add(&plugin, "acme.so");
    EXPECT_EQ(registry.plugins().empty(), !status.ok());
    EXPECT_EQ(registry.op_names().empty(), !status.ok());
    return status.message();
  }
  std::string rule() {
    std::string text = refusal();
    const std::string begin = "it breaks the rules of the plugin ABI: ";
    EXPECT_EQ(text.substr(0, begin.size()), begin);
    return text.size() < begin.size() ? text : text.substr(begin.size());
  }

  headrace_param_spec param{};
  headrace_op op{};
  const headrace_op* ops[2] = {&op, &op};
  headrace_plugin plugin{};
};

TEST(Registry, FindsTheOpsOfWhatWasAdded) {
  Acme acme;
  Registry registry;
  ASSERT_TRUE(registry.add(&acme.plugin, "acme.so").ok());
  const RegisteredOp* op = registry.find("acme.pass");
  ASSERT_NE(op, nullptr);
  EXPECT_EQ(op->table.process, process);
  ASSERT_EQ(op->params.size(), 1U);
  EXPECT_EQ(op->table.params, op->params.data());
  EXPECT_EQ(op->param_specs.at(0), op->params.data());
  EXPECT_EQ(op->plugin->path, "acme.so");
  EXPECT_EQ(registry.find("acme.other"), nullptr);
  EXPECT_EQ(registry.op_names(), std::vector<std::string>{"acme.pass"});
}

TEST(Registry, KeepsItsOpsWhereTheyAreWhenItIsMoved) {
  Acme acme;
  Registry registry;
  ASSERT_TRUE(registry.add(&acme.plugin, "acme.so").ok());
  const RegisteredOp* op = registry.find("acme.pass");
  const Registry other = std::move(registry);
  EXPECT_EQ(other.find("acme.pass"), op);
  EXPECT_EQ(op->plugin, &other.plugins().front());
}

TEST(Registry, NeverLooksBeyondTheSizeOfAShorterTable) {
  Acme acme;
  acme.op.save = [](void*, const headrace_sink*) -> headrace_status { return HEADRACE_OK; };
  acme.op.size = offsetof(headrace_op, end_item);
  acme.param.has_range = 3;
  acme.param.minimum = 2;
  acme.param.maximum = 1;  // broken, but beyond what this plugin's headers knew
  acme.param.size = offsetof(headrace_param_spec, has_range);
  Registry registry;
  ASSERT_TRUE(registry.add(&acme.plugin, "acme.so").ok());
  const RegisteredOp* op = registry.find("acme.pass");
  EXPECT_EQ(op->table.size, sizeof(headrace_op));
  EXPECT_EQ(op->table.save, nullptr);
  EXPECT_EQ(op->params[0].has_range, 0U);
  EXPECT_EQ(op->params[0].size, sizeof(headrace_param_spec));
}

TEST(Registry, NamesBothVersionsWhenTheMajorDiffers) {
  Acme acme;
  acme.plugin.abi_major = HEADRACE_ABI_MAJOR + 1;
  const std::string text = acme.refusal();
  EXPECT_NE(text.find("built for plugin ABI 2, but headrace "), std::string::npos) << text;
  EXPECT_NE(text.find("speaks plugin ABI 1." + std::to_string(HEADRACE_ABI_MINOR)), std::string::npos)
      << text;
}

TEST(Registry, SaysWhichMinorAPluginNeeds) {
  Acme acme;
  acme.plugin.abi_min_minor = 7;
  EXPECT_NE(acme.refusal().find("it needs plugin ABI 1.7 or a later minor"), std::string::npos)
      << acme.refusal();
}

TEST(Registry, RefusesANullTableAndOneWithoutASize) {
  Registry registry;
  EXPECT_EQ(registry.add(nullptr, "x").message(), "it handed out no plugin table");
  Acme acme;
  acme.plugin.size = 4;
  EXPECT_NE(acme.refusal().find("4 bytes long"), std::string::npos);
  acme.plugin.size = 16;
  EXPECT_NE(acme.refusal().find("16 bytes long"), std::string::npos);
}

TEST(Registry, RefusesASecondPluginOfTheSameNameAndSaysWhereTheFirstIs) {
  Acme first;
  Acme second;
  Registry registry;
  ASSERT_TRUE(registry.add(&first.plugin, "/a/acme.so").ok());
  EXPECT_EQ(registry.add(&second.plugin, "/b/acme.so").message(),
            "a plugin named 'acme' is there already, from /a/acme.so (rename one, or take one away)");
  EXPECT_EQ(registry.plugins().size(), 1U);
}

TEST(Registry, RemembersWhyALibraryWasRefused) {
  Registry registry;
  registry.refuse({"image", "/p/image.so", "it cannot be loaded"});
  ASSERT_NE(registry.refused("image.decode"), nullptr);
  EXPECT_EQ(registry.refused("image.decode")->reason, "it cannot be loaded");
  EXPECT_EQ(registry.refused("images.decode"), nullptr);
}

TEST(Registry, NamesEveryBrokenRuleAtOnce) {
  Acme acme;
  acme.op.name = "other.pass";
  acme.op.process = nullptr;
  acme.param.default_yaml = "many";
  EXPECT_EQ(acme.rule(),
            "op 'other.pass' is not named 'acme.' and lower-case letters, digits and underscores; "
            "op 'other.pass' has no process(), which its rate needs; "
            "parameter 'k' of 'other.pass' has the default 'many', which is no integer");
}

struct Rule {
  const char* name;
  void (*spoil)(Acme&);
  const char* text;
};
void PrintTo(const Rule& rule, std::ostream* out) { *out << rule.name; }

class BrokenRule : public testing::TestWithParam<Rule> {};

TEST_P(BrokenRule, IsRefusedWithItsReason) {
  Acme acme;
  ASSERT_EQ(acme.refusal(), "");
  GetParam().spoil(acme);
  EXPECT_EQ(acme.rule(), GetParam().text);
}

constexpr Rule kRules[] = {
    {"PluginName",
     [](Acme& a) {
       a.plugin.name = "Acme";
       a.op.name = "Acme.pass";
     },
     "the plugin has no name of lower-case letters, digits and underscores"},
    {"PluginVersion", [](Acme& a) { a.plugin.version = ""; }, "the plugin has no version"},
    {"NoOps", [](Acme& a) { a.plugin.op_count = 0; }, "the plugin has no op"},
    {"MissingOp", [](Acme& a) { a.ops[0] = nullptr; }, "op number 0 is not there"},
    {"TwoOps", [](Acme& a) { a.plugin.op_count = 2; }, "it has two ops 'acme.pass'"},
    {"OpSize", [](Acme& a) { a.op.size = 8; },
     "an op table says that it is 8 bytes long, which no version of this ABI's is"},
    {"OpName", [](Acme& a) { a.op.name = nullptr; }, "an op has no name"},
    {"OpDoc", [](Acme& a) { a.op.doc = nullptr; }, "op 'acme.pass' has no doc"},
    {"Rate", [](Acme& a) { a.op.rate = 99; }, "op 'acme.pass' has the rate 99, which this ABI does not know"},
    {"Runs", [](Acme& a) { a.op.runs = 0; },
     "op 'acme.pass' runs in a place, 0, which this ABI does not know"},
    {"Create", [](Acme& a) { a.op.create = nullptr; },
     "op 'acme.pass' has no create(), which every op needs"},
    {"Choose", [](Acme& a) { a.op.rate = HEADRACE_WINDOW; },
     "op 'acme.pass' has no choose(), which its rate needs"},
    {"Worker",
     [](Acme& a) {
       a.op.create_worker = [](void*, const headrace_context*, void**) -> headrace_status {
         return HEADRACE_OK;
       };
     },
     "op 'acme.pass' has no destroy_worker(), which its create_worker() needs"},
    {"Save",
     [](Acme& a) { a.op.save = [](void*, const headrace_sink*) -> headrace_status { return HEADRACE_OK; }; },
     "op 'acme.pass' has no restore(), which its save() needs"},
    {"SourceInputs", [](Acme& a) { a.op.rate = HEADRACE_SOURCE; },
     "op 'acme.pass' is a source and must have no input"},
    {"MapInputs", [](Acme& a) { a.op.max_inputs = 2; },
     "op 'acme.pass' must have exactly one input (several are for joins and merges)"},
    {"MergeInputs",
     [](Acme& a) {
       a.op.rate = HEADRACE_MERGE;
       a.op.choose = choose;
       a.op.min_inputs = 3;
       a.op.max_inputs = 2;
     },
     "op 'acme.pass' wants more inputs than it takes"},
    {"MissingParams", [](Acme& a) { a.op.params = nullptr; },
     "op 'acme.pass' counts parameters that are not there"},
    {"ParamName", [](Acme& a) { a.param.name = "K"; },
     "op 'acme.pass' has a parameter, number 0, without a plain lower-case name"},
    {"ParamType", [](Acme& a) { a.param.type = 50; },
     "parameter 'k' of 'acme.pass' has the type 50, which this ABI does not know"},
    {"ParamDoc", [](Acme& a) { a.param.doc = ""; }, "parameter 'k' of 'acme.pass' has no doc"},
    {"RequiredDefault",
     [](Acme& a) {
       a.param.flags = HEADRACE_PARAM_REQUIRED;
       a.param.default_yaml = "1";
     },
     "parameter 'k' of 'acme.pass' is required and has a default"},
    {"DefaultRange",
     [](Acme& a) {
       a.param.has_range = 5;
       a.param.minimum = 0;
       a.param.default_yaml = "0";
     },
     "parameter 'k' of 'acme.pass' has the default '0', which is out of its range"},
    {"DefaultYaml",
     [](Acme& a) {
       a.param.flags = HEADRACE_PARAM_LIST;
       a.param.default_yaml = "3";
     },
     "parameter 'k' of 'acme.pass' has the default '3', which is no list"},
    {"DefaultLength",
     [](Acme& a) {
       a.param.flags = HEADRACE_PARAM_LIST;
       a.param.list_max = 1;
       a.param.default_yaml = "[1, 2]";
     },
     "parameter 'k' of 'acme.pass' has the default '[1, 2]', which has 2 elements, which its own bounds "
     "forbid"},
    {"DefaultNull", [](Acme& a) { a.param.default_yaml = "null"; },
     "parameter 'k' of 'acme.pass' has the default 'null', which is null, but it is not nullable"},
    {"DefaultSize",
     [](Acme& a) {
       a.param.type = HEADRACE_PARAM_BYTES;
       a.param.default_yaml = "true";
     },
     "parameter 'k' of 'acme.pass' has the default 'true', which is no size such as 64MiB"},
    {"ChoiceOfNumbers",
     [](Acme& a) {
       static const char* const kChoices[] = {"1"};
       a.param.choices = kChoices;
       a.param.choice_count = 1;
     },
     "parameter 'k' of 'acme.pass' has choices, but takes no text"},
    {"PartsWithoutChoices", [](Acme& a) { a.param.type = HEADRACE_PARAM_OP; },
     "parameter 'k' of 'acme.pass' does not say which ops it takes"},
    {"PartsOfAnotherPlugin",
     [](Acme& a) {
       static const char* const kChoices[] = {"acme.pass", "other.op"};
       a.param.type = HEADRACE_PARAM_OP;
       a.param.choices = kChoices;
       a.param.choice_count = 2;
     },
     "parameter 'k' of 'acme.pass' takes the op 'other.op', which the plugin has not"},
    {"PartsByDefault",
     [](Acme& a) {
       static const char* const kChoices[] = {"acme.pass"};
       a.param.type = HEADRACE_PARAM_OP;
       a.param.choices = kChoices;
       a.param.choice_count = 1;
       a.param.default_yaml = "{op: acme.pass}";
     },
     "parameter 'k' of 'acme.pass' takes ops and has a default"},
    {"RangeOfText",
     [](Acme& a) {
       a.param.type = HEADRACE_PARAM_STRING;
       a.param.has_range = 1;
     },
     "parameter 'k' of 'acme.pass' has a range, but takes no numbers"},
};

INSTANTIATE_TEST_SUITE_P(Registry, BrokenRule, testing::ValuesIn(kRules),
                         [](const testing::TestParamInfo<Rule>& rule) {
                           return std::string(rule.param.name);
                         });

TEST(Registry, TakesDefaultsOfEveryType) {
  struct Case {
    headrace_param_type type;
    std::uint32_t flags;
    const char* yaml;
  };
  for (const Case& c :
       {Case{HEADRACE_PARAM_BOOL, 0, "true"}, Case{HEADRACE_PARAM_FLOAT, 0, "1"},
        Case{HEADRACE_PARAM_FLOAT, HEADRACE_PARAM_LIST, "[0.08, 1.0]"},
        Case{HEADRACE_PARAM_STRING, 0, "image"}, Case{HEADRACE_PARAM_STRING, 0, "'3'"},
        Case{HEADRACE_PARAM_BYTES, 0, "64MiB"}, Case{HEADRACE_PARAM_SECONDS, 0, "500ms"},
        Case{HEADRACE_PARAM_SCALAR, 0, "false"}, Case{HEADRACE_PARAM_INT, HEADRACE_PARAM_NULLABLE, "null"},
        Case{HEADRACE_PARAM_INT, HEADRACE_PARAM_LIST | HEADRACE_PARAM_ONE_OR_LIST, "5"}}) {
    Acme acme;
    acme.param.type = c.type;
    acme.param.flags = c.flags;
    acme.param.default_yaml = c.yaml;
    EXPECT_EQ(acme.refusal(), "") << c.yaml;
  }
}

}  // namespace
}  // namespace headrace
