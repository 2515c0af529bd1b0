// SPDX-License-Identifier: Apache-2.0
//
// How the order of an epoch is dealt to the ranks, like a pack of cards: rank r of W gets positions r, r + W,
// r + 2W, ... So W ranks that each take B records see in step t the positions tWB ... (t + 1)WB - 1 together,
// whatever W is. Pure arithmetic in constant memory; made for each source when it is opened, then read by its
// inlet. Any thread.

#pragma once

#include <cstdint>
#include <utility>

#include "runtime/state/remainder.h"

namespace headrace {

/// Which part of the work this process does.
struct Ranks {
  std::uint32_t rank = 0;   ///< below world
  std::uint32_t world = 1;  ///< how many processes share the epoch
};

/// What becomes of the positions that fill no whole global batch.
enum class Ending {
  partial,  ///< they are dealt; a world of 1 only
  drop,     ///< a world of 1: as partial, the batch drops them; else nobody gets them
  pad,      ///< the order goes on from its beginning up to a whole global batch; what is added does not count
  wrap      ///< the same, and it counts
};

class Deal {
 public:
  /// `length`: positions of the epoch's order, at most 2^62. `multiple`: of how many records each rank takes
  /// a multiple (its batch size), at least 1; multiple * world at most 2^62.
  Deal(std::uint64_t length, Ranks ranks, std::uint64_t multiple, Ending ending)
      : Deal(length, ranks, multiple, ending, {}) {}
  /// What other ranks have left of this epoch, dealt anew.
  Deal of_rest(Remainders rest) const { return {length_, ranks_, multiple_, ending_, std::move(rest)}; }

  /// How many records this rank takes in the epoch: the same on every rank.
  std::uint64_t count() const { return count_; }
  /// The global position of this rank's k-th record, k from 0: it names the record, and what is random about
  /// it goes by it.
  std::uint64_t global(std::uint64_t k) const { return rest_.at(k * ranks_.world + ranks_.rank); }
  /// How many of this rank's records lie before a global position.
  std::uint64_t before(std::uint64_t global) const {
    const std::uint64_t all = rest_.below(global);
    return all <= ranks_.rank ? 0 : (all - ranks_.rank - 1) / ranks_.world + 1;
  }
  /// True for a position beyond the epoch's order, which pad and wrap add.
  bool is_padding(std::uint64_t global) const { return global >= length_; }
  /// The place in the epoch's order whose sample a global position holds.
  std::uint64_t place(std::uint64_t global) const { return is_padding(global) ? global % length_ : global; }

  std::uint64_t length() const { return length_; }
  Ranks ranks() const { return ranks_; }

 private:
  Deal(std::uint64_t length, Ranks ranks, std::uint64_t multiple, Ending ending, Remainders rest);

  std::uint64_t length_;
  Ranks ranks_;
  std::uint64_t multiple_;
  Ending ending_;
  Remainders rest_;
  std::uint64_t count_;
};

/// The same for a stream, whose length nobody knows before it ends. Its records are dealt in rounds of W.
/// Every rank reads all of them and keeps its own.
class StreamDeal {
 public:
  StreamDeal(Ranks ranks, Ending ending) : ranks_(ranks), ending_(ending) {}

  bool is_mine(std::uint64_t global) const { return global % ranks_.world == ranks_.rank; }
  /// True when `read` records are whole rounds: what was kept back of the last one may go on.
  bool is_whole(std::uint64_t read) const { return read % ranks_.world == 0; }
  /// True where a record must be kept back until its round is whole, since nobody gets a broken one.
  bool keeps_back() const { return ranks_.world > 1 && ending_ == Ending::drop; }
  /// How many records each rank has of a stream of `read`; pad makes a last one up where a rank has none.
  std::uint64_t count(std::uint64_t read) const;

 private:
  Ranks ranks_;
  Ending ending_;
};

}  // namespace headrace
