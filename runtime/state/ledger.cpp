// SPDX-License-Identifier: Apache-2.0

#include "runtime/state/ledger.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace headrace {

namespace {

constexpr std::array<std::string_view, kOutcomes> kNames{"in_flight", "delivered", "skipped", "dropped",
                                                         "rest",      "masked",    "padded",  "failed"};

constexpr std::uint32_t kLastNumber = std::numeric_limits<std::uint32_t>::max();

SamplePlace place_of(const Failure& failure) {
  return {failure.sample.epoch, failure.sample.source, failure.sample.position};
}

}  // namespace

std::string_view outcome_name(Outcome outcome) { return kNames[static_cast<std::size_t>(outcome)]; }

std::int64_t Account::in_flight() const {
  return admitted - std::accumulate(ended.begin(), ended.end(), std::int64_t{0});
}

Account& Account::operator+=(const Account& other) {
  admitted += other.admitted;
  sources += other.sources;
  not_kept += other.not_kept;
  for (std::size_t i = 0; i < kOutcomes; ++i) ended[i] += other.ended[i];
  return *this;
}

Ledger::Ledger(std::size_t outputs, Limits limits) : outputs_(outputs), limits_(limits) {
  over_.reserve(limits.epochs + 1);
}

Ledger::Epoch& Ledger::epoch_of(std::uint32_t number) {
  for (Epoch& epoch : open_) {
    if (epoch.account.epoch == number) return epoch;
  }
  open_.emplace_back().account.epoch = number;
  return open_.back();
}

bool Ledger::is_open(std::uint32_t epoch) const {
  return std::any_of(open_.begin(), open_.end(),
                     [epoch](const Epoch& e) { return e.account.epoch == epoch; });
}

void Ledger::admit(std::uint32_t epoch, std::int64_t n) {
  const std::scoped_lock lock(mutex_);
  account(epoch).admitted += n;
  account(epoch).sources += n;
}

void Ledger::enter(std::uint32_t epoch, std::int64_t n) {
  const std::scoped_lock lock(mutex_);
  account(epoch).admitted += n;
}

void Ledger::end(std::uint32_t epoch, Outcome outcome, std::int64_t n) {
  const std::scoped_lock lock(mutex_);
  account(epoch).ended[static_cast<std::size_t>(outcome)] += n;
}

std::optional<std::int64_t> Ledger::record(Failure failure, std::vector<Failure> members,
                                           std::int64_t budget) {
  const std::scoped_lock lock(mutex_);
  if (concluded_ || (closed_ && failure.outcome != Outcome::failed)) return std::nullopt;
  account(failure.sample.epoch).ended[static_cast<std::size_t>(failure.outcome)] +=
      static_cast<std::int64_t>(failure.rows);
  const std::int64_t failures = count(failure);
  closed_ = closed_ || failures > budget;
  if (members.empty()) {
    list(std::move(failure));
  } else {
    for (Failure& member : members) list(std::move(member));
  }
  return failures;
}

/// Adds the failure to the positions; gives how many there are of its node in its epoch.
std::int64_t Ledger::count(const Failure& failure) {
  const std::uint32_t epoch = failure.sample.epoch;
  Positions& positions = positions_[{epoch, failure.node, failure.sample.source}];
  if (position_count_ < limits_.positions) {
    positions.kept.push_back(failure.sample.position);
    ++position_count_;
  } else {
    ++positions.beyond;
  }
  std::uint64_t failures = 0;
  for (auto at = positions_.lower_bound({epoch, failure.node, 0});
       at != positions_.end() && std::get<0>(at->first) == epoch && std::get<1>(at->first) == failure.node;
       ++at) {
    failures += at->second.kept.size() + at->second.beyond;
  }
  return static_cast<std::int64_t>(failures);
}

/// Lets the oldest entry go if its epoch is over. False when there is no room.
bool Ledger::make_room() {
  if (entries_.size() < limits_.entries) return true;
  const Failure* failure = std::get_if<Failure>(&entries_.front());
  if (failure != nullptr && is_open(failure->sample.epoch)) return false;
  entries_.pop_front();
  ++first_entry_;
  return true;
}

