// SPDX-License-Identifier: Apache-2.0
//
// Who says which rank this is.
#include "runtime/graph/ranks.h"

#include <gtest/gtest.h>

#include <map>

#include "runtime/graph/parse.h"

namespace headrace {
namespace {

using Environment = std::map<std::string, std::string>;

struct Found {
  RanksSpec ranks;
  std::string errors;
};

Found found(const std::string& runtime, const Environment& environment) {
  ParseOptions options;
  options.getenv = [&](const std::string& name) -> std::optional<std::string> {
    const auto it = environment.find(name);
    return it == environment.end() ? std::nullopt : std::optional(it->second);
  };
  Diagnostics diagnostics;
  const std::optional<GraphSpec> spec =
      parse_text("version: 1\nruntime: " + runtime + "\nnodes: {a: {op: x.y}}\noutputs: {o: {from: a}}\n",
                 "g.yaml", options, diagnostics);
  EXPECT_TRUE(spec.has_value());
  return {spec->ranks, diagnostics.render()};
}

void expect_ranks(const Found& found, std::uint32_t rank, std::uint32_t world, const std::string& origin) {
  EXPECT_EQ(found.errors, "");
  EXPECT_EQ(found.ranks.rank, rank);
  EXPECT_EQ(found.ranks.world, world);
  EXPECT_EQ(found.ranks.origin, origin);
}

TEST(Ranks, AreOneWhereNobodySaysOtherwise) {
  expect_ranks(found("{}", {}), 0, 1, "");
  expect_ranks(found("{rank: auto, world: auto}", {}), 0, 1, "");
  expect_ranks(found("{}", {{"RANK", ""}, {"WORLD_SIZE", ""}}), 0, 1, "");
}

TEST(Ranks, ComeFromTheGraphThenFromTheFirstLauncherThatSpeaks) {
  const Environment all{{"RANK", "1"},         {"WORLD_SIZE", "2"},           {"SLURM_PROCID", "3"},
                        {"SLURM_NTASKS", "4"}, {"OMPI_COMM_WORLD_RANK", "5"}, {"OMPI_COMM_WORLD_SIZE", "6"}};
  expect_ranks(found("{rank: 7, world: 8}", all), 7, 8, "runtime");
  expect_ranks(found("{}", all), 1, 2, "RANK and WORLD_SIZE");
  Environment fewer = all;
  fewer.erase("RANK");
  fewer.erase("WORLD_SIZE");
  expect_ranks(found("{}", fewer), 3, 4, "SLURM_PROCID and SLURM_NTASKS");
  fewer.erase("SLURM_PROCID");
  fewer.erase("SLURM_NTASKS");
  expect_ranks(found("{}", fewer), 5, 6, "OMPI_COMM_WORLD_RANK and OMPI_COMM_WORLD_SIZE");
}

TEST(Ranks, AreRefusedByHalves) {
  EXPECT_EQ(found("{rank: 1}", {}).errors,
            "g.yaml:2:17: error: runtime.rank is given and runtime.world is not (give both, or neither and "
            "have the "
            "launcher's environment say it)\n");
  EXPECT_EQ(found("{world: 4}", {{"RANK", "1"}, {"WORLD_SIZE", "4"}}).errors,
            "g.yaml:2:18: error: runtime.world is given and runtime.rank is not (give both, or neither and "
            "have the "
            "launcher's environment say it)\n");
  EXPECT_EQ(
      found("{}", {{"WORLD_SIZE", "4"}}).errors,
      "g.yaml:1:1: error: the environment has WORLD_SIZE and no RANK: nobody knows which part of the data is "
      "this process's (set both, or runtime: {rank: 0, world: 1} in the graph)\n");
  EXPECT_EQ(found("{}", {{"SLURM_PROCID", "4"}, {"OMPI_COMM_WORLD_SIZE", "3"}}).errors,
            "g.yaml:1:1: error: the environment has SLURM_PROCID and no SLURM_NTASKS: nobody knows which "
            "part of the "
            "data is this process's (set both, or runtime: {rank: 0, world: 1} in the graph)\n");
}

TEST(Ranks, AreRefusedWhereTheyMakeNoSense) {
  EXPECT_EQ(found("{rank: 4, world: 4}", {}).errors,
            "g.yaml:2:17: error: runtime.rank is 4, and ranks of a world of 4 go from 0 to 3\n");
  EXPECT_EQ(
      found("{rank: -1, world: 4}", {}).errors,
      "g.yaml:2:17: error: runtime.rank must be auto or an integer from 0 to 1048575, not the integer -1\n");
  for (const auto& [rank, world] : std::map<std::string, std::string>{
           {"2", "2"}, {"-1", "4"}, {"0", "0"}, {"1x", "4"}, {"0 ", "4"}, {"1", "9999999999999999999999"}}) {
    EXPECT_EQ(
        found("{}", {{"RANK", rank}, {"WORLD_SIZE", world}}).errors,
        "g.yaml:1:1: error: the environment has RANK='" + rank + "' and WORLD_SIZE='" + world +
            "', which is no rank of a world of at least 1 and at most 1048576 (set both, or runtime: {rank: "
            "0, world: 1} in the graph)\n");
  }
}

}  // namespace
}  // namespace headrace
