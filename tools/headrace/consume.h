// SPDX-License-Identifier: Apache-2.0
//
// What takes the batches of a run: one thread an output, as a training loop would. Used by `run`.
#pragma once

#include <headrace/headrace.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "checkpoint.h"
#include "digest.h"

namespace headrace::cli {

struct ConsumeOptions {
  std::int64_t epochs = 1;                             ///< as the pipeline was opened with; 0: without end
  std::chrono::duration<double, std::milli> pause{0};  ///< after each batch, while it is held
  std::string digest_path;      ///< "": no digest; with several outputs each has PATH.OUTPUT
  std::string checkpoint_path;  ///< "": no checkpoints
  Ranks ranks = {};
  std::uint64_t every = 100;  ///< batches of the first output from one checkpoint to the next
};

/// Where a run stood when every output had ended an epoch.
struct EpochMark {
  std::int64_t epoch = 0;
  std::uint64_t samples = 0;  ///< so far, over all outputs
  std::chrono::steady_clock::time_point at;
  double cpu_seconds = 0;  ///< of the process, so far
};

/// Starts to consume when it is made. A fault of a consumer's own (a digest that cannot be written) stops the
/// pipeline.
class Consumers {
 public:
  using Clock = std::chrono::steady_clock;

  Consumers(headrace_pipeline* pipeline, const ConsumeOptions& options);
  /// Stops the pipeline, which does nothing to a run that has ended, and waits for the threads.
  ~Consumers();
  Consumers(const Consumers&) = delete;
  Consumers& operator=(const Consumers&) = delete;

  /// True when every output has ended; false after `at_most`. [main]
  bool wait_for(std::chrono::milliseconds at_most);
  /// Ends pauses at once; for after headrace_stop(). [any thread]
  void hurry();

  // Counts over all outputs. [any thread]
  std::uint64_t samples() const { return samples_.load(std::memory_order_relaxed); }
  std::uint64_t batches() const { return batches_.load(std::memory_order_relaxed); }
  /// Epochs that every output has ended, those before a resumed run counted.
  std::int64_t epochs() const;
  std::int64_t first_epoch() const { return first_epoch_; }
  std::optional<Clock::time_point> first_batch() const;
  /// The last 100 epochs that every output ended, oldest first.
  std::deque<EpochMark> marks() const;

  // What ended the run, once wait_for() gave true.
  /// OK when every output gave all its epochs, else what the first one to fail was told.
  headrace_status status() const { return status_; }
  /// A fault that is not the pipeline's; null when there was none.
  std::exception_ptr fault() const { return fault_; }
  /// The last checkpoint: what was consumed, however the run ended. Throws as CheckpointFile does.
  void write_checkpoint() const;

 private:
  struct Output;
  void consume(Output& output);
  headrace_status take(Output& output);
  void consume_batch(Output& output, headrace_batch* batch);
  void mind_checkpoint(const Output& output);
  void end_epoch(Output& output);

  headrace_pipeline* pipeline_;
  ConsumeOptions options_;
  CheckpointFile checkpoint_;
  Gate gate_;
  std::atomic<std::uint64_t> samples_{0};
  std::atomic<std::uint64_t> batches_{0};
  std::atomic<Clock::rep> first_batch_{0};
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t running_ = 0;
  std::int64_t first_epoch_ = 0;
  bool hurried_ = false;
  std::deque<EpochMark> marks_;
  headrace_status status_ = HEADRACE_OK;
  std::exception_ptr fault_;
  std::vector<std::unique_ptr<Output>> outputs_;
};

}  // namespace headrace::cli
