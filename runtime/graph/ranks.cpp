// SPDX-License-Identifier: Apache-2.0

#include "runtime/graph/ranks.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "runtime/graph/read_spec.h"
#include "runtime/printable.h"

namespace headrace {
namespace {

constexpr const char* kRemedy = "(set both, or runtime: {rank: 0, world: 1} in the graph)";

struct Names {
  const char* rank;
  const char* world;
};
constexpr std::array<Names, 3> kPairs{{{"RANK", "WORLD_SIZE"},
                                       {"SLURM_PROCID", "SLURM_NTASKS"},
                                       {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}}};

std::optional<std::int64_t> integer_of(const std::string& text) {
  std::int64_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return out;
}

RanksSpec made(std::int64_t rank, std::int64_t world, std::string origin) {
  return {static_cast<std::uint32_t>(rank), static_cast<std::uint32_t>(world), std::move(origin)};
}

RanksSpec given(const RuntimeSpec& runtime, Diagnostics& diagnostics) {
  if (!runtime.rank || !runtime.world) {
    const bool has_rank = runtime.rank.has_value();
    diagnostics.error(has_rank ? runtime.rank->where : runtime.world->where,
                      fmt::format("runtime.{} is given and runtime.{} is not (give both, or neither and have "
                                  "the launcher's environment say it)",
                                  has_rank ? "rank" : "world", has_rank ? "world" : "rank"));
    return {};
  }
  if (runtime.rank->value >= runtime.world->value) {
    diagnostics.error(runtime.rank->where,
                      fmt::format("runtime.rank is {}, and ranks of a world of {} go from 0 to {}",
                                  runtime.rank->value, runtime.world->value, runtime.world->value - 1));
    return {};
  }
  return made(runtime.rank->value, runtime.world->value, "runtime");
}

std::string quoted(const std::string& text) { return "'" + printable(text) + "'"; }

}  // namespace

RanksSpec find_ranks(const RuntimeSpec& runtime, const Location& otherwise,
                     const std::function<std::optional<std::string>(const std::string& name)>& getenv,
                     Diagnostics& diagnostics) {
  if (runtime.ranks_are_broken) return {};
  if (runtime.rank || runtime.world) return given(runtime, diagnostics);
  for (const Names& names : kPairs) {
    const std::string rank_text = getenv(names.rank).value_or("");
    const std::string world_text = getenv(names.world).value_or("");
    if (rank_text.empty() && world_text.empty()) continue;
    if (rank_text.empty() || world_text.empty()) {
      const bool has_rank = world_text.empty();
      diagnostics.error(otherwise, fmt::format("the environment has {} and no {}: nobody knows which part of "
                                               "the data is this process's {}",
                                               has_rank ? names.rank : names.world,
                                               has_rank ? names.world : names.rank, kRemedy));
      return {};
    }
    const auto rank = integer_of(rank_text);
    const auto world = integer_of(world_text);
    if (!rank || !world || *world < 1 || *world > kMaxWorld || *rank < 0 || *rank >= *world) {
      diagnostics.error(otherwise, fmt::format("the environment has {}={} and {}={}, which is no rank of a "
                                               "world of at least 1 and at most {} {}",
                                               names.rank, quoted(rank_text), names.world, quoted(world_text),
                                               kMaxWorld, kRemedy));
      return {};
    }
    return made(*rank, *world, fmt::format("{} and {}", names.rank, names.world));
  }
  return {};
}

}  // namespace headrace