void Ledger::list(Failure failure) {
  if (make_room()) {
    entries_.emplace_back(std::move(failure));
  } else {
    ++account(failure.sample.epoch).not_kept;
  }
}

/// An epoch is listed in any case: failures that it has were not.
void Ledger::list(const Account& account) {
  make_room();
  entries_.emplace_back(account);
}

void Ledger::end_epoch(std::uint32_t epoch) {
  const std::scoped_lock lock(mutex_);
  Epoch& ending = epoch_of(epoch);
  if (++ending.outputs_ended < outputs_) return;
  ending.account.is_over = true;
  over_.push_back(ending.account);
  open_.erase(open_.begin() + (&ending - open_.data()));
  list(over_.back());
  const auto end = positions_.upper_bound({epoch, kLastNumber, kLastNumber});
  for (auto at = positions_.lower_bound({epoch, 0, 0}); at != end; at = positions_.erase(at)) {
    position_count_ -= at->second.kept.size();
  }
  if (over_.size() > limits_.epochs) {
    earlier_ += over_.front();
    over_.erase(over_.begin());
  }
}

void Ledger::close() {
  const std::scoped_lock lock(mutex_);
  closed_ = true;
}

void Ledger::conclude() {
  const std::scoped_lock lock(mutex_);
  closed_ = true;
  if (std::exchange(concluded_, true)) return;
  for (const Epoch& epoch : open_) list(epoch.account);
}

std::vector<Failure> Ledger::failures_of(std::uint32_t node, std::uint32_t epoch, std::size_t most) const {
  const std::scoped_lock lock(mutex_);
  std::vector<const Failure*> found;
  for (const Entry& entry : entries_) {
    const auto* failure = std::get_if<Failure>(&entry);
    if (failure != nullptr && failure->node == node && failure->sample.epoch == epoch)
      found.push_back(failure);
  }
  const std::size_t n = std::min(most, found.size());
  std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(n), found.end(),
                    [](const Failure* a, const Failure* b) { return place_of(*a) < place_of(*b); });
  std::vector<Failure> out;
  for (std::size_t i = 0; i < n; ++i) out.push_back(*found[i]);
  return out;
}

std::optional<std::uint64_t> Ledger::failures_before(std::uint32_t node, std::uint32_t epoch,
                                                     std::uint32_t source, std::uint64_t position) const {
  const std::scoped_lock lock(mutex_);
  const bool is_over = std::any_of(over_.begin(), over_.end(),
                                   [epoch](const Account& account) { return account.epoch == epoch; });
  if (is_over || (!over_.empty() && epoch < over_.front().epoch)) return std::nullopt;
  const auto found = positions_.find({epoch, node, source});
  if (found == positions_.end()) return 0;
  if (found->second.beyond > 0) return std::nullopt;
  const auto& kept = found->second.kept;
  return static_cast<std::uint64_t>(std::count_if(
      kept.begin(), kept.end(), [position](std::uint64_t failed_at) { return failed_at < position; }));
}

Account Ledger::total() const {
  const std::scoped_lock lock(mutex_);
  Account total = earlier_;
  for (const Account& account : over_) total += account;
  for (const Epoch& epoch : open_) total += epoch.account;
  return total;
}

std::vector<Account> Ledger::accounts() const {
  const std::scoped_lock lock(mutex_);
  std::vector<Account> out(over_.begin(), over_.end());
  for (const Epoch& epoch : open_) out.push_back(epoch.account);
  std::sort(out.begin(), out.end(), [](const Account& a, const Account& b) { return a.epoch < b.epoch; });
  return out;
}

Ledger::Page Ledger::read(std::uint64_t from, std::size_t most) const {
  const std::scoped_lock lock(mutex_);
  Page page;
  if (from < first_entry_) page.forgotten = first_entry_ - from;
  const std::uint64_t end = first_entry_ + entries_.size();
  page.next = std::clamp(from, first_entry_, end);
  while (page.next < end && page.entries.size() < most) {
    page.entries.push_back(entries_[page.next - first_entry_]);
    ++page.next;
  }
  return page;
}

}  // namespace headrace
