// SPDX-License-Identifier: Apache-2.0
//
// The bench: that it runs what is sound, and sees what is not.

#include "headrace/testing/op_bench.h"

#include <gtest/gtest.h>

#include <fstream>

#include "acme.h"
#include "tests/runtime/plugin/temporary_folder.h"

namespace headrace::testing {
namespace {

OpBench acme_op(const std::string& op, std::map<std::string, std::string> with = {},
                BenchOptions options = {}) {
  return OpBench(acme::kPlugin, {.op = "acme." + op, .with = std::move(with)}, std::move(options));
}

std::int64_t number(const Outcome& out, const char* field) {
  EXPECT_TRUE(out.ok()) << out.error;
  return out.record[field].elements<std::int64_t>().at(0);
}

TEST(OpBench, RunsAMap) {
  OpBench bench = acme_op("invert");
  const Value picture = Value::tensor<std::uint8_t>({2, 1, 3}, {0, 1, 2, 253, 254, 255}, HEADRACE_LAYOUT_HWC);
  const Outcome out = bench.map({{"image", picture}, {"label", Value::scalar(3)}});
  ASSERT_TRUE(out.ok()) << out.error;
  EXPECT_EQ(out.record["image"].elements<std::uint8_t>(),
            (std::vector<std::uint8_t>{255, 254, 253, 2, 1, 0}));
  EXPECT_EQ(out.record["label"], Value::scalar(3));
  EXPECT_EQ(picture.elements<std::uint8_t>()[0], 0) << "the test's own record was written to";
}

TEST(OpBench, GivesAnOutputItsInputsMemoryOnlyWhenTold) {
  for (const bool in_place : {true, false}) {
    BenchOptions options;
    options.in_place = in_place;
    OpBench bench = acme_op("invert", {}, options);
    EXPECT_EQ(bench.map({{"image", Value::tensor<std::uint8_t>({1}, {7})}})
                  .record["image"]
                  .elements<std::uint8_t>()[0],
              248);
    EXPECT_EQ(bench.declared().writes[0].in_place, 0);
  }
}

TEST(OpBench, SaysWhichFieldIsMissingOrWrong) {
  EXPECT_EQ(acme_op("invert").map({{"picture", Value::bytes("")}}).error, "there is no field 'image'\n");
  EXPECT_EQ(acme_op("invert").map({{"image", Value::bytes("")}}).error,
            "field: acme.invert wants a uint8 tensor\n");
  EXPECT_THROW(acme_op("nothing"), std::invalid_argument);
  EXPECT_THROW(acme_op("invert", {{"feild", "x"}}), std::invalid_argument);
}

TEST(OpBench, WaitsForACallThatIsPending) {
  for (const char* at_once : {"true", "false"}) {
    OpBench bench = acme_op("later", {{"at_once", at_once}});
    EXPECT_EQ(number(bench.map({{"x", Value::scalar<std::int64_t>(21)}}), "y"), 42);
  }
  const Outcome out = acme_op("later", {{"fails", "true"}}).map({{"x", Value::scalar<std::int64_t>(21)}});
  EXPECT_EQ(out.status, HEADRACE_DEVICE_ERROR);
  EXPECT_EQ(out.error, "the device is gone");
}

TEST(OpBench, RunsAnExpansionToItsEnd) {
  OpBench bench = acme_op("letters");
  std::string letters;
  for (const Outcome& child : bench.expand({{"text", Value::string("hut")}})) {
    letters += child.record["letter"].content();
    EXPECT_EQ(child.record["text"].content(), "hut");
    EXPECT_TRUE(child.violations.empty());
  }
  EXPECT_EQ(letters, "hut");
  const std::vector<Outcome> none = bench.expand({{"text", Value::string("")}});
  ASSERT_EQ(none.size(), 1U);
  EXPECT_EQ(none[0].status, HEADRACE_DROP);
}

TEST(OpBench, SavesAndRestores) {
  OpBench first = acme_op("sum");
  const Record three = {{"x", Value::scalar<std::int64_t>(3)}};
  first.map(three);
  EXPECT_EQ(number(first.map(three), "sum"), 6);
  OpBench second = acme_op("sum");
  second.declare({{FieldSpec::of("x", three["x"])}});
  ASSERT_TRUE(second.restore(first.save().second).ok());
  EXPECT_EQ(number(second.map(three), "sum"), 9);
  EXPECT_EQ(second.describe().second, "{\"sum\":9}");
  EXPECT_EQ(second.restore("x").error, "no state of acme.sum");
  EXPECT_EQ(acme_op("invert").save().first.status, HEADRACE_INVALID_ARGUMENT);
}

TEST(OpBench, ReducesByGroup) {
  OpBench bench = acme_op("pad");
  const Record shorter = {{"text", Value::string("short")}};
  const Record longer = {{"text", Value::string(std::string(20, 'x'))}};
  EXPECT_EQ(bench.assign(shorter).second, 0U);
  EXPECT_EQ(bench.assign(longer).second, 1U);
  EXPECT_EQ(bench.slot_shape(1, 0).second, std::vector<std::int64_t>{32});
  const Outcome out = bench.reduce({shorter, longer}, 1);
  ASSERT_TRUE(out.ok()) << out.error;
  EXPECT_EQ(out.record["padded"].shape(), (std::vector<std::int64_t>{2, 32}));
  EXPECT_EQ(out.record.names(), std::vector<std::string>{"padded"});
}

TEST(OpBench, LendsEverySuite) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a", "0123456789").string();
  OpBench bench = acme_op("borrows");
  const Outcome out = bench.map({{"path", Value::string(path)}});
  ASSERT_TRUE(out.ok()) << out.error;
  EXPECT_EQ(out.record["head"].content(), "123456789");
  EXPECT_EQ(out.record["same"].content(), path);
  EXPECT_EQ(out.record["mine"].elements<std::int32_t>(), (std::vector<std::int32_t>{0, 1, 4, 9}));
  EXPECT_EQ(bench.counts(), (std::map<std::string, std::int64_t>{{"reads", 1}}));
}

// ---------------------------------------------------------------- ops that break the rules

enum class Sin {
  unwritten,
  twice,
  wrong_shape,
  beyond_bound,
  silent,
  more,
  late_write,
  two_completes,
  no_complete,
  open_span,
  dropped
};

template <Sin kSin>
struct Sinner {
  static constexpr OpInfo kInfo{.name = "sin.op",
                                .doc = "Sins.",
                                .rate = HEADRACE_MAP,
                                .runs = kSin == Sin::two_completes || kSin == Sin::no_complete
                                            ? HEADRACE_RUNS_ASYNC
                                            : HEADRACE_RUNS_CPU};
  static void declare(Declaration& d) {
    Spec spec = Spec::tensor("y", HEADRACE_UINT8, {Spec::any("N"), Spec::any("N")});
    spec.bound_bytes = 100;
    d.write(spec);
  }
  explicit Sinner(const Config&) {}
  headrace_status process(Call& call) const {
    const Suites& suites = call.suites();
    switch (kSin) {
      case Sin::unwritten:
        return HEADRACE_OK;
      case Sin::twice:
        call.allocate<char>(0, {2, 2});
        call.allocate<char>(0, {2, 2});
        return HEADRACE_OK;
      case Sin::wrong_shape:
        call.allocate<char>(0, {2, 3});
        return HEADRACE_OK;
      case Sin::beyond_bound:
        call.allocate<char>(0, {11, 11});
        return HEADRACE_OK;
      case Sin::silent:
        return HEADRACE_DATA_ERROR;
      case Sin::more:
        call.allocate<char>(0, {2, 2});
        return HEADRACE_MORE;
      case Sin::open_span:
        suites.diagnostics->span_begin(&call.c()->context, "work");
        call.allocate<char>(0, {2, 2});
        return HEADRACE_OK;
      case Sin::late_write:
        suites.flow->complete(call.c(), HEADRACE_OK);
        call.allocate<char>(0, {2, 2});
        return HEADRACE_OK;
      case Sin::two_completes:
        call.allocate<char>(0, {2, 2});
        suites.flow->complete(call.c(), HEADRACE_OK);
        suites.flow->complete(call.c(), HEADRACE_OK);
        return HEADRACE_PENDING;
      case Sin::no_complete:
        return HEADRACE_PENDING;
      case Sin::dropped:
        return call.drop();
    }
    return HEADRACE_OK;
  }
};

template <Sin kSin>
std::string first_violation() {
  static constexpr headrace_plugin kPlugin = plugin_table<Sinner<kSin>>("sin", "1.0.0", "Sins.");
  BenchOptions options;
  options.timeout = std::chrono::milliseconds(20);
  OpBench bench(kPlugin, {.op = "sin.op"}, options);
  const Outcome out = bench.map({});
  return out.violations.empty() ? "" : out.violations.front();
}

TEST(OpBench, SeesEveryBreachOfTheRules) {
  EXPECT_EQ(first_violation<Sin::unwritten>(), "did not write 'y'");
  EXPECT_EQ(first_violation<Sin::twice>(), "wrote 'y' twice");
  EXPECT_EQ(first_violation<Sin::wrong_shape>(), "gave 'y' a shape other than declared");
  EXPECT_EQ(first_violation<Sin::beyond_bound>(), "'y' takes 121 bytes, more than its bound");
  EXPECT_EQ(first_violation<Sin::silent>(), "failed with status -3 and no text");
  EXPECT_EQ(first_violation<Sin::more>(), "returned status 3, which its rate does not know");
  EXPECT_EQ(first_violation<Sin::open_span>(), "left a span open: work");
  EXPECT_EQ(first_violation<Sin::late_write>(), "wrote 'y' after complete()");
  EXPECT_EQ(first_violation<Sin::two_completes>(), "completed a call twice");
  EXPECT_EQ(first_violation<Sin::no_complete>(), "never completed a pending call");
  EXPECT_EQ(first_violation<Sin::dropped>(), "dropped a record and did not declare that it drops");
}

}  // namespace
}  // namespace headrace::testing
