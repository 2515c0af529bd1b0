// SPDX-License-Identifier: Apache-2.0
//
// Ends that do not depend on anybody's good will: stopping and closing while ops do not come back, and the
// watchdog that names them. 2 s are promised; the bounds here leave room for a machine that is loaded.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "runtime/watch/log.h"
#include "tests/runtime/flow/harness.h"
#include "tests/runtime/flow/test_ops.h"

namespace headrace::test {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kBoundSeconds = 20;

/// What the runtime says while it lives.
class Heard {
 public:
  Heard() { set_log(&take, this, HEADRACE_LOG_DEBUG); }
  ~Heard() { set_log(nullptr, nullptr, HEADRACE_LOG_INFO); }
  Heard(const Heard&) = delete;
  Heard& operator=(const Heard&) = delete;

  /// The lines of that level with the words in them.
  std::vector<std::string> lines(headrace_log_level level, const std::string& words) const {
    const std::scoped_lock lock(mutex_);
    std::vector<std::string> found;
    for (const auto& [of, line] : lines_) {
      if (of == level && line.find(words) != std::string::npos) found.push_back(line);
    }
    return found;
  }

 private:
  static void take(void* self, headrace_log_level level, headrace_text text) {
    auto* heard = static_cast<Heard*>(self);
    const std::scoped_lock lock(heard->mutex_);
    heard->lines_.emplace_back(level, std::string(text.data, text.size));
  }

