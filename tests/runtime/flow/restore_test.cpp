// SPDX-License-Identifier: Apache-2.0
//
// Saved anywhere, a run goes on elsewhere with exactly what it had not yet given: for graphs of every shape,
// cut after any number of batches, at any number of threads, once and again.
#include <gtest/gtest.h>

#include <ostream>

#include "runtime/graph/seek.h"
#include "tests/runtime/flow/harness.h"
#include "tests/runtime/flow/test_ops.h"

namespace headrace::test {
namespace {

/// What a consumer gets: where it stands in the run, and every number of every field.
struct Given {
  std::uint64_t epoch = 0;
  std::uint64_t step = 0;
  std::uint64_t rows = 0;
  std::vector<std::int64_t> numbers;
  bool operator==(const Given&) const = default;
};

void PrintTo(const Given& given, std::ostream* out) {
  *out << "epoch " << given.epoch << " step " << given.step << ":";
  for (const std::int64_t n : given.numbers) *out << " " << n;
}

Given given(const Delivered& batch) {
  Given out{batch.epoch, batch.step, batch.rows, {}};
  for (const headrace_value* value : batch.values) {
    if (value->kind == HEADRACE_TENSOR && value->dtype == HEADRACE_INT64) {
      const auto numbers = integers(*value);
      out.numbers.insert(out.numbers.end(), numbers.begin(), numbers.end());
    }
  }
  return out;
}

constexpr std::int64_t kEpochs = 3;

/// A run of kEpochs epochs that is told for each output how many of its batches and ends of epochs to take.
class Cut {
 public:
  explicit Cut(std::string text, std::vector<std::string> sets, std::vector<std::string> checkpoints = {})
      : run_(std::move(text), std::move(sets), options(checkpoints)),
        taken_(run_.pipeline().plan().outputs.size()) {}

  /// A batch, or the end of an epoch; false when there is nothing more.
  bool take(std::size_t output) {
    if (is_over(output)) return false;
    if (auto batch = run_.next(output)) {
      taken_[output].push_back(given(*batch));
    } else if (run_.last() != Pipeline::Next::end) {
      throw std::runtime_error(run_.failure());
    }
    return true;
  }
  /// Everything that is left, outputs by turns.
  void drain() {
    bool any = true;
    while (any) {
      any = false;
      for (std::size_t o = 0; o < taken_.size(); ++o) any = take(o) || any;
    }
    const nlohmann::json account = run_.stats()["epochs"];
    EXPECT_TRUE(taken_.front().empty() || !account.empty());
    for (const auto& epoch : account) {
      if (epoch["complete"] == true && !epoch["in_flight"].is_null()) {
        EXPECT_EQ(epoch["in_flight"], 0) << epoch;
      }
    }
  }
  std::string save() {
    const Result<std::string> text = run_.pipeline().save();
    if (!text.ok()) throw std::runtime_error(text.status().message());
    return *text;
  }
  const std::vector<std::vector<Given>>& taken() const { return taken_; }
  nlohmann::json stats() { return run_.stats(); }

 private:
  static PipelineOptions options(const std::vector<std::string>& checkpoints) {
    PipelineOptions options{.epochs = kEpochs};
    for (const std::string& text : checkpoints) {
      Result<Checkpoint> read = read_checkpoint(text);
      if (!read.ok()) throw std::runtime_error(read.status().message());
      options.checkpoints.push_back(std::move(read).value());
    }
    return options;
  }
  bool is_over(std::size_t output) {
    const std::string name = run_.pipeline().plan().outputs[output].name;
    return run_.stats()["outputs"][name]["epoch"] == kEpochs;
  }

