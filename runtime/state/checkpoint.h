// SPDX-License-Identifier: Apache-2.0
//
// What a pipeline must remember to go on in another process: how far each output was served, what the graph
// and its data were, and what ops asked to have kept. A few hundred bytes of JSON with a checksum, whatever
// the position. Pure values; made by Flow::checkpoint(), used by runtime/flow/start.h.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/status.h"

namespace headrace {

/// How far one output was served: everything before this point is with the consumer.
struct OutputPoint {
  std::uint64_t epoch = 0;
  std::uint64_t step = 0;     ///< batches handed out in this epoch
  std::uint64_t ordinal = 0;  ///< number in its epoch of the batch after the last one handed out
  std::uint64_t end = 0;      ///< global position after the last sample handed out; 0: none in this epoch yet
  bool operator==(const OutputPoint&) const = default;
};

/// State that an op asked to have kept, valid at `position` of `epoch`.
struct OpState {
  std::uint64_t epoch = 0;
  std::uint64_t position = 0;
  std::string bytes;
  bool operator==(const OpState&) const = default;
};

/// What must be the same for a checkpoint to mean the same. Not threads, tokens, memory or fusion, which
/// change no batch.
struct Identity {
  std::string version;  ///< of headrace
  std::uint64_t seed = 0;
  std::map<std::string, std::string> nodes;     ///< name: a short hash of what it does
  std::map<std::string, std::string> listings;  ///< source: a hash of what it found; those that give one
  bool operator==(const Identity&) const = default;
};

struct Checkpoint {
  Identity identity;
  std::uint32_t rank = 0;
  std::uint32_t world = 1;
  /// How the epoch was dealt to other numbers of ranks before this one: what each rank of each had taken
  /// (remainder.h).
  std::vector<std::vector<std::uint64_t>> dealt;
  std::map<std::string, std::uint64_t>
      dealt_at;  ///< and the `ordinal` of each output when it was last dealt anew
  std::map<std::string, OutputPoint> outputs;
  std::map<std::string, std::int64_t> skipped;  ///< by node: in the epoch the sources go on in, before that
  std::map<std::string, OpState> states;        ///< by node
  bool operator==(const Checkpoint&) const = default;
};

std::string checkpoint_text(const Checkpoint& checkpoint);
/// Refuses what is cut short, changed or of another format, and says which.
Result<Checkpoint> read_checkpoint(std::string_view text);

/// What rank `rank` of `world` goes on with when `saved` is what the ranks of a job left: its own, or, when
/// the number of ranks has changed, its share of what they all left. `saved` holds its own alone, or one of
/// each rank in any order. `why_not_dealt`: why another number of ranks cannot go on in the middle of an
/// epoch, "" when it can.
Result<Checkpoint> share_of(const std::vector<Checkpoint>& saved, std::uint32_t rank, std::uint32_t world,
                            const std::string& why_not_dealt);

/// What differs, one sentence a line, or "" when nothing does.
std::string difference(const Identity& saved, const Identity& now);

}  // namespace headrace
