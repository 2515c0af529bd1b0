// SPDX-License-Identifier: Apache-2.0
//
// See consume.h.
#include "consume.h"

#include <algorithm>
#include <memory>

#include "handles.h"
#include "report.h"

namespace headrace::cli {

namespace {
constexpr std::size_t kMarks = 100;
}

struct Consumers::Output {
  std::uint32_t number = 0;
  std::atomic<std::int64_t> epochs{0};
  std::optional<DigestFile> digests;
  std::thread thread;
};

Consumers::Consumers(headrace_pipeline* pipeline, const ConsumeOptions& options)
    : pipeline_(pipeline),
      options_(options),
      checkpoint_(pipeline, options.checkpoint_path, options.ranks, options.every) {
  const std::uint32_t count = headrace_output_count(pipeline);
  const nlohmann::ordered_json stats =
      ask_json([&](const headrace_sink* sink) { return headrace_stats(pipeline, sink); });
  for (std::uint32_t number = 0; number < count; ++number) {
    auto output = std::make_unique<Output>();
    output->number = number;
    output->epochs =
        stats.at("outputs").at(headrace_output_name(pipeline, number)).at("epoch").get<std::int64_t>();
    if (!options.digest_path.empty()) {
      output->digests.emplace(options.digest_path +
                              (count > 1 ? std::string(".") + headrace_output_name(pipeline, number) : ""));
    }
    outputs_.push_back(std::move(output));
  }
  first_epoch_ = epochs();
  running_ = outputs_.size();
  for (const auto& output : outputs_) {
    output->thread = std::thread([this, &output = *output] { consume(output); });
  }
}

Consumers::~Consumers() {
  headrace_stop(pipeline_);
  hurry();
  for (const auto& output : outputs_) output->thread.join();
}

bool Consumers::wait_for(std::chrono::milliseconds at_most) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, at_most, [this] { return running_ == 0; });
}

void Consumers::hurry() {
  const std::lock_guard lock(mutex_);
  hurried_ = true;
  changed_.notify_all();
}

std::int64_t Consumers::epochs() const {
  std::int64_t least = outputs_.empty() ? 0 : outputs_.front()->epochs.load();
  for (const auto& output : outputs_) least = std::min(least, output->epochs.load());
  return least;
}

std::optional<Consumers::Clock::time_point> Consumers::first_batch() const {
  const Clock::rep ticks = first_batch_.load();
  return ticks == 0 ? std::nullopt : std::optional(Clock::time_point(Clock::duration(ticks)));
}

void Consumers::consume(Output& output) {
  headrace_status status = HEADRACE_OK;
  std::exception_ptr fault;
  try {
    while ((status >= 0 || status == HEADRACE_TIMEOUT) &&
           (options_.epochs == 0 || output.epochs < options_.epochs)) {
      const Gate::Inside inside(gate_);
      status = take(output);
      if (status == HEADRACE_END) end_epoch(output);
      if (status == HEADRACE_OK) mind_checkpoint(output);
    }
  } catch (...) {
    fault = std::current_exception();
    headrace_stop(pipeline_);
  }
  const std::lock_guard lock(mutex_);
  if (fault && !fault_) fault_ = fault;
  if (status < 0 && (status_ == HEADRACE_OK || status_ == HEADRACE_CANCELLED)) status_ = status;
  --running_;
  changed_.notify_all();
}

void Consumers::end_epoch(Output& output) {
  const std::lock_guard lock(mutex_);
  const std::int64_t before = epochs();
  ++output.epochs;
  if (epochs() == before) return;  // another output is still in it
  marks_.push_back({before, samples(), Clock::now(), cpu_seconds()});
  if (marks_.size() > kMarks) marks_.pop_front();
}

std::deque<EpochMark> Consumers::marks() const {
  const std::lock_guard lock(mutex_);
  return marks_;
}

/// OK: a batch was taken and done with. TIMEOUT, so that a checkpoint need not wait for an output that waits
/// for the others.
headrace_status Consumers::take(Output& output) {
  constexpr std::int64_t kTurnMs = 100;
  const bool is_alone = outputs_.size() == 1 || !checkpoint_.is_wanted();
  headrace_batch* taken = nullptr;
  const headrace_status status = headrace_next(pipeline_, output.number, is_alone ? -1 : kTurnMs, &taken);
  const Batch batch(taken);
  if (status == HEADRACE_OK) consume_batch(output, taken);
  return status;
}

void Consumers::mind_checkpoint(const Output& output) {
  if (output.number != 0 || !checkpoint_.count_batch()) return;
  const Gate::Alone alone(gate_);
  checkpoint_.write();
}

void Consumers::write_checkpoint() const {
  if (checkpoint_.is_wanted()) checkpoint_.write();
}

void Consumers::consume_batch(Output& output, headrace_batch* taken) {
  Clock::rep none = 0;
  first_batch_.compare_exchange_strong(none, Clock::now().time_since_epoch().count());
  if (output.digests) output.digests->add(taken);
  if (options_.pause.count() > 0) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, options_.pause, [this] { return hurried_; });
  }
  samples_.fetch_add(headrace_batch_rows(taken), std::memory_order_relaxed);
  batches_.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace headrace::cli
