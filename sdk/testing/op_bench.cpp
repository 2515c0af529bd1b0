// SPDX-License-Identifier: Apache-2.0

#include "headrace/testing/op_bench.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

#include "bench_frame.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

namespace headrace::testing {
namespace {

headrace_status append(const headrace_sink* sink, const void* data, std::size_t size) {
  static_cast<std::string*>(sink->handle)->append(static_cast<const char*>(data), size);
  return HEADRACE_OK;
}

Outcome without(const char* function) {
  Outcome outcome;
  outcome.status = HEADRACE_UNSUPPORTED;
  outcome.error = std::string("the op has no ") + function + "()";
  return outcome;
}

}  // namespace

OpBench::OpBench(const headrace_plugin& plugin, const NodeText& node, BenchOptions options)
    : frame_(std::make_unique<BenchFrame>(plugin, node, std::move(options))) {}
OpBench::~OpBench() {
  if (frame_ == nullptr || !frame_->is_stranded()) return;
  [[maybe_unused]] const BenchFrame* left_behind = frame_.release();
#if defined(__SANITIZE_ADDRESS__)
  __lsan_ignore_object(left_behind);
#endif
}
OpBench::OpBench(OpBench&&) noexcept = default;

const headrace_op& OpBench::table() const { return frame_->op(); }
std::string OpBench::offer(const headrace_plugin& plugin, const NodeText& follower) {
  return frame_->offer(plugin, follower);
}
const Declared& OpBench::declare(const std::vector<Schema>& inputs) { return frame_->declare(inputs); }
const Declared& OpBench::declared() const { return frame_->last(); }
Outcome OpBench::start(bool open) { return frame_->start(open); }
std::int64_t OpBench::length() const { return frame_->length(); }
std::array<std::uint64_t, 2> OpBench::fingerprint() const { return frame_->fingerprint(); }
void OpBench::set_sample(const headrace_sample& sample) { frame_->set_sample(sample); }

Outcome OpBench::source(std::uint64_t index) {
  if (Outcome started = frame_->ready({}); !started.ok()) return started;
  auto call = frame_->make_call({}, frame_->next_sample());
  call->c.index = index;
  return frame_->run(call, {});
}

Outcome OpBench::map(const Record& record) {
  if (Outcome started = frame_->ready({record}); !started.ok()) return started;
  auto call = frame_->make_call({record}, frame_->next_sample());
  return frame_->run(call, record);
}

std::vector<Outcome> OpBench::map_all(const std::vector<Record>& records, int threads) {
  std::vector<Outcome> outcomes(records.size());
  if (Outcome started = frame_->ready(records); !started.ok()) {
    std::fill(outcomes.begin(), outcomes.end(), started);
    return outcomes;
  }
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < records.size(); i = next++) {
      auto call = frame_->make_call({records[i]}, {sizeof(headrace_sample), 0, 0, 0, i, {}});
      outcomes[i] = frame_->run(call, records[i]);
    }
  };
  std::vector<std::thread> others;
  for (int i = 1; i < threads; ++i) others.emplace_back(work);
  work();
  for (std::thread& thread : others) thread.join();
  return outcomes;
}

std::vector<Outcome> OpBench::expand(const Record& record) {
  constexpr std::uint32_t kMostChildren = 1U << 20U;
  if (Outcome started = frame_->ready({record}); !started.ok()) return {started};
  const headrace_sample parent = frame_->next_sample();
  std::vector<Outcome> children;
  void* state = nullptr;
  do {
    headrace_sample sample = parent;
    if (sample.depth < HEADRACE_MAX_DEPTH)
      sample.ordinals[sample.depth++] = static_cast<std::uint32_t>(children.size());
    auto call = frame_->make_call({record}, sample);
    call->c.ordinal = static_cast<std::uint32_t>(children.size());
    call->c.item_state = state;
    children.push_back(frame_->run(call, record));
    if (call == nullptr) return children;
    state = call->c.item_state;
  } while (children.back().status == HEADRACE_MORE && children.size() < kMostChildren);
  if (state != nullptr && table().end_item != nullptr) table().end_item(frame_->self(), state);
  return children;
}

