// SPDX-License-Identifier: Apache-2.0
//
// What a graph file says once includes, profile, --set and substitutions are applied: plain structs with the
// place of everything, not yet compared with any plugin. Made by parse.h, read by check. Moved and read by
// one thread.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/graph/diagnostics.h"
#include "runtime/graph/value.h"

namespace headrace {

struct LocatedName {
  std::string name;
  Location where;
};

template <class T>
struct Located {
  T value{};
  Location where;
};

struct TokensSpec {
  std::optional<Located<std::int64_t>> items;  ///< at least 1
  std::optional<Located<std::int64_t>> bytes;  ///< at least 1
  Location where;                              ///< of the value of `tokens`
};

enum class ErrorAction { fail, skip, mask };

struct OnErrorSpec {
  ErrorAction action = ErrorAction::fail;
  std::optional<std::int64_t> max_count;  ///< most samples that may fail in an epoch; none: no limit
  std::optional<double> max_fraction;  ///< most of an epoch's samples that may fail, 0 to 1; none: no limit
  Location where;                      ///< of the value of `on_error`; unknown when it is not given
};

/// Which samples of an indexed source make an epoch, and how often. At most one of the three subsets is
/// given.
struct SamplingSpec {
  struct Range {
    std::uint64_t first = 0;
    std::uint64_t last = 0;  ///< above first
  };
  std::optional<Range> range;
  std::optional<double> fraction;  ///< above 0, at most 1
  std::optional<LocatedName> indices_file;
  std::int64_t repeat = 1;  ///< at least 1; 1 where samples are drawn
  std::optional<LocatedName> weights_file;
  bool replacement = false;                 ///< true, unless given, where there are weights
  std::optional<std::int64_t> num_samples;  ///< at least 1
  Location where;                           ///< of the value of `sampling`
};

struct NodeSpec {
  std::string name;
  Location where;                   ///< of its name
  LocatedName op;                   ///< "" when it is missing or at fault, which was reported
  std::vector<LocatedName> from;    ///< in order; what they name is not checked
  Location from_where;              ///< of the value of `from`; of the name when there is none
  bool from_is_broken = false;      ///< `from` was at fault, which was reported: inputs are unknown
  Value with = Value::map({}, {});  ///< a map, or broken
  std::optional<Located<std::int64_t>> concurrency;  ///< at least 1
  std::optional<TokensSpec> tokens;
  OnErrorSpec on_error;
  std::optional<SamplingSpec> sampling;
};

struct OutputSpec {
  std::string name;
  Location where;                                  ///< of its name
  LocatedName from;                                ///< "" when it is missing or at fault, which was reported
  std::optional<std::vector<LocatedName>> fields;  ///< none: all
  Location fields_where;
  std::optional<Located<std::int64_t>> prefetch;  ///< at least 1
};

enum class Order { strict, any };

struct RuntimeSpec {
  int threads = 0;     ///< 0: auto
  int io_threads = 0;  ///< 0: auto
  std::uint64_t seed = 0;
  std::optional<Located<std::int64_t>> memory_bytes;  ///< none: not given
  Order order = Order::strict;
  bool fuse = true;
  double stage_timeout_s = 0;  ///< most that one call of an op may take; 0: no limit
  std::optional<Located<std::int64_t>> rank;   ///< none: auto
  std::optional<Located<std::int64_t>> world;  ///< none: auto
  bool ranks_are_broken = false;               ///< rank or world was at fault, which was reported
};

/// Which part of the work this process does, and who said so.
struct RanksSpec {
  std::uint32_t rank = 0;  ///< below world
  std::uint32_t world = 1;
  std::string origin;  ///< "runtime", "RANK and WORLD_SIZE"; "" where nobody said it
};

struct GraphSpec {
  std::string name;  ///< the file's stem unless given
  Location where;    ///< of the graph file's first key
  int version = 1;
  Value vars = Value::map({}, {});  ///< substituted
  std::vector<LocatedName> plugins;
  RuntimeSpec runtime;
  RanksSpec ranks;              ///< of runtime.rank and world, or of the environment
  std::vector<NodeSpec> nodes;  ///< in the order of the file, an include's before the including file's
  std::vector<OutputSpec> outputs;
};

}  // namespace headrace
