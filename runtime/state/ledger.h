// SPDX-License-Identifier: Apache-2.0
//
// The account of what became of every sample, epoch by epoch, and the list of those that failed. The flow
// enters samples where they come into being and ends them where they end; stats, `run --ledger`, budgets of
// on_error and checkpoints read. Knows samples by their identity, not by their items. Every function: any
// thread.

#pragma once

#include <headrace/record.h>

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

namespace headrace {

/// How a sample ends.
enum class Outcome : std::uint8_t {
  in_flight,  ///< it has not ended
  delivered,
  skipped,  ///< failed, and its node's on_error left it out
  dropped,  ///< by choice: a filter, a partner in a join that is not there, the rest of a mix
  rest,     ///< the end of an epoch that filled no batch
  masked,   ///< failed, and a blank row stands in its place
  padded,   ///< was made up
  failed    ///< failed, and ended the run
};
constexpr std::size_t kOutcomes = 8;
/// "skipped"
std::string_view outcome_name(Outcome outcome);

/// An epoch in numbers of samples. Once it is over in_flight() is 0.
struct Account {
  std::uint32_t epoch = 0;
  std::int64_t admitted = 0;  ///< what came into being in all, those made up among them
  /// The part of it that sources gave: all that is known where outputs of several nodes may share samples.
  std::int64_t sources = 0;
  std::array<std::int64_t, kOutcomes> ended{};  ///< by Outcome
  std::int64_t not_kept = 0;                    ///< failures that were counted and not listed
  bool is_over = false;

  std::int64_t of(Outcome outcome) const { return ended[static_cast<std::size_t>(outcome)]; }
  std::int64_t in_flight() const;
  Account& operator+=(const Account& other);
};

/// A sample (or a batch) that was not delivered as it should have been.
struct Failure {
  Outcome outcome = Outcome::skipped;
  std::uint32_t node = 0;  ///< the caller's number of the node that it failed at
  headrace_sample sample{};
  std::uint64_t index = 0;             ///< its place in its source's listing; of a stream the position
  std::optional<std::uint64_t> batch;  ///< the number of the batch that failed as a whole, or with it
  bool is_named = true;                ///< false: a batch whose samples are no longer known
  std::uint64_t rows = 1;              ///< samples
  std::string reason;
  std::string name;  ///< its path or key; "" where it has none
};

/// Where a sample stands: what is first among failures goes by this.
struct SamplePlace {
  std::uint32_t epoch = 0;
  std::uint32_t source = 0;
  std::uint64_t position = 0;
  auto operator<=>(const SamplePlace&) const = default;
};

class Ledger {
 public:
  /// How much is remembered; what goes beyond is counted.
  struct Limits {
    std::size_t entries = 100'000;      ///< failures and epochs that read() can still give
    std::size_t positions = 4'000'000;  ///< of failures in the epochs that are not over
    std::size_t epochs = 100;           ///< that are over and still have an account of their own
  };

  /// `outputs`: an epoch is over when so many have ended it.
  explicit Ledger(std::size_t outputs) : Ledger(outputs, Limits()) {}
  Ledger(std::size_t outputs, Limits limits);
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  /// `n` samples come out of a source.
  void admit(std::uint32_t epoch, std::int64_t n);
  /// `n` come into being otherwise: copies of a fan-out, children, rows that pad. Below 0: as many become one
  /// with others, or are taken apart. Only what a sample ends as says what became of it.
  void enter(std::uint32_t epoch, std::int64_t n);
  /// `n` samples end. Below 0: so many ends are taken back, since one sample had ended on several branches.
  void end(std::uint32_t epoch, Outcome outcome, std::int64_t n);
  /// A failure, which ends its samples. `members`: of a failed batch its samples, which are listed in its
  /// stead. Gives the number of failures of that node in that epoch, this one included; with more than
  /// `budget` of them it closes the ledger. Nothing comes back, and nothing is counted, when the run has
  /// ended: after close() only what is `failed` is taken, after conclude() nothing.
  std::optional<std::int64_t> record(Failure failure, std::vector<Failure> members, std::int64_t budget);

  /// An output has ended the epoch.
  void end_epoch(std::uint32_t epoch);
  /// The run has failed or was stopped.
  void close();
  /// The end of it: epochs that are not over are listed as they stand. Twice is fine.
  void conclude();

  /// The listed failures of a node in an epoch, those of the smallest places first, at most `most`.
  std::vector<Failure> failures_of(std::uint32_t node, std::uint32_t epoch, std::size_t most) const;
  /// How many failed at that node, in that epoch and from that source, at positions below `position` (of a
  /// node behind a batch: batches of that number). Nothing where it is no more known: the epoch is over, or
  /// there were more than the limit.
  std::optional<std::uint64_t> failures_before(std::uint32_t node, std::uint32_t epoch, std::uint32_t source,
                                               std::uint64_t position) const;

  /// Over all epochs.
  Account total() const;
  /// Those that are not over and the last that are, oldest first.
  std::vector<Account> accounts() const;

  /// Entries in the order in which they came: failures, and epochs as they end. Gives those from number
  /// `from` on, at most `most`; `next` is the number to go on from, `forgotten` how many before these were
  /// let go of unread.
  using Entry = std::variant<Failure, Account>;
  struct Page {
    std::vector<Entry> entries;
    std::uint64_t next = 0;
    std::uint64_t forgotten = 0;
  };
  Page read(std::uint64_t from, std::size_t most) const;

 private:
  struct Epoch {
    Account account;
    std::size_t outputs_ended = 0;
  };
  struct Positions {
    std::vector<std::uint64_t> kept;
    std::uint64_t beyond = 0;
  };
  using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  ///< epoch, node, source

  Epoch& epoch_of(std::uint32_t number);
  Account& account(std::uint32_t epoch) { return epoch_of(epoch).account; }
  bool is_open(std::uint32_t epoch) const;
  std::int64_t count(const Failure& failure);
  bool make_room();
  void list(Failure failure);
  void list(const Account& account);

  const std::size_t outputs_;
  const Limits limits_;
  mutable std::mutex mutex_;
  // Few, and an epoch should cost no memory of its own: searched from the front.
  std::vector<Epoch> open_;
  std::vector<Account> over_;
  Account earlier_;  ///< epochs that are over and no longer apart
  std::map<Key, Positions> positions_;
  std::size_t position_count_ = 0;
  std::deque<Entry> entries_;
  std::uint64_t first_entry_ = 0;  ///< number of entries_.front()
  bool closed_ = false;
  bool concluded_ = false;
};

}  // namespace headrace