Outcome OpBench::reduce(const std::vector<Record>& rows, std::uint64_t group) {
  if (Outcome started = frame_->ready(rows); !started.ok()) return started;
  auto call = frame_->make_call(rows, {sizeof(headrace_sample), 0, 0, 0, 0, {}});
  call->c.index = group;
  return frame_->run(call, {});
}

std::pair<Outcome, std::uint32_t> OpBench::choose(std::uint32_t count, std::uint64_t live,
                                                  std::uint64_t ordinal, std::uint32_t epoch) {
  if (Outcome started = frame_->start(true); !started.ok()) return {started, 0};
  Scope scope(frame_->host());
  headrace_choice choice{};
  choice.context = {sizeof(choice), 0, &frame_->host().c, &scope};
  choice.ordinal = ordinal;
  choice.live = live;
  choice.epoch = epoch;
  choice.count = count;
  choice.choice = count;
  const headrace_status status = table().choose(frame_->self(), &choice);
  Outcome outcome = BenchFrame::ended(scope, status);
  const bool is_dead =
      table().rate == HEADRACE_MERGE && choice.choice < 64 && (live >> choice.choice & 1U) == 0;
  if (status == HEADRACE_OK && (choice.choice >= count || is_dead)) {
    outcome.violations.push_back("chose " + std::to_string(choice.choice) + ", which there is not");
  }
  return {outcome, choice.choice};
}

std::pair<Outcome, std::uint64_t> OpBench::assign(const Record& record) {
  if (Outcome started = frame_->ready({record}); !started.ok()) return {started, 0};
  if (table().assign == nullptr) return {without("assign"), 0};
  auto call = frame_->make_call({record}, frame_->next_sample());
  std::uint64_t group = 0;
  const headrace_status status = table().assign(frame_->self(), &call->c, &group);
  return {BenchFrame::ended(*call, status), group};
}

std::pair<Outcome, std::vector<std::int64_t>> OpBench::slot_shape(std::uint64_t group, std::uint32_t port) {
  if (Outcome started = frame_->start(true); !started.ok()) return {started, {}};
  if (table().slot_shape == nullptr) return {without("slot_shape"), {}};
  std::int64_t shape[HEADRACE_MAX_DIMS] = {};
  std::int32_t ndim = 0;
  Scope& scope = frame_->own_scope();
  Outcome outcome = BenchFrame::ended(scope, table().slot_shape(frame_->self(), group, port, shape, &ndim));
  return {outcome, {shape, shape + std::clamp(ndim, 0, HEADRACE_MAX_DIMS)}};
}

std::pair<Outcome, std::string> OpBench::save() {
  if (Outcome started = frame_->start(true); !started.ok()) return {started, ""};
  if (table().save == nullptr) return {without("save"), ""};
  std::string state;
  const headrace_sink sink{sizeof(headrace_sink), 0, &state, &append};
  Scope& scope = frame_->own_scope();
  return {BenchFrame::ended(scope, table().save(frame_->self(), &sink)), state};
}

Outcome OpBench::restore(const std::string& state) {
  if (Outcome started = frame_->start(true); !started.ok()) return started;
  if (table().restore == nullptr) return without("restore");
  Scope& scope = frame_->own_scope();
  return BenchFrame::ended(scope, table().restore(frame_->self(), state.data(), state.size()));
}

std::pair<Outcome, std::string> OpBench::describe() {
  if (Outcome started = frame_->start(true); !started.ok()) return {started, ""};
  if (table().describe == nullptr) return {without("describe"), ""};
  std::string json;
  const headrace_sink sink{sizeof(headrace_sink), 0, &json, &append};
  Scope& scope = frame_->own_scope();
  return {BenchFrame::ended(scope, table().describe(frame_->self(), &sink)), json};
}

void OpBench::cancel() { frame_->host().cancelled = true; }

std::vector<std::pair<headrace_log_level, std::string>> OpBench::logs() const {
  const std::lock_guard lock(frame_->host().mutex);
  return frame_->host().logs;
}

std::map<std::string, std::int64_t> OpBench::counts() const {
  const std::lock_guard lock(frame_->host().mutex);
  return frame_->host().counts;
}

}  // namespace headrace::testing
