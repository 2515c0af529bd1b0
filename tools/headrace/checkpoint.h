// SPDX-License-Identifier: Apache-2.0
//
// The checkpoint file of a run: written every so many batches and at its end, read when a run is resumed.
// Used by `run`; written by the thread that consumes the first output, and by the main thread at the end.
#pragma once

#include <headrace/headrace.h>

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace headrace::cli {

/// Holds consumers still for a moment, so that a checkpoint is taken while none of them is between taking a
/// batch and being done with it. [any thread]
class Gate {
 public:
  /// From before a batch is asked for until the consumer is done with it. Waits while a checkpoint is taken.
  class Inside {
   public:
    explicit Inside(Gate& gate);
    ~Inside();
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

   private:
    Gate& gate_;
  };
  /// Once every other consumer is outside, and until this ends, the caller, who is inside, is alone. One
  /// thread at a time.
  class Alone {
   public:
    explicit Alone(Gate& gate);
    ~Alone();
    Alone(const Alone&) = delete;
    Alone& operator=(const Alone&) = delete;

   private:
    Gate& gate_;
  };

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int inside_ = 0;
  bool closed_ = false;
};

/// Which part of a job this process is.
struct Ranks {
  std::uint32_t rank = 0;
  std::uint32_t world = 1;
};

/// The file is whole and on the disk whenever it is there: a run that is killed leaves the last one. Where
/// there are several ranks each has its own, FILE.RANK-of-WORLD, and the one before,
/// FILE.RANK-of-WORLD.previous: ranks that are killed in between have one step in common all the same.
class CheckpointFile {
 public:
  /// `path` "": writes nothing. `every`: batches of the first output between two.
  CheckpointFile(const headrace_pipeline* pipeline, std::string path, Ranks ranks, std::uint64_t every);
  /// True when a checkpoint is due after this batch.
  bool count_batch();
  /// Throws std::runtime_error when it cannot be taken or written.
  void write() const;
  bool is_wanted() const { return !path_.empty(); }

 private:
  const headrace_pipeline* pipeline_;
  std::string path_;
  bool keeps_previous_;
  std::uint64_t every_;
  std::uint64_t batches_ = 0;
};

/// The checkpoint that the job left under that name, of all its ranks, however many they were: the last step
/// that all of them have. Of the files of several numbers of ranks those that were written last. Empty when
/// there is none. Throws std::runtime_error when ranks are missing, have no step in common, or cannot be
/// read.
std::vector<std::string> read_checkpoints(const std::string& path);

}  // namespace headrace::cli
