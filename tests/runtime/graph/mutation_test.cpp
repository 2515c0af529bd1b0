// SPDX-License-Identifier: Apache-2.0
//
// A graph file changed at random places, thousands of times: parsing neither throws nor hangs nor loses its
// place, and what gives no spec gives a reason.

#include <gtest/gtest.h>

#include <array>
#include <random>

#include "tests/runtime/graph/fake_files.h"

namespace headrace {
namespace {

const char* const kGraph =
    "version: 1\n"
    "vars: {root: \"${env:DATA:-photos/train}\", batch: &b 256, list: [1, \"${vars.batch}\"]}\n"
    "plugins: [acme_aug]\n"
    "runtime: {threads: auto, seed: 42, memory: 8GiB}\n"
    "nodes:\n"
    "  files:   {op: source.files, with: {root: \"${vars.root}\", shuffle: true}}\n"
    "  read:\n"
    "    op: source.read\n"
    "    from: files\n"
    "    tokens: {items: 64, bytes: 64MiB}\n"
    "  decode: {<<: {op: image.decode}, from: [read], on_error: {action: skip}, with: {size: *b}}\n"
    "outputs:\n"
    "  train: {from: decode, fields: [image, label], prefetch: 2}\n"
    "profiles:\n"
    "  debug: {vars: {batch: 8}, runtime: {threads: 1}}\n";

constexpr std::array<const char*, 36> kPieces{
    "{",     "}",   "[", "]",  ":",   ": ", "- ",     "\n",   "\t", " ",    "&a",           "*b",
    "*a",    "\"",  "'", "|",  "> ",  "!",  "!!str ", "${",   "}",  "<<: ", "? ",           "%",
    "---\n", "...", "#", "0x", "010", "~",  ",",      "\xC3", "\\", "null", "${vars.list}", "\r"};

class Mutation : public testing::TestWithParam<unsigned> {};

TEST_P(Mutation, GivesASpecOrAReason) {
  std::mt19937 random(GetParam());
  const auto below = [&](std::size_t bound) { return static_cast<std::size_t>(random()) % bound; };
  for (int i = 0; i < 500; ++i) {
    std::string text = kGraph;
    for (std::size_t change = 0; change < 1 + below(8); ++change) {
      const std::size_t at = below(text.size());
      switch (below(4)) {
        case 0:
          text.insert(at, kPieces[below(kPieces.size())]);
          break;
        case 1:
          text.erase(at, 1 + below(6));
          break;
        case 2:
          text[at] = static_cast<char>(below(256));
          break;
        default:
          text.insert(at, text.substr(below(text.size()), below(40)));
          break;
      }
    }
    FakeFiles fake;
    fake.files["g.yaml"] = text;
    if (below(3) == 0) fake.profile = "debug";
    if (below(3) == 0) fake.sets = {"vars.batch=" + text.substr(below(text.size()), below(10))};
    const auto spec = fake.parse();
    EXPECT_TRUE(spec || fake.diagnostics.has_errors()) << text;
    for (const Diagnostic& diagnostic : fake.diagnostics.sorted()) {
      const bool has_place = diagnostic.where.line >= 1 && diagnostic.where.column >= 1;
      EXPECT_TRUE(has_place || diagnostic.where.file != "g.yaml") << to_string(diagnostic) << "\n" << text;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(OfAGraph, Mutation, testing::Range(1U, 5U));

}  // namespace
}  // namespace headrace
