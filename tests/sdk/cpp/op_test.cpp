// SPDX-License-Identifier: Apache-2.0
//
// C++ classes as ops: what the comfort makes of them, tried on the bench.

#include <gtest/gtest.h>

#include <headrace/testing/op_bench.h>
#include <headrace/cpp/op.hpp>

#include <atomic>
#include <new>
#include <set>
#include <stdexcept>

namespace headrace {
namespace {

using testing::OpBench;
using testing::Outcome;
using testing::Record;
using testing::Value;

struct Fails {
  static constexpr OpInfo kInfo{.name = "acme.fails", .doc = "Fails in every way."};
  static constexpr std::array kParams{Param::string("how", "How.").otherwise("not")};
  static void declare(Declaration& d) {
    if (d.params().string("how") == "declare") throw std::runtime_error("declared too much");
    d->drops = 1;
  }
  explicit Fails(const Config& config) : how_(config.params().string("how")) {
    if (how_ == "create") throw Error(HEADRACE_UNSUPPORTED, "no such machine");
  }
  void open(headrace_opening&) const {
    if (how_ == "open") throw Error(HEADRACE_NOT_FOUND, "no data");
  }
  headrace_status process(Call& call) const {
    if (how_ == "error") throw Error(HEADRACE_DATA_ERROR, "bad data");
    if (how_ == "memory") throw std::bad_alloc();
    if (how_ == "exception") throw std::out_of_range("vector::at");
    if (how_ == "number") throw 42;  // NOLINT(misc-throw-by-value-catch-by-reference)
    if (how_ == "status") return call.fail(HEADRACE_IO_ERROR, "disk on fire");
    if (how_ == "twice") {
      call.fail(HEADRACE_IO_ERROR, "first");
      throw Error(HEADRACE_INTERNAL, "second");
    }
    return HEADRACE_OK;
  }

 private:
  std::string how_;
};

struct Listed {
  static constexpr OpInfo kInfo{.name = "acme.listed", .doc = "Has a fingerprint.", .rate = HEADRACE_SOURCE};
  static void declare(Declaration& d) { d->indexed = 1; }
  explicit Listed(const Config&) {}
  static void open(headrace_opening& opening) {
    opening.length = 1;
    set_fingerprint(opening, 0x0123456789abcdef, 42);
  }
  void process(Call&) const {}
};

struct Streams {
  static constexpr OpInfo kInfo{.name = "acme.streams",
                                .doc = "Draws from two streams, `first` numbers of one."};
  static constexpr std::array kParams{Param::integer("first", "How many.").otherwise("0")};
  static void declare(Declaration& d) { d.write(Spec::tensor("numbers", HEADRACE_UINT32, {2})); }
  explicit Streams(const Config& config) : first_(config.params().integer("first")) {}
  void process(Call& call) const {
    Random one = call.random(0, 1);
    Random two = call.random(0, 2);
    auto* to = call.allocate<std::uint32_t>(0, {2});
    to[0] = one.bits();
    for (std::int64_t i = 0; i < first_; ++i) one.bits();
    to[1] = two.bits();
  }

 private:
  std::int64_t first_;
};

struct Draws {
  static constexpr OpInfo kInfo{.name = "acme.draws", .doc = "Draws numbers."};
  static void declare(Declaration& d) { d.write(Spec::tensor("numbers", HEADRACE_FLOAT32, {64})); }
  explicit Draws(const Config&) {}
  void process(Call& call) const {
    Random random = call.random();
    float* to = call.allocate<float>(0, {64});
    for (int i = 0; i < 64; ++i) to[i] = random.uniform();
    EXPECT_LT(random.below(10), 10U);
    const double between = random.uniform(-2, 3);
    EXPECT_TRUE(between >= -2 && between < 3);
  }
};

struct Workers {
  struct Worker {
    explicit Worker(const Workers& op) : made(&op.made_) { ++*made; }
    ~Worker() { --*made; }
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;
    std::atomic<int>* made;
    int uses = 0;
  };
  static constexpr OpInfo kInfo{.name = "acme.workers", .doc = "Has a state a worker."};
  static void declare(Declaration& d) { d.write(Spec::tensor("made", HEADRACE_INT32, {})); }
  explicit Workers(const Config&) {}
  void process(Call& call, Worker& worker) {
    ++worker.uses;
    call.set_scalar<std::int32_t>(0, made_);
  }
  mutable std::atomic<int> made_{0};
};

struct Absorbs {
  static constexpr OpInfo kInfo{.name = "acme.absorbs", .doc = "Absorbs one op of its own."};
  static void declare(Declaration& d) { d.write(Spec::tensor("members", HEADRACE_INT32, {})); }
  static headrace_status absorb(Offer& offer) {
    if (offer.follower().op() == "acme.fails" && offer.follower().params().string("how") == "not")
      return HEADRACE_OK;
    if (offer.follower().op() == "acme.draws") throw std::runtime_error("draws are too hard");
    return offer.decline("only acme.fails is absorbed");
  }
  explicit Absorbs(const Config& config)
      : members_(config.member_count()), last_(config.member(members_ - 1).name()) {}
  headrace_status process(Call& call) const {
    if (members_ > 1) {
      EXPECT_EQ(last_, "second");
      return call.drop(1);
    }
    call.set_scalar(0, static_cast<std::int32_t>(members_));
    return HEADRACE_OK;
  }

