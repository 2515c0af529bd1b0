// SPDX-License-Identifier: Apache-2.0
//
// The ledger's lines, written and read again, and the samples that a run is confined to by them.
#include "runtime/state/ledger_lines.h"

#include <gtest/gtest.h>

#include <string>

#include "runtime/state/selection.h"

namespace headrace {
namespace {

LedgerNames names() {
  LedgerNames made;
  made.version = "0.1.0";
  made.graph = "small";
  made.seed = 42;
  made.nodes = {{"files", "source.files"}, {"decode", "image.decode"}};
  made.sources = {{"files", 100, ""}, {"stream", -1, "abc"}};
  return made;
}

Failure failure(std::uint32_t source, std::uint64_t index, const std::string& name) {
  Failure made;
  made.node = 1;
  made.sample.source = source;
  made.sample.epoch = 3;
  made.sample.position = 17;
  made.index = index;
  made.reason = "cut short";
  made.name = name;
  return made;
}

TEST(LedgerLines, HaveTheirKeysInOrder) {
  EXPECT_EQ(
      ledger_header(names()),
      R"({"format":"headrace-ledger","version":1,"headrace":"0.1.0","graph":"small","seed":42,"sources":{)"
      R"("files":{"length":100,"fingerprint":null},"stream":{"length":null,"fingerprint":"abc"}}})"
      "\n");
  EXPECT_EQ(
      ledger_line(names(), failure(0, 5, "a/\"b\".jpg")),
      R"({"outcome":"skipped","node":"decode","op":"image.decode","reason":"cut short","path":"a/\"b\".jpg",)"
      R"("source":"files","index":5,"epoch":3,"position":17})"
      "\n");
  Failure child = failure(1, 17, "");
  child.outcome = Outcome::failed;
  child.sample.depth = 2;
  child.sample.ordinals[0] = 4;
  child.sample.ordinals[1] = 1;
  child.batch = 6;
  EXPECT_EQ(ledger_line(names(), child),
            R"({"outcome":"failed","node":"decode","op":"image.decode","reason":"cut short","path":null,)"
            R"("source":"stream","index":17,"epoch":3,"position":17,"ordinals":[4,1],"batch":6})"
            "\n");
}

TEST(LedgerLines, GiveAnEpochsCounts) {
  Account account;
  account.epoch = 2;
  account.admitted = 12;
  account.sources = 10;
  account.ended[static_cast<std::size_t>(Outcome::delivered)] = 9;
  account.ended[static_cast<std::size_t>(Outcome::rest)] = 3;
  account.is_over = true;
  EXPECT_EQ(
      ledger_line(names(), account),
      R"({"epoch":2,"complete":true,"admitted":12,"delivered":9,"skipped":0,"dropped":0,"rest":3,"masked":0,)"
      R"("padded":0,"failed":0,"in_flight":0,"not_listed":0})"
      "\n");
  LedgerNames apart = names();
  apart.delivered_is_known = false;
  const auto json = to_json(apart, account);
  EXPECT_EQ(json["admitted"], 10);
  EXPECT_TRUE(json["delivered"].is_null());
  EXPECT_TRUE(json["in_flight"].is_null());
}

TEST(LedgerLines, AreReadAgain) {
  Failure batch = failure(0, 0, "");
  batch.is_named = false;
  batch.batch = 2;
  batch.rows = 8;
  const std::string text = ledger_header(names()) + ledger_line(names(), failure(0, 5, "b.jpg")) +
                           ledger_line(names(), Account()) + ledger_line(names(), batch) + forgotten_line(3) +
                           ledger_line(names(), failure(1, 17, ""));
  const Result<NamedSamples> read = read_ledger(text);
  ASSERT_TRUE(read.ok()) << read.status().message();
  ASSERT_EQ(read->samples.size(), 2U);
  EXPECT_EQ(read->samples[0].source, "files");
  EXPECT_EQ(read->samples[0].index, 5U);
  EXPECT_EQ(read->samples[0].name, "b.jpg");
  EXPECT_EQ(read->samples[0].line, 2U);
  EXPECT_EQ(read->samples[1].source, "stream");
  EXPECT_EQ(read->samples[1].name, "");
  EXPECT_EQ(read->unnamed, 8U);
}

TEST(LedgerLines, AreReadUpToWhereTheyWereCutOff) {
  const std::string text = ledger_header(names()) + ledger_line(names(), failure(0, 5, "b.jpg")) +
                           ledger_line(names(), failure(0, 6, "c.jpg"));
  const std::size_t whole = ledger_header(names()).size();
  for (std::size_t size = whole; size < text.size(); ++size) {
    const Result<NamedSamples> read = read_ledger(std::string_view(text).substr(0, size));
    ASSERT_TRUE(read.ok()) << size;
    EXPECT_LE(read->samples.size(), 1U) << size;
  }
}

TEST(LedgerLines, RefuseWhatIsNoLedger) {
  const auto why = [](const std::string& text) { return read_ledger(text).status().message(); };
  EXPECT_EQ(why(""), "this is no ledger: it has no header line");
  EXPECT_EQ(why("\n"), "line 1: this is no ledger of version 1");
  EXPECT_EQ(why("{}\n"), "line 1: this is no ledger of version 1");
  EXPECT_EQ(why("{\"format\":\"headrace-ledger\",\"version\":2}\n"),
            "line 1: this is no ledger of version 1");
  EXPECT_EQ(why(ledger_header(names()) + "\xff\n"), "line 2: this is no line of a ledger");
  EXPECT_EQ(why(ledger_header(names()) + "[1]\n"), "line 2: this is no line of a ledger");
}

NamedSamples named(std::vector<NamedSample> samples) { return {std::move(samples), 0}; }

TEST(Selection, HasEachSampleOnceInTheOrderOfItsSource) {
  const Result<Selection> selection = Selection::of(named({{"files", 9, "i.jpg", 2},
                                                           {"stream", 4, "", 3},
                                                           {"files", 3, "c.jpg", 4},
                                                           {"files", 9, "i.jpg", 5}}),
                                                    names().sources);
  ASSERT_TRUE(selection.ok()) << selection.status().message();
  ASSERT_EQ(selection->of_source(0).size(), 2U);
  EXPECT_EQ(selection->of_source(0)[0].index, 3U);
  EXPECT_EQ(selection->of_source(0)[1].index, 9U);
  EXPECT_EQ(selection->of_source(0)[1].line, 2U);
  EXPECT_EQ(selection->of_source(1).size(), 1U);
  ASSERT_NE(selection->find(0, 3), nullptr);
  EXPECT_EQ(selection->find(0, 3)->name, "c.jpg");
  EXPECT_EQ(selection->find(0, 4), nullptr);
  EXPECT_EQ(selection->find(0, 10), nullptr);
}

TEST(Selection, RefusesWhatTheGraphDoesNotHave) {
  EXPECT_EQ(Selection::of(named({{"folders", 1, "", 7}}), names().sources).status().message(),
            "line 7: the graph has no source 'folders': the ledger is of another");
  EXPECT_EQ(Selection::of(named({{"files", 100, "", 8}}), names().sources).status().message(),
            "line 8: sample 100 of 'files', which has 100: the listing has changed since");
}

}  // namespace
}  // namespace headrace
