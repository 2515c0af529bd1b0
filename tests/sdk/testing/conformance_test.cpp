// SPDX-License-Identifier: Apache-2.0
//
// The conformance suite on ops that are sound, and on ops with one fault each.

#include "headrace/testing/conformance.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <csignal>

#include "acme.h"

namespace headrace::testing {
namespace {

TEST(Conformance, FindsSoundOpsOfEveryRateSound) {
  ConformanceOptions options;
  options.examples = {{{.op = "acme.later"}, {{{"x", Value::scalar<std::int64_t>(4)}}}},
                      {{.op = "acme.sum"}, {{{"x", Value::scalar<std::int64_t>(4)}}}}};
  const ConformanceReport report = check_conformance(acme::kPlugin, options);
  EXPECT_TRUE(report.passed()) << report.to_string();
  for (const char* op :
       {"acme.invert", "acme.later", "acme.letters", "acme.sum", "acme.pad", "acme.borrows"}) {
    bool is_called = false;
    for (const Check& check : report.checks)
      is_called |= check.op == op && check.what == "keeps the rules of a call";
    EXPECT_TRUE(is_called) << op << "\n" << report.to_string();
  }
}

// ---------------------------------------------------------------- ops with one fault each

struct Sound {
  static constexpr OpInfo kInfo{.name = "odd.op", .doc = "Sound, to be spoiled."};
  static void declare(Declaration& d) { d.write(Spec::tensor("y", HEADRACE_UINT8, {4})); }
  explicit Sound(const Config&) {}
  void process(Call& call) const { std::memset(call.allocate<char>(0, {4}), 7, 4); }
};

struct ChangesItsMind : Sound {
  using Sound::Sound;
  static void declare(Declaration& d) {
    static std::atomic<int> calls{0};
    d.write(Spec::tensor("y", HEADRACE_UINT8, {4 + calls++ % 2}));
  }
};

struct DependsOnMemory : Sound {
  using Sound::Sound;
  void process(Call& call) const { std::memset(call.allocate<char>(0, {4}), 7, 3); }
};

struct RemembersSamples : Sound {
  using Sound::Sound;
  void process(Call& call) { std::memset(call.allocate<char>(0, {4}), static_cast<int>(++calls_), 4); }
  std::atomic<int> calls_{0};
};

struct CrashesInACall : Sound {
  using Sound::Sound;
  void process(Call&) const { std::raise(SIGKILL); }
};

struct LeavesTheProcess : Sound {
  using Sound::Sound;
  void process(Call&) const { _exit(9); }
};

struct Hangs : Sound {
  using Sound::Sound;
  void process(Call&) const {
    for (;;) pause();
  }
};

struct DeclinesInSilence : Sound {
  using Sound::Sound;
  static headrace_status absorb(Offer&) { return HEADRACE_UNSUPPORTED; }
};

struct AbsorbsAnything : Sound {
  using Sound::Sound;
  static headrace_status absorb(Offer&) { return HEADRACE_OK; }
};

struct ForgetsItsState : Sound {
  using Sound::Sound;
  void process(Call& call) { std::memset(call.allocate<char>(0, {4}), static_cast<int>(++calls_), 4); }
  headrace_status save(const headrace_sink& sink) const { return sink.write(&sink, &calls_, sizeof(calls_)); }
  void restore(std::span<const std::byte>) {}
  static constexpr OpInfo kInfo{
      .name = "odd.op", .doc = "Serial.", .rate = HEADRACE_MAP, .runs = HEADRACE_RUNS_CPU, .serial = true};
  int calls_ = 0;
};

struct SpeaksNoJson : Sound {
  using Sound::Sound;
  std::string describe() const { return "nothing much"; }
};

struct FindsOtherSamples {
  static constexpr OpInfo kInfo{.name = "odd.op", .doc = "Lists differently.", .rate = HEADRACE_SOURCE};
  static void declare(Declaration& d) {
    d.write(Spec::tensor("y", HEADRACE_UINT8, {}));
    d->indexed = 1;
  }
  explicit FindsOtherSamples(const Config&) {}
  void open(headrace_opening& opening) const {
    static std::atomic<std::int64_t> opens{0};
    opening.length = ++opens;
    set_fingerprint(opening, 1, static_cast<std::uint64_t>(opens));
  }
  void process(Call& call) const { call.set_scalar<std::uint8_t>(0, 7); }
};

struct ChoosesWhatIsNotThere {
  static constexpr OpInfo kInfo{.name = "odd.op", .doc = "Chooses badly.", .rate = HEADRACE_WINDOW};
  static void declare(Declaration& d) { d->window = 4; }
  explicit ChoosesWhatIsNotThere(const Config&) {}
  void choose(headrace_choice& choice, const Suites&) const { choice.choice = choice.count; }
};

struct NoBatch {
  static constexpr OpInfo kInfo{.name = "odd.op", .doc = "A batch of nothing.", .rate = HEADRACE_REDUCE};
  static void declare(Declaration&) {}
  explicit NoBatch(const Config&) {}
  void process(Call&) const {}
};

/// Every fault of the op, by the checks that found it.
template <class Op>
std::string faults(unsigned seconds = 120) {
  static constexpr headrace_plugin kPlugin = plugin_table<Op>("odd", "1.0.0", "Has one fault.");
  ConformanceOptions options;
  options.seconds = seconds;
  std::string text;
  for (const Check& check : check_conformance(kPlugin, options).checks) {
    for (const std::string& fault : check.faults) text += check.what + ": " + fault + "\n";
  }
  return text;
}

template <class Op>
void expect_fault(const std::string& expected, unsigned seconds = 120) {
  const std::string found = faults<Op>(seconds);
  EXPECT_NE(found.find(expected), std::string::npos) << "no '" << expected << "' in:\n" << found;
}

TEST(Conformance, FindsNoFaultWhereThereIsNone) { EXPECT_EQ(faults<Sound>(), ""); }

TEST(Conformance, FindsADeclarationThatChanges) {
  expect_fault<ChangesItsMind>(
      "declares the same each time, on any thread: a second declare() said something else");
}

TEST(Conformance, FindsAnOutputThatIsNotWrittenWhole) {
  expect_fault<DependsOnMemory>(
      "wherever outputs lie: another instance, with other memory, gave something else");
}

TEST(Conformance, FindsAnOpThatDependsOnWhatItSawBefore) {
  expect_fault<RemembersSamples>("the same instance gave something else the second time");
}

TEST(Conformance, LaysACrashToTheCheckThatWasUnderWay) {
  EXPECT_EQ(faults<CrashesInACall>(), "keeps the rules of a call: crashed by signal 9\n");
  EXPECT_EQ(faults<LeavesTheProcess>(), "keeps the rules of a call: ended the process with exit code 9\n");
}

TEST(Conformance, GivesUpOnAnOpThatHangs) {
  EXPECT_EQ(faults<Hangs>(1), "keeps the rules of a call: did not come back\n");
}

TEST(Conformance, FindsSilenceAndGreedInAbsorb) {
  expect_fault<DeclinesInSilence>("declined with status -5 and no reason");
  expect_fault<AbsorbsAnything>("absorbed an op that it cannot know");
}

TEST(Conformance, FindsAStateThatIsNotRestored) {
  expect_fault<ForgetsItsState>("restores what it saved: what it restored it saves differently");
}

TEST(Conformance, FindsADescriptionThatIsNoJson) {
  expect_fault<SpeaksNoJson>("describes itself as a JSON object: gave nothing much");
}

TEST(Conformance, FindsASourceThatFindsOtherSamplesTheSecondTime) {
  const std::string found = faults<FindsOtherSamples>();
  EXPECT_NE(found.find("finds the same when it is opened again: gave a length of"), std::string::npos)
      << found;
  EXPECT_NE(found.find("finds the same when it is opened again: gave another fingerprint"),
            std::string::npos);
}

TEST(Conformance, FindsAChoiceThatIsNone) { expect_fault<ChoosesWhatIsNotThere>("which there is not"); }

TEST(Conformance, FindsABatchOfNothing) { expect_fault<NoBatch>("declared a batch of 0"); }

TEST(Conformance, FindsFaultsOfTheTable) {
  headrace_op op = detail::kOpTable<Sound>;
  op.name = "other.op";
  op.process = nullptr;
  headrace_param_spec param = Param::integer("k", "K.").otherwise("many");
  op.params = &param;
  op.param_count = 1;
  const headrace_op* const ops[] = {&op};
  headrace_plugin plugin = plugin_table<Sound>("odd", "1.0.0", "Spoiled.");
  plugin.ops = ops;
  EXPECT_EQ(check_conformance(plugin).to_string(),
            "ok    plugin has a sound table\n"
            "FAULT other.op has a sound table\n"
            "      is not named odd. and lower-case letters, digits and underscores\n"
            "      has no process()\n"
            "      parameter 'k' of it cannot be 'many': it is no integer\n");
}

TEST(Conformance, SaysWhyALibraryDoesNotLoad) {
  const ConformanceReport report = check_conformance(std::string("/nowhere/acme.so"));
  EXPECT_FALSE(report.passed());
  EXPECT_NE(report.to_string().find("/nowhere/acme.so: cannot open shared object file"), std::string::npos);
}

}  // namespace
}  // namespace headrace::testing