 private:
  std::uint32_t members_;
  std::string_view last_;
};

struct Ports {
  static constexpr OpInfo kInfo{.name = "acme.ports", .doc = "Knows its ports."};
  static void declare(Declaration& d) {
    d.read("b");
    d.read("a");
    d.write(Spec::string("c"));
  }
  explicit Ports(const Config& config) {
    for (std::uint32_t i = 0; i < config.input_count(); ++i) names_ += config.input(i).name;
    names_ += ">";
    for (std::uint32_t i = 0; i < config.output_count(); ++i) names_ += config.output(i).name;
  }
  void process(Call& call) const { call.set_text(0, names_); }

 private:
  std::string names_;
};

constexpr headrace_plugin kAcme =
    plugin_table<Fails, Listed, Streams, Draws, Workers, Absorbs, Ports>("acme", "1.0.0", "For tests.");

OpBench fails(const std::string& how) { return OpBench(kAcme, {.op = "acme.fails", .with = {{"how", how}}}); }

Outcome outcome_of(const std::string& how) { return fails(how).map({}); }

TEST(CppOp, TurnsExceptionsIntoStatusAndText) {
  const struct {
    const char* how;
    headrace_status status;
    const char* text;
  } cases[] = {{"error", HEADRACE_DATA_ERROR, "bad data"},
               {"memory", HEADRACE_OUT_OF_MEMORY, "out of memory"},
               {"exception", HEADRACE_INTERNAL, "vector::at"},
               {"number", HEADRACE_INTERNAL, "an exception that is no std::exception"},
               {"status", HEADRACE_IO_ERROR, "disk on fire"},
               {"create", HEADRACE_UNSUPPORTED, "no such machine"},
               {"open", HEADRACE_NOT_FOUND, "no data"},
               {"not", HEADRACE_OK, ""}};
  for (const auto& c : cases) {
    const Outcome out = outcome_of(c.how);
    EXPECT_EQ(out.status, c.status) << c.how;
    EXPECT_EQ(out.error, c.text);
    EXPECT_TRUE(out.violations.empty());
  }
}

TEST(CppOp, KeepsTheFirstTextOfACall) { EXPECT_EQ(outcome_of("twice").error, "first"); }

TEST(CppOp, ReportsWhatIsThrownWhileItDeclares) {
  EXPECT_EQ(fails("declare").declare({{}}).fault_text(), "declared too much\n");
}

TEST(CppOp, DrawsTheSameNumbersForTheSameSample) {
  const auto numbers = [](OpBench bench, std::uint64_t position) {
    bench.set_sample({sizeof(headrace_sample), 0, 0, 0, position, {}});
    const Outcome out = bench.map({});
    EXPECT_TRUE(out.ok()) << out.error;
    return out.record["numbers"].elements<float>();
  };
  const auto bench = [](const char* name, std::uint64_t seed) {
    testing::BenchOptions options;
    options.seed = seed;
    return OpBench(kAcme, {.op = "acme.draws", .with = {}, .name = name}, options);
  };
  const std::vector<float> expected = numbers(bench("a", 1), 7);
  EXPECT_EQ(numbers(bench("a", 1), 7), expected);
  EXPECT_NE(numbers(bench("a", 1), 8), expected);
  EXPECT_NE(numbers(bench("a", 2), 7), expected);
  EXPECT_NE(numbers(bench("b", 1), 7), expected);
  EXPECT_EQ(std::set<float>(expected.begin(), expected.end()).size(), 64U);
  for (const float number : expected) EXPECT_TRUE(number >= 0 && number < 1);
}

TEST(CppOp, DrawsFromStreamsThatLeaveEachOtherAlone) {
  const auto numbers = [](const char* first) {
    OpBench bench(kAcme, {.op = "acme.streams", .with = {{"first", first}}});
    bench.set_sample({sizeof(headrace_sample), 0, 0, 0, 7, {}});
    const Outcome out = bench.map({});
    EXPECT_TRUE(out.ok()) << out.error;
    return out.record["numbers"].elements<std::uint32_t>();
  };
  EXPECT_EQ(numbers("0"), numbers("1000"));
  EXPECT_NE(numbers("0")[0], numbers("0")[1]);
}

TEST(CppOp, HasAStateForEachCallAtATime) {
  OpBench bench(kAcme, {.op = "acme.workers"});
  for (const Outcome& out : bench.map_all(std::vector<Record>(200), 4)) {
    ASSERT_TRUE(out.ok()) << out.error;
    const int made = out.record["made"].elements<std::int32_t>()[0];
    EXPECT_TRUE(made >= 1 && made <= 4) << made;
  }
}

TEST(CppOp, AbsorbsAndNamesTheMemberThatDropped) {
  OpBench bench(kAcme, {.op = "acme.absorbs"});
  EXPECT_EQ(bench.offer(kAcme, {.op = "acme.ports"}), "only acme.fails is absorbed");
  EXPECT_EQ(bench.offer(kAcme, {.op = "acme.draws"}), "draws are too hard");
  EXPECT_EQ(bench.offer(kAcme, {.op = "acme.fails", .with = {}, .name = "second"}), "");
  const Outcome out = bench.map({});
  EXPECT_EQ(out.status, HEADRACE_DROP);
  EXPECT_EQ(out.member, 1U);
  EXPECT_TRUE(out.violations.empty()) << "the member said that it drops";
}

TEST(CppOp, IsToldWhatItsPortsHold) {
  OpBench bench(kAcme, {.op = "acme.ports"});
  EXPECT_EQ(bench.map({{"a", Value::bytes("")}, {"b", Value::bytes("")}}).record["c"].content(), "ba>c");
}

TEST(CppOp, FillsTheTableByWhatTheClassHas) {
  const auto table = [](const char* name) { return OpBench(kAcme, {.op = name}).table(); };
  EXPECT_NE(table("acme.fails").open, nullptr);
  EXPECT_EQ(table("acme.draws").open, nullptr);
  EXPECT_EQ(table("acme.draws").create_worker, nullptr);
  EXPECT_NE(table("acme.workers").create_worker, nullptr);
  EXPECT_NE(table("acme.absorbs").absorb, nullptr);
  EXPECT_EQ(table("acme.fails").absorb, nullptr);
  EXPECT_EQ(kAcme.abi_major, static_cast<std::uint32_t>(HEADRACE_ABI_MAJOR));
  EXPECT_EQ(kAcme.abi_min_minor, 0U);
}

TEST(CppOp, GivesAFingerprintToAHostThatHasRoomForIt) {
  OpBench bench(kAcme, {.op = "acme.listed"});
  ASSERT_TRUE(bench.start().ok());
  EXPECT_EQ(bench.fingerprint(), (std::array<std::uint64_t, 2>{0x0123456789abcdef, 42}));

  headrace_opening of_minor_0{};
  of_minor_0.context.size = offsetof(headrace_opening, fingerprint);
  Listed::open(of_minor_0);
  EXPECT_EQ(of_minor_0.length, 1);
  EXPECT_EQ(of_minor_0.fingerprint[0], 0U);
  EXPECT_EQ(of_minor_0.fingerprint[1], 0U);
}

TEST(CppOp, RefusesAHostThatLendsTooLittle) {
  testing::BenchOptions options;
  options.lacks = {HEADRACE_MEMORY_SUITE};
  EXPECT_EQ(OpBench(kAcme, {.op = "acme.draws"}, options).map({}).status, HEADRACE_UNSUPPORTED);
}

}  // namespace
}  // namespace headrace