  GraphRun run_;
  std::vector<std::vector<Given>> taken_;
};

struct Shape {
  const char* name;
  const char* text;
  const char* resumes;  ///< how its plan begins to say what going on costs
};

void PrintTo(const Shape& shape, std::ostream* out) { *out << shape.name; }

#define HEAD "version: 1\nruntime: {threads: 4}\nnodes:\n"
constexpr const char* kCount =
    "  count: {op: test.count, with: {n: 47, shuffle: true}}\n  draw: {op: test.draw, from: count}\n";

const std::string kTexts[] = {
    std::string(HEAD) + kCount +
        "  wait: {op: test.jitter, from: draw}\n"
        "  batch: {op: batch.stack, from: wait, with: {size: 5, last: partial}}\noutputs: {out: {from: "
        "batch}}\n",
    std::string(HEAD) + kCount +
        "  bad: {op: test.fail, from: draw, with: {every: 7}, on_error: skip}\n"
        "  some: {op: test.drop, from: bad, with: {every: 4}}\n"
        "  fill: {op: test.fill, from: some, with: {size: 3}}\n"
        "  batch: {op: batch.stack, from: fill, with: {size: 4}}\noutputs: {out: {from: batch}}\n",
    std::string(HEAD) +
        "  count: {op: source.range, with: {n: 47, shuffle: true}}\n  draw: {op: test.draw, from: count}\n"
        "  batch: {op: batch.stack, from: draw, with: {size: 3}}\n"
        "  mark: {op: test.draw, from: batch}\n"
        "  twice: {op: batch.stack, from: mark, with: {size: 2}}\noutputs: {out: {from: twice}}\n",
    std::string(HEAD) + kCount +
        "  a: {op: batch.stack, from: draw, with: {size: 4, last: partial}, tokens: 40}\n"
        "  b: {op: batch.stack, from: draw, with: {size: 7}, tokens: 40}\n"
        "outputs: {one: {from: a}, two: {from: b}, three: {from: a, fields: [index]}}\n",
    std::string(HEAD) + kCount +
        "  a: {op: test.jitter, from: draw}\n  b: {op: test.drop, from: draw, with: {every: 5}}\n"
        "  zip: {op: flow.zip, from: [a, b], with: {suffixes: [_a, _b]}}\n"
        "  batch: {op: batch.stack, from: zip, with: {size: 6}}\noutputs: {out: {from: batch}}\n",
    std::string(HEAD) + kCount + "outputs: {out: {from: draw, fields: [index, drawn]}}\n",
    std::string(HEAD) +
        "  count: {op: test.stream, with: {n: 900, blocking: true}}\n"
        "  batch: {op: batch.stack, from: count, with: {size: 60, last: partial}}\noutputs: {out: {from: "
        "batch}}\n",
    std::string(HEAD) + kCount +
        "  mix: {op: flow.shuffle, from: draw, with: {window: 9}}\n"
        "  batch: {op: batch.stack, from: mix, with: {size: 5}}\noutputs: {out: {from: batch}}\n",
    std::string(HEAD) + kCount +
        "  other: {op: test.count, with: {n: 13}}\n  drawn: {op: test.draw, from: other}\n"
        "  mix: {op: flow.mix, from: [draw, drawn], with: {weights: [3, 1]}}\n"
        "  batch: {op: batch.stack, from: mix, with: {size: 5}}\noutputs: {out: {from: batch}}\n",
    std::string(HEAD) + kCount +
        "  five: {op: test.children, from: draw, with: {n: 3}}\n"
        "  batch: {op: batch.stack, from: five, with: {size: 4, last: partial}}\noutputs: {out: {from: "
        "batch}}\n",
    std::string(HEAD) + kCount +
        "  total: {op: test.total, from: draw}\n"
        "  batch: {op: batch.stack, from: total, with: {size: 5}}\noutputs: {out: {from: batch}}\n",
    std::string(HEAD) + kCount +
        "  batch: {op: test.parity, from: draw, with: {size: 4}}\noutputs: {out: {from: batch}}\n",
    std::string(HEAD) + kCount +
        "  bad: {op: test.fail, from: draw, with: {every: 7}, on_error: skip}\n"
        "  five: {op: test.children, from: bad, with: {n: 3}}\n"
        "  mix: {op: flow.shuffle, from: five, with: {window: 12}}\n"
        "  some: {op: test.drop, from: mix, with: {every: 4}}\n"
        "  batch: {op: batch.stack, from: some, with: {size: 15, last: partial}, tokens: 60}\n"
        "  tens: {op: batch.stack, from: bad, with: {size: 6}, tokens: 60}\n"
        "outputs: {out: {from: batch}, two: {from: tens}}\n",
    std::string(HEAD) + kCount +
        "  far: {op: flow.shuffle, from: draw, with: {window: 9}}\n"
        "  zip: {op: flow.zip, from: [draw, far], with: {suffixes: [_a, _b]}}\n"
        "  batch: {op: batch.stack, from: zip, with: {size: 6}}\noutputs: {out: {from: batch}}\n",
    std::string(HEAD) + kCount +
        "  a: {op: batch.stack, from: draw, with: {size: 4}}\n"
        "  b: {op: batch.stack, from: count, with: {size: 4}}\n"
        "  zip: {op: flow.zip, from: [a, b], with: {suffixes: [_a, _b]}}\noutputs: {out: {from: zip}}\n",
    std::string(HEAD) + kCount +
        "  bad: {op: test.fail, from: draw, with: {every: 2}, on_error: skip}\n"
        "  batch: {op: batch.stack, from: bad, with: {size: 4, last: pad}, tokens: 20}\n"
        "outputs: {out: {from: batch}, two: {from: batch, fields: [index]}}\n",
    std::string(HEAD) +
        "  count: {op: source.range, with: {n: 47, shuffle: true}}\n"
        "  some: {op: flow.filter, from: count, with: {field: index, min: 3, max: 25}}\n"
        "  one: {op: batch.stack, from: some, with: {size: 1, last: wrap}}\n"
        "  batch: {op: batch.stack, from: one, with: {size: 2, last: wrap}}\noutputs: {out: {from: batch}}\n",
    std::string(HEAD) + kCount +
        "  other: {op: test.count, with: {n: 29}}\n  more: {op: test.draw, from: other}\n"
        "  a: {op: batch.stack, from: draw, with: {size: 4}}\n"
        "  b: {op: batch.stack, from: more, with: {size: 4}}\n"
        "  mix: {op: flow.mix, from: [a, b], with: {weights: [3, 1]}}\noutputs: {out: {from: mix}}\n",
    std::string(HEAD) +
        "  count: {op: source.range, with: {n: 47, shuffle: true}}\n"
        "  one: {op: batch.stack, from: count, with: {size: 3, last: pad}}\n"
        "  bad: {op: test.fail, from: one, with: {every: 5}, on_error: skip}\n"
        "  batch: {op: batch.stack, from: bad, with: {size: 2, last: pad}}\noutputs: {out: {from: batch}}\n",
};

const Shape kShapes[] = {
    {"chain", kTexts[0].c_str(), "at once"},
    {"failures_and_drops", kTexts[1].c_str(), "at once"},
    {"batches_of_batches", kTexts[2].c_str(), "at once"},
    {"several_outputs", kTexts[3].c_str(), "at once"},
    {"zip", kTexts[4].c_str(), "at once"},
    {"no_batch", kTexts[5].c_str(), "at once"},
    {"stream", kTexts[6].c_str(), "at once"},
    {"shuffle_window", kTexts[7].c_str(), "the epoch is gone through again up to 'mix', "},
    {"mix", kTexts[8].c_str(), "the epoch is gone through again up to 'mix', "},
    {"children", kTexts[9].c_str(), "the epoch is gone through again up to 'five', "},
    {"stateful", kTexts[10].c_str(), "the whole epoch is gone through again, up to output 'out': 'total' "},
    {"groups", kTexts[11].c_str(), "the whole epoch is gone through again, up to output 'out': 'batch' "},
    {"window_before_and_after", kTexts[12].c_str(), "the epoch is gone through again up to 'mix', "},
    {"zip_of_a_window", kTexts[13].c_str(),
     "the whole epoch is gone through again, up to output 'out': 'far' "},
    {"made_up_batches", kTexts[15].c_str(), "at once"},
    {"made_up_batches_of_batches", kTexts[16].c_str(), "at once"},
    {"mix_of_batches", kTexts[17].c_str(), "the epoch is gone through again up to 'mix', "},
    {"lost_batches", kTexts[18].c_str(),
     "the whole epoch is gone through again, up to output 'out': 'batch' "},
    {"zip_of_batches", kTexts[14].c_str(),
     "the whole epoch is gone through again, up to output 'out': 'zip' "},
};

class Restore : public testing::TestWithParam<Shape> {
 protected:
  void SetUp() override { Stand::get().reset(); }
  void TearDown() override { expect_nothing_left(); }
};

std::vector<std::vector<Given>> uninterrupted(const std::string& text, const std::string& threads) {
  Cut run(text, {"runtime.threads=" + threads});
  run.drain();
  return run.taken();
}

void append(std::vector<std::vector<Given>>& all, const std::vector<std::vector<Given>>& more) {
  for (std::size_t o = 0; o < all.size(); ++o) all[o].insert(all[o].end(), more[o].begin(), more[o].end());
}

TEST_P(Restore, GoesOnWithExactlyWhatWasNotGiven) {
  const auto whole = uninterrupted(GetParam().text, "1");
  const std::size_t outputs = whole.size();
  for (const std::size_t first : {0U, 1U, 2U, 5U, 9U, 11U, 23U}) {
    for (const std::size_t lag : {0U, 3U}) {
      if (lag > 0 && (outputs == 1 || first <= lag)) continue;
      std::vector<std::vector<Given>> all(outputs);
      std::string saved;
      {
        Cut run(GetParam().text, {"runtime.threads=2"});
        for (std::size_t i = 0; i < first; ++i) {
          for (std::size_t o = 0; o < outputs; ++o) {
            if (o == 0 || i < first - lag) run.take(o);
          }
        }
        saved = run.save();
        append(all, run.taken());
      }
      {
        Cut run(GetParam().text, {"runtime.threads=3", "runtime.fuse=false"}, {saved});
        EXPECT_EQ(run.save(), saved) << "nothing was taken in between";
        for (int i = 0; i < 4; ++i) run.take(0);
        saved = run.save();
        append(all, run.taken());
      }
      {
        Cut run(GetParam().text, {"runtime.threads=1"}, {saved});
        run.drain();
        append(all, run.taken());
      }
      EXPECT_EQ(all, whole) << "cut after " << first << " batches, lag " << lag;
      EXPECT_LE(saved.size(), 1024U) << saved;
    }
  }
}

TEST_P(Restore, BeginsWhereItCanBegin) {
  EXPECT_EQ(resume_text(*plan_of(GetParam().text)).find(GetParam().resumes), 0U)
      << resume_text(*plan_of(GetParam().text));
}

INSTANTIATE_TEST_SUITE_P(Shapes, Restore, testing::ValuesIn(kShapes),
                         [](const auto& each) { return std::string(each.param.name); });

const std::string kChain = std::string(HEAD) +
                           "  count: {op: source.range, with: {n: 100000, shuffle: true}}\n"
                           "  batch: {op: batch.stack, from: count, with: {size: 10}}\n"
                           "outputs: {out: {from: batch}}\n";

class Saved : public testing::Test {
 protected:
  static std::string after(const std::string& text, int batches, const std::vector<std::string>& sets = {}) {
    Cut run(text, sets);
    for (int i = 0; i < batches; ++i) run.take(0);
    return run.save();
  }
  static std::string refusal(const std::string& text, const std::string& saved,
                             const std::vector<std::string>& sets = {}) {
    try {
      const Cut run(text, sets, {saved});
    } catch (const std::runtime_error& why) {
      return why.what();
    }
    return "";
  }
};

TEST_F(Saved, AnIndexedSourceMakesNothingAgain) {
  Cut run(kChain, {}, {after(kChain, 9000)});
  for (int i = 0; i < 5; ++i) run.take(0);
  EXPECT_LT(run.stats()["nodes"]["count"]["in"], 1000);
  EXPECT_EQ(run.taken()[0].front().step, 9000U);
}

TEST_F(Saved, WhatAWindowLetOutIsNotWorkedOnAgain) {
  const std::string text =
      std::string(HEAD) +
      "  count: {op: test.stream, with: {n: 5000}}\n"
      "  mix: {op: flow.shuffle, from: count, with: {window: 50}}\n"
      "  work: {op: test.noop, from: mix}\n"
      "  batch: {op: batch.stack, from: work, with: {size: 10}}\noutputs: {out: {from: batch}}\n";
  Cut run(text, {}, {after(text, 400)});
  run.take(0);
  EXPECT_LT(run.stats()["nodes"]["work"]["in"], 500);
}

TEST_F(Saved, AStreamWithAStateReadsLittleAgain) {
  const std::string endless = std::string(HEAD) +
                              "  count: {op: source.range, with: {endless: true}}\n"
                              "  batch: {op: batch.stack, from: count, with: {size: 10}}\n"
                              "outputs: {out: {from: batch}}\n";
  Cut run(endless, {}, {after(endless, 3000)});
  run.take(0);
  EXPECT_EQ(run.taken()[0].front().numbers.front(), 30000);
  EXPECT_LT(run.stats()["nodes"]["count"]["in"], 2000);
}

TEST_F(Saved, SaysWhatDiffers) {
  const std::string saved = after(kChain, 3);
  const auto differs = [&](const std::vector<std::string>& sets, const std::string& what) {
    EXPECT_NE(refusal(kChain, saved, sets).find(what), std::string::npos) << refusal(kChain, saved, sets);
  };
  differs({"runtime.seed=7"}, "runtime.seed was 0 and is 7");
  differs({"nodes.count.with.n=5000"}, "source 'count' lists other samples, or in another order");
  differs({"nodes.batch.with.last=partial"}, "node 'batch' has another op, version, input or parameter");
  differs({"nodes.count.op=test.count"}, "node 'count' has another op, version, input or parameter");
  std::string longer = kChain;
  longer.replace(longer.find("from: count,"), 12, "from: more,");
  longer.insert(longer.find("  batch:"), "  more: {op: test.noop, from: count}\n");
  EXPECT_NE(refusal(longer, saved).find("node 'more' is new"), std::string::npos);
  EXPECT_NE(refusal(kChain, after(longer, 3)).find("node 'more' is gone"), std::string::npos);
  EXPECT_EQ(
      refusal(kChain, saved,
              {"runtime.threads=1", "nodes.batch.tokens=3", "runtime.memory=1GiB", "outputs.out.prefetch=1"}),
      "");
}

TEST_F(Saved, GoesOnWithADifferenceWhenToldTo) {
  Result<Checkpoint> saved = read_checkpoint(after(kChain, 3));
  ASSERT_TRUE(saved.ok());
  PipelineOptions options{.epochs = 1};
  options.checkpoints.push_back(*saved);
  options.ignores_difference = true;
  GraphRun run(kChain, {"runtime.seed=7"}, options);
  const auto batch = run.next();
  ASSERT_NE(batch, nullptr);
  EXPECT_EQ(batch->step, 3U);
}

TEST_F(Saved, WhatWasChangedIsRefused) {
  const std::string saved = after(kChain, 3);
  for (std::size_t i = 0; i + 1 < saved.size(); ++i) {
    EXPECT_FALSE(read_checkpoint(std::string_view(saved).substr(0, i)).ok()) << i;
    for (const unsigned bit : {0U, 3U, 6U}) {
      std::string changed = saved;
      changed[i] = static_cast<char>(static_cast<unsigned char>(changed[i]) ^ (1U << bit));
      const Result<Checkpoint> read = read_checkpoint(changed);
      EXPECT_TRUE(!read.ok() || checkpoint_text(*read) == saved) << changed;
    }
  }
  EXPECT_NE(refusal(kChain, R"({"headrace_checkpoint":99})").find("its format is 99"), std::string::npos);
}

TEST_F(Saved, ABudgetOfFailuresGoesOn) {
  const std::string text =
      std::string(HEAD) + kCount +
      "  bad: {op: test.fail, from: draw, with: {every: 7}, on_error: {action: skip, max_count: 5}}\n"
      "  batch: {op: batch.stack, from: bad, with: {size: 2}}\noutputs: {out: {from: batch}}\n";
  const auto failure = [&](const std::vector<std::string>& checkpoints) -> std::string {
    Cut run(text, {}, checkpoints);
    try {
      run.drain();
    } catch (const std::runtime_error& why) {
      return why.what();
    }
    return "";
  };
  EXPECT_NE(failure({}).find("on_error allows 5 an epoch"), std::string::npos) << failure({});
  int with_failures = 0;
  for (int batches = 1; batches < 15; ++batches) {
    // What runs ahead would end this run at once.
    const std::string saved = after(text, batches, {"nodes.bad.on_error.max_count=100"});
    with_failures += read_checkpoint(saved)->skipped.contains("bad") ? 1 : 0;
    EXPECT_NE(failure({saved}).find("on_error allows 5 an epoch"), std::string::npos)
        << saved << failure({saved});
  }
  EXPECT_GT(with_failures, 5);
}

TEST_F(Saved, CompletionOrderCannotBeSaved) {
  const GraphRun run(kChain, {"runtime.order=any"});
  EXPECT_THROW(after(kChain, 1, {"runtime.order=any"}), std::runtime_error);
  EXPECT_NE(refusal(kChain, after(kChain, 1), {"runtime.order=any"}).find("runtime.order"),
            std::string::npos);
}

TEST_F(Saved, AStateThatAnOpCannotTakeIsAnError) {
  const std::string text = kTexts[10];
  Result<Checkpoint> saved = read_checkpoint(after(text, 12));
  ASSERT_TRUE(saved.ok());
  ASSERT_TRUE(saved->states.contains("total")) << checkpoint_text(*saved);
  saved->states["total"].bytes = "x";
  EXPECT_NE(refusal(text, checkpoint_text(*saved))
                .find("node 'total': its saved state cannot be restored: no state of test.total"),
            std::string::npos)
      << refusal(text, checkpoint_text(*saved));
}

}  // namespace
}  // namespace headrace::test