  mutable std::mutex mutex_;
  std::vector<std::pair<headrace_log_level, std::string>> lines_;
};

/// False when it has not come true after a long time.
bool comes_true(const std::function<bool()>& condition) {
  const auto begin = Clock::now();
  while (!condition()) {
    if (Clock::now() - begin > std::chrono::seconds(60)) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

bool somebody_is_at_the_gate() {
  return comes_true([] { return Stand::get().at_gate > 0; });
}

class StopTest : public testing::Test {
 protected:
  void SetUp() override {
    Stand::get().reset();
    Stand::get().close_gate();
  }
  void TearDown() override {
    Stand::get().open_gate();
    // What was left behind is freed by a thread of its own.
    EXPECT_TRUE(comes_true([] { return Stand::get().live_instances == 0; }));
    expect_nothing_left();
  }

  /// Closes the run; gives how long that took.
  static double close(GraphRun& run) {
    const auto begin = Clock::now();
    run.close();
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }
};

std::string with(const std::string& op) {
  return "version: 1\nnodes:\n  count: {op: test.count, with: {n: 1000}}\n  stuck: {op: " + op +
         ", from: count}\n  batch: {op: batch.stack, from: stuck, with: {size: 4}}\noutputs: {out: {from: "
         "batch}}\n";
}

const char* const kStubbornSource =
    "version: 1\nnodes:\n  stuck: {op: stubborn.source}\noutputs: {out: {from: stuck}}\n";

TEST_F(StopTest, ComesBackFromAnOpThatSleepsAndNamesIt) {
  struct Case {
    std::string graph;
    std::string says;
  };
  for (const Case& c :
       {Case{with("stubborn.worker"),
             "node 'stuck', sample 0 of epoch 0 (item-0): its call has been running for "},
        Case{with("stubborn.io"),
             "node 'stuck', sample 0 of epoch 0 (item-0): its call has been running for "},
        Case{with("stubborn.pending"),
             "node 'stuck', sample 0 of epoch 0 (item-0): its call has been PENDING for "},
        Case{kStubbornSource, "node 'stuck', sample 0 of epoch 0: its call has been running for "}}) {
    SCOPED_TRACE(c.graph);
    Stand::get().reset();
    Stand::get().close_gate();
    const Heard heard;
    GraphRun run(c.graph);
    ASSERT_TRUE(somebody_is_at_the_gate());
    EXPECT_LT(close(run), kBoundSeconds);
    const auto errors = heard.lines(HEADRACE_LOG_ERROR, c.says);
    ASSERT_EQ(errors.size(), 1U);
    EXPECT_NE(errors[0].find("(tid "), std::string::npos) << errors[0];
    EXPECT_NE(errors[0].find("stays in memory until it comes back"), std::string::npos) << errors[0];
    // The call's memory is still there, and goes when it comes back.
    EXPECT_GT(Stand::get().live_instances, 0);
    Stand::get().open_gate();
    EXPECT_TRUE(comes_true([] { return Stand::get().live_instances == 0; }));
  }
}

TEST_F(StopTest, NamesTheThreadOfABlockingCall) {
  const Heard heard;
  GraphRun run(with("stubborn.io"));
  ASSERT_TRUE(somebody_is_at_the_gate());
  close(run);
  const auto errors = heard.lines(HEADRACE_LOG_ERROR, " s, on thread 'headrace-io' (tid ");
  EXPECT_EQ(errors.size(), 1U);
}

TEST_F(StopTest, NamesEveryCallThatDoesNotComeBack) {
  const Heard heard;
  GraphRun run(with("stubborn.pending"), {"runtime.threads=2"});
  ASSERT_TRUE(comes_true([] { return Stand::get().at_gate == 2; }));  // no more before their size is known
  close(run);
  EXPECT_EQ(heard.lines(HEADRACE_LOG_ERROR, "has been PENDING").size(), 2U);
}

TEST_F(StopTest, SaysNothingWhenAllComeBack) {
  const Heard heard;
  {
    Stand::get().open_gate();
    GraphRun run(with("stubborn.io"));
    ASSERT_NE(run.next(), nullptr);
  }
  EXPECT_TRUE(heard.lines(HEADRACE_LOG_ERROR, "").empty());
  EXPECT_EQ(Stand::get().live_instances, 0) << "closing has freed it before it returned";
}

TEST_F(StopTest, BatchesAreGoodAfterTheirFlowWasLeftBehind) {
  std::unique_ptr<Delivered> kept;
  {
    const Heard heard;
    GraphRun run(with("stubborn.io"), {"nodes.stuck.with.at=100"}, {.ownership = HEADRACE_LEND});
    kept = run.next();
    ASSERT_NE(kept, nullptr) << run.failure();
    for (int b = 1; b < 25; ++b) ASSERT_NE(run.next(), nullptr) << run.failure();
    ASSERT_TRUE(somebody_is_at_the_gate());
    close(run);
  }
  EXPECT_EQ(integers(value_of(*kept, "index")), (std::vector<std::int64_t>{0, 1, 2, 3}));
  kept.reset();
}

TEST_F(StopTest, ComesBackFromAReadThatBlocks) {
  const std::string fifo = (std::filesystem::temp_directory_path() / "headrace-stop-fifo").string();
  std::filesystem::remove(fifo);
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const Heard heard;
  {
    GraphRun run(
        "version: 1\nruntime: {threads: 1}\nnodes:\n  count: {op: test.count, with: {n: 10}}\n  read: {op: "
        "test.read_async, from: "
        "count, "
        "concurrency: 1, with: {path: " +
        fifo + ", size: 8}}\noutputs: {out: {from: read}}\n");
    std::unique_ptr<Delivered> none;
    ASSERT_EQ(run.pipeline().next(0, 100, none), Pipeline::Next::timeout);
    EXPECT_LT(close(run), kBoundSeconds);
  }
  EXPECT_EQ(
      heard.lines(HEADRACE_LOG_ERROR, "node 'read', sample 0 of epoch 0 (item-0): its call has been PENDING")
          .size(),
      1U);
  const int writer = ::open(fifo.c_str(), O_RDWR);  // lets the reader go
  ::close(writer);
  EXPECT_TRUE(comes_true([] { return Stand::get().live_instances == 0; }));
  std::filesystem::remove(fifo);
}

TEST_F(StopTest, ComesFromManyThreadsAtOnce) {
  Stand::get().open_gate();
  for (int round = 0; round < 20; ++round) {
    GraphRun run(with("test.noop"));
    std::vector<std::thread> stoppers;
    for (int t = 0; t < 4; ++t) stoppers.emplace_back([&run] { run.pipeline().stop(); });
    for (std::thread& stopper : stoppers) stopper.join();
    EXPECT_EQ(run.next(), nullptr);
    EXPECT_EQ(run.pipeline().failure().code(), Code::cancelled);
    EXPECT_LT(close(run), kBoundSeconds);
  }
}

TEST_F(StopTest, EndsAnOpeningThatTakesLong) {
  std::atomic<bool> stop{false};
  PipelineOptions options;
  options.stop = &stop;
  std::thread stopper([&stop] {
    EXPECT_TRUE(somebody_is_at_the_gate());
    stop = true;
  });
  const auto begin = Clock::now();
  const auto opened = Pipeline::open(
      plan_of("version: 1\nnodes:\n  slow: {op: stubborn.opening}\noutputs: {out: {from: slow}}\n"), options);
  stopper.join();
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.status().code(), Code::cancelled);
  EXPECT_LT(std::chrono::duration<double>(Clock::now() - begin).count(), kBoundSeconds);
}

TEST_F(StopTest, BeforeTheFirstNodeIsOpenedOpensNone) {
  const std::atomic<bool> stop{true};
  PipelineOptions options;
  options.stop = &stop;
  const auto opened = Pipeline::open(
      plan_of("version: 1\nnodes:\n  slow: {op: stubborn.opening}\noutputs: {out: {from: slow}}\n"), options);
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.status().code(), Code::cancelled);
  EXPECT_EQ(Stand::get().at_gate, 0);
}

// ---- the watchdog

TEST_F(StopTest, TheWatchdogEndsARunWhoseCallTakesTooLong) {
  for (const std::string op : {"stubborn.worker", "stubborn.io", "stubborn.pending"}) {
    SCOPED_TRACE(op);
    Stand::get().reset();
    Stand::get().close_gate();
    const Heard heard;
    GraphRun run(with(op), {"runtime.stage_timeout=200ms", "runtime.threads=1"});
    EXPECT_EQ(run.next(), nullptr);
    EXPECT_EQ(run.last(), Pipeline::Next::failed);
    EXPECT_EQ(run.pipeline().failure().code(), Code::deadlock);
    const std::string text = run.failure();
    EXPECT_EQ(text.rfind("node 'stuck', sample 0 of epoch 0 (item-0): its call has been ", 0), 0U) << text;
    EXPECT_NE(text.find("(tid "), std::string::npos) << text;
    EXPECT_NE(text.find("; runtime.stage_timeout is 0.2 s"), std::string::npos) << text;
    EXPECT_EQ(heard.lines(HEADRACE_LOG_WARNING, "runtime.stage_timeout is 0.2 s").size(), 1U)
        << "once for each call";
    Stand::get().open_gate();
    EXPECT_LT(close(run), kBoundSeconds);
  }
}

TEST_F(StopTest, TheWatchdogNamesASourceThatDoesNotAnswer) {
  const Heard heard;
  GraphRun run(kStubbornSource, {"runtime.stage_timeout=100ms"});
  EXPECT_EQ(run.next(), nullptr);
  EXPECT_EQ(run.failure().rfind("node 'stuck', sample 0 of epoch 0: its call has been running for ", 0), 0U)
      << run.failure();
}

TEST_F(StopTest, TheWatchdogLeavesAloneWhatIsQuick) {
  Stand::get().open_gate();
  const Heard heard;
  GraphRun run(R"(
version: 1
runtime: {stage_timeout: 1h, threads: 4}
nodes:
  count: {op: test.count, with: {n: 2000, shuffle: true}}
  jitter: {op: test.jitter, from: count, with: {us: 50}}
  async: {op: test.async, from: jitter, with: {early: true}}
  batch: {op: batch.stack, from: async, with: {size: 8}}
outputs: {out: {from: batch}}
)");
  EXPECT_EQ(run.flat().size(), 2000U) << run.failure();
  EXPECT_TRUE(heard.lines(HEADRACE_LOG_WARNING, "").empty());
}

// Looks come as often as they can while calls come and go: whoever looks and whoever calls meet all the time.
TEST_F(StopTest, TheWatchdogLooksWhileCallsComeAndGo) {
  Stand::get().open_gate();
  const Heard heard;
  GraphRun run(R"(
version: 1
runtime: {stage_timeout: 1ms, threads: 4}
nodes:
  count: {op: test.count, with: {n: 20000}}
  skip: {op: test.fail, from: count, with: {every: 10}, on_error: skip}
  jitter: {op: test.jitter, from: skip, with: {us: 3000}}
  batch: {op: batch.stack, from: jitter, with: {size: 8}}
outputs: {out: {from: batch}}
)");
  while (run.next() != nullptr) {
  }
  EXPECT_EQ(run.last(), Pipeline::Next::failed) << "3 ms are more than 1 ms";
  EXPECT_NE(run.failure().find("node 'jitter', sample "), std::string::npos) << run.failure();
}

}  // namespace
}  // namespace headrace::test
