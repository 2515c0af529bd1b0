// SPDX-License-Identifier: Apache-2.0
//
// What `run` tells people and programs: the progress line, the summary, the report.
#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <string>

#include "progress.h"
#include "report.h"
#include "table.h"

namespace headrace::cli {
namespace {

using std::chrono::seconds;

TEST(ProgressLine, ShowsTheShareTheRateAndTheTimeLeft) {
  Position position;
  position.samples = 500;
  position.samples_total = 2000;
  position.epochs = 2;
  EXPECT_EQ(progress_line(position, 100, seconds(5), 100),
            "epoch 1/2 [#######-----------------------]  25%  500/2000  100 samples/s  0:15 left");
}

TEST(ProgressLine, WithoutATotalShowsWhatHasPassed) {
  Position position;
  position.samples = 1234;
  position.epoch = 2;
  position.epochs = 0;
  EXPECT_EQ(progress_line(position, 56.78, seconds(3725), 100),
            "epoch 3  1234 samples  56.8 samples/s  1:02:05");
}

TEST(ProgressLine, NeverIsWiderThanTheTerminal) {
  Position position;
  position.samples = 123456789;
  position.samples_total = 200000000;
  for (int columns = 1; columns < 120; ++columns) {
    EXPECT_LE(progress_line(position, 12345, seconds(90), columns).size(), static_cast<std::size_t>(columns));
  }
}

TEST(ProgressLine, StaysAtAHundredWhenMoreComesThanWasExpected) {
  Position position;
  position.samples = 30;
  position.samples_total = 20;
  const std::string line = progress_line(position, 10, seconds(3), 100);
  EXPECT_NE(line.find("100%"), std::string::npos) << line;
  EXPECT_NE(line.find("0:00 left"), std::string::npos) << line;
}

TEST(Rate, ForgetsASlowStart) {
  Rate rate;
  EXPECT_EQ(rate.per_second(), 0);
  rate.add(Rate::Seconds(0), 0);
  for (int i = 0; i <= 100; ++i) rate.add(Rate::Seconds(10 + 0.1 * i), static_cast<std::uint64_t>(10 * i));
  EXPECT_NEAR(rate.per_second(), 100, 1);
}

nlohmann::ordered_json stats() {
  return nlohmann::ordered_json::parse(
      R"({"samples": 9, "delivered": 9, "skipped": 3, "padded": 0, "rows_moved": 2,
    "nodes": {"decode": {"in": 12, "out": 9, "dropped": 0, "skipped": 3, "busy_seconds": 0.5, "wait_seconds": 0.25,
                         "p50_us": 10.5, "p99_us": 99.5, "tokens": 1, "tokens_max": 7, "counters": {}},
              "crop": {"in": 9, "out": 9, "dropped": 0, "skipped": 0, "busy_seconds": 0, "wait_seconds": 0,
                       "p50_us": 0, "p99_us": 0, "tokens": 1, "tokens_max": 7, "frame": "decode"}}})");
}

RunFacts facts() {
  RunFacts facts;
  facts.graph = "g";
  facts.samples = 9;
  facts.batches = 2;
  facts.epochs = 1;
  facts.seconds = 3;
  facts.first_batch_seconds = 0.125;
  return facts;
}

TEST(Report, HasExactlyItsKeys) {
  const nlohmann::ordered_json report = make_report(facts(), stats());
  std::set<std::string> keys;
  for (const auto& [key, value] : report.items()) keys.insert(key);
  EXPECT_EQ(keys,
            (std::set<std::string>{"graph", "samples", "batches", "epochs", "seconds", "samples_per_second",
                                   "first_batch_seconds", "cpu_seconds", "peak_rss_bytes", "delivered",
                                   "skipped", "masked", "padded", "each_epoch", "outputs", "nodes"}));
  std::set<std::string> node_keys;
  for (const auto& [key, value] : report.at("nodes").at("decode").items()) node_keys.insert(key);
  EXPECT_EQ(node_keys, (std::set<std::string>{"in", "out", "dropped", "busy_seconds", "wait_seconds",
                                              "p50_us", "p99_us", "tokens_max"}));
  EXPECT_EQ(report.at("samples_per_second"), 3.0);
  EXPECT_EQ(report.at("skipped"), 3);
  EXPECT_EQ(report.at("nodes").at("decode").at("tokens_max"), 7);
  EXPECT_GT(report.at("peak_rss_bytes"), 0);
  EXPECT_GT(report.at("cpu_seconds"), 0);
}

TEST(Report, HasItsKeysEvenWhenNothingIsKnown) {
  RunFacts none;
  const nlohmann::ordered_json report = make_report(none, nullptr);
  EXPECT_TRUE(report.at("first_batch_seconds").is_null());
  EXPECT_EQ(report.at("samples_per_second"), 0);
  EXPECT_EQ(report.at("skipped"), 0);
  EXPECT_TRUE(report.at("nodes").is_object());
}

TEST(Summary, NamesTheNodesThatSkipped) {
  const std::string text = summary(make_report(facts(), stats()), stats(), "");
  EXPECT_EQ(text.substr(0, text.find('\n')), "g: 1 epoch, 9 samples in 2 batches, 3.00 s, 3 samples/s");
  EXPECT_NE(text.find("delivered 9, skipped 3: decode 3, padded 0\n"), std::string::npos) << text;
  EXPECT_NE(text.find("first batch after 0.125 s; "), std::string::npos) << text;
}

TEST(Summary, NamesTheNodesThatMasked) {
  nlohmann::ordered_json masked = stats();
  masked["masked"] = 2;
  masked["padded"] = 4;
  masked["nodes"]["crop"]["masked"] = 2;
  const std::string text = summary(make_report(facts(), masked), masked, "");
  EXPECT_NE(text.find("skipped 3: decode 3, masked 2: crop 2, padded 4\n"), std::string::npos) << text;
}

TEST(Summary, SaysWhatEachOutputGotWhereNobodyKnowsWhatTheyShare) {
  nlohmann::ordered_json of_two = stats();
  of_two["delivered"] = nullptr;
  of_two["outputs"] = {{"a", {{"batches", 1}, {"samples", 4}}}, {"b", {{"batches", 1}, {"samples", 5}}}};
  const nlohmann::ordered_json report = make_report(facts(), of_two);
  EXPECT_TRUE(report.at("delivered").is_null());
  EXPECT_EQ(report.at("outputs"), of_two["outputs"]);
  const std::string text = summary(report, of_two, "");
  EXPECT_NE(text.find("delivered 4 to 'a', 5 to 'b', skipped 3"), std::string::npos) << text;
}

TEST(Summary, ShowsTimesAtTheFirstNodeOfWhatRunsAsOne) {
  const std::string text = summary(make_report(facts(), stats()), stats(), "");
  EXPECT_NE(text.find("decode  12    9        0   0.500   0.250    10.5    99.5       7\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("crop     9    9        0       -       -       -       -       7\n"),
            std::string::npos)
      << text;
}

TEST(Summary, SaysHowItEnded) {
  const std::string text = summary(make_report(facts(), stats()), stats(), "interrupted");
  EXPECT_NE(text.find("3 samples/s, interrupted\n"), std::string::npos) << text;
}

TEST(Table, AlignsItsColumns) {
  Table table({"node", "in"});
  table.add({"a", "1"});
  table.add({"\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4", "100"});
  EXPECT_EQ(table.text(),
            "node    in\n"
            "a        1\n"
            "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4  100\n");
}

}  // namespace
}  // namespace headrace::cli
