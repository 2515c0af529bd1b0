// SPDX-License-Identifier: Apache-2.0
#include "runtime/state/ledger.h"

#include <gtest/gtest.h>

#include <limits>
#include <thread>
#include <vector>

namespace headrace {
namespace {

constexpr std::int64_t kNoBudget = std::numeric_limits<std::int64_t>::max();

Failure failure(std::uint32_t epoch, std::uint64_t position, std::uint32_t node = 0,
                std::uint32_t source = 0) {
  Failure made;
  made.node = node;
  made.sample.epoch = epoch;
  made.sample.source = source;
  made.sample.position = position;
  made.index = position;
  made.reason = "bad";
  return made;
}

/// Positions of the failures that are listed, and of an epoch's line its number as -1 - epoch.
std::vector<std::int64_t> listed(const Ledger& ledger, std::uint64_t from = 0) {
  std::vector<std::int64_t> out;
  for (const Ledger::Entry& entry : ledger.read(from, 1'000'000).entries) {
    if (const auto* one = std::get_if<Failure>(&entry)) {
      out.push_back(static_cast<std::int64_t>(one->sample.position));
    } else {
      out.push_back(-1 - static_cast<std::int64_t>(std::get<Account>(entry).epoch));
    }
  }
  return out;
}

TEST(Ledger, AddsUpAtEveryMoment) {
  Ledger ledger(1);
  ledger.admit(0, 10);
  EXPECT_EQ(ledger.total().in_flight(), 10);
  ledger.enter(0, 5);  // as by a fan-out
  ledger.enter(0, -5);
  ledger.end(0, Outcome::delivered, 4);
  ledger.end(0, Outcome::dropped, 2);
  ledger.end(0, Outcome::rest, 1);
  EXPECT_EQ(ledger.record(failure(0, 3), {}, kNoBudget), 1);
  const Account account = ledger.accounts().at(0);
  EXPECT_EQ(account.of(Outcome::skipped), 1);
  EXPECT_EQ(account.in_flight(), 2);
  EXPECT_FALSE(account.is_over);
}

TEST(Ledger, AnEpochIsOverWhenEveryOutputHasEndedIt) {
  Ledger ledger(2);
  ledger.admit(0, 1);
  ledger.end(0, Outcome::delivered, 1);
  ledger.end_epoch(0);
  EXPECT_FALSE(ledger.accounts().at(0).is_over);
  EXPECT_TRUE(listed(ledger).empty());
  ledger.end_epoch(0);
  EXPECT_TRUE(ledger.accounts().at(0).is_over);
  EXPECT_EQ(listed(ledger), std::vector<std::int64_t>{-1});
}

TEST(Ledger, KnowsHowManyFailedBeforeAPosition) {
  Ledger ledger(1);
  for (const std::uint64_t position : {9U, 2U, 5U}) ledger.record(failure(1, position, 7, 3), {}, kNoBudget);
  ledger.record(failure(1, 1, 7, 2), {}, kNoBudget);  // of another source
  ledger.record(failure(1, 1, 6, 3), {}, kNoBudget);  // at another node
  ledger.record(failure(2, 1, 7, 3), {}, kNoBudget);  // in another epoch
  EXPECT_EQ(ledger.failures_before(7, 1, 3, 0), 0U);
  EXPECT_EQ(ledger.failures_before(7, 1, 3, 5), 1U);
  EXPECT_EQ(ledger.failures_before(7, 1, 3, 6), 2U);
  EXPECT_EQ(ledger.failures_before(7, 1, 3, 100), 3U);
  EXPECT_EQ(ledger.failures_before(7, 1, 4, 100), 0U);
  ledger.end_epoch(1);
  EXPECT_EQ(ledger.failures_before(7, 1, 3, 100), std::nullopt)
      << "the epoch is over: only its counts are known";
  EXPECT_EQ(ledger.failures_before(7, 2, 3, 100), 1U);
}

TEST(Ledger, SaysThatItNoLongerKnowsPositionsBeyondItsBound) {
  Ledger ledger(1, {.entries = 100, .positions = 2, .epochs = 10});
  for (std::uint64_t p = 0; p < 3; ++p) EXPECT_EQ(ledger.record(failure(0, p), {}, kNoBudget), p + 1);
  EXPECT_EQ(ledger.failures_before(0, 0, 0, 3), std::nullopt);
  ledger.end_epoch(0);
  ledger.record(failure(1, 0), {}, kNoBudget);
  EXPECT_EQ(ledger.failures_before(0, 1, 0, 3), 1U) << "room again once the epoch is over";
}

TEST(Ledger, ListsNoMoreThanItsBoundAndCountsTheRest) {
  Ledger ledger(1, {.entries = 4, .positions = 100, .epochs = 10});
  for (std::uint64_t p = 0; p < 6; ++p) ledger.record(failure(0, p), {}, kNoBudget);
  EXPECT_EQ(listed(ledger), (std::vector<std::int64_t>{0, 1, 2, 3}));
  EXPECT_EQ(ledger.total().of(Outcome::skipped), 6);
  EXPECT_EQ(ledger.total().not_kept, 2);
  ledger.end_epoch(0);
  EXPECT_EQ(listed(ledger), (std::vector<std::int64_t>{1, 2, 3, -1}));
  // Those of an epoch that is over make room for new ones.
  for (std::uint64_t p = 10; p < 12; ++p) ledger.record(failure(1, p), {}, kNoBudget);
  EXPECT_EQ(listed(ledger), (std::vector<std::int64_t>{3, -1, 10, 11}));
  EXPECT_EQ(ledger.total().not_kept, 2);
  EXPECT_EQ(ledger.read(0, 100).forgotten, 3U);
  EXPECT_EQ(ledger.read(3, 100).forgotten, 0U);
}

TEST(Ledger, IsReadPageByPage) {
  Ledger ledger(1);
  for (std::uint64_t p = 0; p < 5; ++p) ledger.record(failure(0, p), {}, kNoBudget);
  EXPECT_EQ(ledger.read(0, 2).next, 2U);
  EXPECT_EQ(ledger.read(4, 2).entries.size(), 1U);
  EXPECT_EQ(ledger.read(4, 2).next, 5U);
  EXPECT_TRUE(ledger.read(5, 2).entries.empty());
  EXPECT_EQ(ledger.read(99, 2).next, 5U);
}

TEST(Ledger, EpochsLongOverAreOneSum) {
  Ledger ledger(1, {.entries = 10, .positions = 10, .epochs = 3});
  for (std::uint32_t epoch = 0; epoch < 50; ++epoch) {
    ledger.admit(epoch, 2);
    ledger.end(epoch, Outcome::delivered, 2);
    ledger.end_epoch(epoch);
  }
  EXPECT_EQ(ledger.accounts().size(), 3U);
  EXPECT_EQ(ledger.accounts().front().epoch, 47U);
  EXPECT_EQ(ledger.total().admitted, 100);
  EXPECT_EQ(ledger.total().of(Outcome::delivered), 100);
}

TEST(Ledger, TheFailureBeyondTheBudgetIsTheLastOne) {
  Ledger ledger(1);
  EXPECT_EQ(ledger.record(failure(0, 1), {}, 2), 1);
  EXPECT_EQ(ledger.record(failure(1, 1), {}, 2), 1) << "of another epoch";
  EXPECT_EQ(ledger.record(failure(0, 2), {}, 2), 2);
  EXPECT_EQ(ledger.record(failure(0, 3), {}, 2), 3);
  EXPECT_EQ(ledger.record(failure(0, 4), {}, 2), std::nullopt);
  EXPECT_EQ(ledger.total().of(Outcome::skipped), 4);
}

TEST(Ledger, HasManyThreadsEndWithExactlyTheBudgetAndOne) {
  for (int round = 0; round < 50; ++round) {
    Ledger ledger(1);
    std::vector<std::thread> threads;
    for (std::uint64_t t = 0; t < 4; ++t) {
      threads.emplace_back([&ledger, t] {
        for (std::uint64_t p = 0; p < 100; ++p) ledger.record(failure(0, t * 100 + p), {}, 5);
      });
    }
    for (std::thread& thread : threads) thread.join();
    ASSERT_EQ(listed(ledger).size(), 6U);
  }
}

TEST(Ledger, AfterAFailureOnlyWhatFailedAtTheSameTimeIsTaken) {
  Ledger ledger(1);
  ledger.close();
  Failure last = failure(0, 4);
  EXPECT_EQ(ledger.record(last, {}, kNoBudget), std::nullopt);
  last.outcome = Outcome::failed;
  EXPECT_EQ(ledger.record(last, {}, kNoBudget), 1);
  ledger.admit(0, 3);
  ledger.conclude();
  ledger.conclude();
  EXPECT_EQ(ledger.record(last, {}, kNoBudget), std::nullopt);
  EXPECT_EQ(listed(ledger), (std::vector<std::int64_t>{4, -1}))
      << "the epoch that is not over is listed once";
}

TEST(Ledger, FindsTheFirstFailuresByPlace) {
  Ledger ledger(1);
  for (const std::uint64_t position : {30U, 10U, 20U, 40U})
    ledger.record(failure(0, position), {}, kNoBudget);
  ledger.record(failure(0, 1, 5), {}, kNoBudget);
  const std::vector<Failure> first = ledger.failures_of(0, 0, 2);
  ASSERT_EQ(first.size(), 2U);
  EXPECT_EQ(first[0].sample.position, 10U);
  EXPECT_EQ(first[1].sample.position, 20U);
}

TEST(Ledger, ListsTheSamplesOfAFailedBatch) {
  Ledger ledger(1);
  Failure batch = failure(0, 3);
  batch.rows = 2;
  EXPECT_EQ(ledger.record(batch, {failure(0, 7), failure(0, 8)}, kNoBudget), 1);
  EXPECT_EQ(ledger.total().of(Outcome::skipped), 2);
  EXPECT_EQ(listed(ledger), (std::vector<std::int64_t>{7, 8}));
}

}  // namespace
}  // namespace headrace
