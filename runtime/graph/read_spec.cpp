// SPDX-License-Identifier: Apache-2.0
//
// The fixed structure of the graph file. Which keys there are is said here and nowhere else in the runtime.

#include "runtime/graph/read_spec.h"

#include <fmt/format.h>

#include <limits>
#include <set>
#include <utility>

#include "runtime/graph/section.h"

namespace headrace {
namespace {

constexpr std::int64_t kAnyInteger = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMaxPrefetch = 1'000'000;
constexpr std::int64_t kMaxRepeat = 1'000'000;
constexpr double kShortestTimeoutS = 0.001;
constexpr double kLongestTimeoutS = 1'000'000'000;

/// The key of an entry when it can name a `noun`; otherwise it is reported.
bool takes_name(const Value::Entry& entry, std::string_view noun, Diagnostics& diagnostics) {
  if (entry.key.is_string() && is_name(entry.key.text())) return true;
  diagnostics.error(
      entry.key.where(),
      fmt::format("'{}' cannot name {} (letters, digits, '_' and '-', not beginning with a digit or '-')",
                  entry.key.text(), noun));
  return false;
}

void refuse_doubles(const std::vector<LocatedName>& names, const std::string& path,
                    Diagnostics& diagnostics) {
  std::set<std::string> seen;
  for (const LocatedName& name : names) {
    if (!seen.insert(name.name).second) {
      diagnostics.error(name.where, fmt::format("'{}' stands twice in {}", name.name, path));
    }
  }
}

RuntimeSpec read_runtime(const Value& value, Diagnostics& diagnostics) {
  RuntimeSpec out;
  Section section(value, "runtime", diagnostics);
  if (const auto threads = section.integer_or_auto("threads", 1, kMaxThreads)) {
    out.threads = static_cast<int>(threads->value);
  }
  if (const auto threads = section.integer_or_auto("io_threads", 1, kMaxThreads)) {
    out.io_threads = static_cast<int>(threads->value);
  }
  if (const auto seed = section.integer("seed", 0, kAnyInteger))
    out.seed = static_cast<std::uint64_t>(seed->value);
  out.memory_bytes = section.size("memory");
  if (const auto order = section.choice("order", {"strict", "any"}))
    out.order = *order == 0 ? Order::strict : Order::any;
  if (const auto fuse = section.boolean("fuse")) out.fuse = *fuse;
  out.rank = section.integer_unless_auto("rank", 0, kMaxWorld - 1);
  out.world = section.integer_unless_auto("world", 1, kMaxWorld);
  const auto is_broken = [&](std::string_view key, bool is_read) {
    const Value* given = value.find(key);
    return given != nullptr && !is_read && !given->is_null() && given->as_string() != "auto";
  };
  out.ranks_are_broken = is_broken("rank", out.rank.has_value()) || is_broken("world", out.world.has_value());
  out.stage_timeout_s = section.seconds("stage_timeout", kShortestTimeoutS, kLongestTimeoutS).value_or(0);
  section.refuse_other_keys();
  return out;
}

TokensSpec read_tokens(const Value& value, const std::string& path, Diagnostics& diagnostics) {
  TokensSpec out;
  out.where = value.where();
  if (const auto items = value.as_integer(); items && *items >= 1) {
    out.items = Located<std::int64_t>{*items, value.where()};
    return out;
  }
  if (value.is_scalar()) {
    diagnostics.error(value.where(),
                      fmt::format("{} must be a number of items of at least 1 or a map such as "
                                  "{{items: 64, bytes: 64MiB}}, not {}",
                                  path, value.describe()));
    return out;
  }
  Section section(value, path, diagnostics);
  out.items = section.integer("items", 1, kAnyInteger);
  out.bytes = section.size("bytes");
  section.refuse_other_keys();
  return out;
}

OnErrorSpec read_on_error(const Value& value, const std::string& path, Diagnostics& diagnostics) {
  OnErrorSpec out;
  out.where = value.where();
  // A word alone is the action: `on_error: skip`.
  const Value map = value.is_string()
                        ? Value::map({{Value::string("action", value.where()), value}}, value.where())
                        : value;
  Section section(map, path, diagnostics);
  const auto action = section.choice("action", {"fail", "skip", "mask"});
  if (action) out.action = static_cast<ErrorAction>(*action);
  const auto count = section.integer("max_count", 0, kAnyInteger);
  if (count) out.max_count = count->value;
  out.max_fraction = section.real("max_fraction", 0, 1);
  section.refuse_other_keys();
  if (map.is_map() && !map.find("action")) {
    diagnostics.error(map.where(), fmt::format("{} has no action (fail, skip or mask)", path));
  }
  if (action && out.action == ErrorAction::fail && (out.max_count || out.max_fraction)) {
    diagnostics.error(value.where(),
                      fmt::format("{} fails at the first error, so it has no budget (use action: skip "
                                  "or mask, or drop max_count and max_fraction)",
                                  path));
  }
  return out;
}

/// [first, last), a fraction, or the name of a file of indices.
void read_subset(const Value& value, const std::string& path, SamplingSpec& out, Diagnostics& diagnostics) {
  if (value.is_broken()) return;
  if (value.is_list() && value.items().size() == 2) {
    const auto first = value.items()[0].as_integer();
    const auto last = value.items()[1].as_integer();
    if (first && last && *first >= 0 && *last > *first) {
      out.range = {static_cast<std::uint64_t>(*first), static_cast<std::uint64_t>(*last)};
      return;
    }
    if (first && last) {
      diagnostics.error(
          value.where(),
          fmt::format("{} is empty: [{}, {}] is from the first on and before the last", path, *first, *last));
      return;
    }
  }
  const auto fraction = value.as_real();
  if (fraction && *fraction > 0 && *fraction <= 1) {
    out.fraction = *fraction;
  } else if (const auto file = value.as_string(); file && !file->empty() && !fraction) {
    out.indices_file = LocatedName{std::string(*file), value.where()};
  } else {
    diagnostics.error(
        value.where(),
        fmt::format("{} must be [first, last], a fraction above 0 and at most 1, or the name of "
                    "a file with an index a line, not {}",
                    path, value.describe()));
  }
}

SamplingSpec read_sampling(const Value& value, const std::string& path, Diagnostics& diagnostics) {
  SamplingSpec out;
  out.where = value.where();
  Section section(value, path, diagnostics);
  if (const Value* subset = section.find("subset"))
    read_subset(*subset, section.path("subset"), out, diagnostics);
  const auto repeat = section.integer("repeat", 1, kMaxRepeat);
  if (repeat) out.repeat = repeat->value;
  out.weights_file = section.name("weights");
  const auto replacement = section.boolean("replacement");
  out.replacement = replacement.value_or(out.weights_file.has_value());
  if (const auto samples = section.integer("num_samples", 1, kAnyInteger)) out.num_samples = samples->value;
  section.refuse_other_keys();
  if (repeat && (out.weights_file || out.replacement)) {
    diagnostics.error(
        repeat->where,
        fmt::format("{} means nothing where samples are drawn {} (num_samples says how many)",
                    section.path("repeat"), out.weights_file ? "by weights" : "with replacement"));
  }
  return out;
}

NodeSpec read_node(const Value::Entry& entry, Diagnostics& diagnostics) {
  NodeSpec out;
  out.name = entry.key.text();
  out.where = entry.key.where();
  out.op.where = out.from_where = out.where;
  out.with = Value::map({}, out.where);
  Section section(entry.value, out.name, diagnostics);
  const Value* op = section.find("op");
  if (const auto name = section.name("op")) out.op = *name;
  if (!op && entry.value.is_map()) diagnostics.error(out.where, fmt::format("node '{}' has no op", out.name));
  if (const Value* from = section.find("from")) {
    out.from_where = from->where();
    auto names = section.names("from");
    out.from_is_broken = !names;
    if (names) out.from = std::move(*names);
    if (names && out.from.empty()) {
      diagnostics.error(from->where(), fmt::format("{} is empty", section.path("from")));
      out.from_is_broken = true;
    }
  }
  if (const Value* with = section.find("with")) {
    const bool is_map = require_map(*with, section.path("with"), diagnostics);
    out.with = is_map ? *with : Value::broken(with->where());
  }
  out.concurrency = section.integer("concurrency", 1, kMaxThreads);
  if (const Value* tokens = section.find("tokens"); tokens && !tokens->is_broken()) {
    out.tokens = read_tokens(*tokens, section.path("tokens"), diagnostics);
  }
  if (const Value* on_error = section.find("on_error"); on_error && !on_error->is_broken()) {
    out.on_error = read_on_error(*on_error, section.path("on_error"), diagnostics);
  }
  if (const Value* sampling = section.find("sampling"); sampling && !sampling->is_broken()) {
    out.sampling = read_sampling(*sampling, section.path("sampling"), diagnostics);
  }
  section.refuse_other_keys();
  if (entry.value.is_broken()) out.from_is_broken = true;
  return out;
}

OutputSpec read_output(const Value::Entry& entry, Diagnostics& diagnostics) {
  OutputSpec out;
  out.name = entry.key.text();
  out.where = out.from.where = out.fields_where = entry.key.where();
  Section section(entry.value, "outputs." + out.name, diagnostics);
  const Value* from = section.find("from");
  if (const auto name = section.name("from")) out.from = *name;
  if (!from && entry.value.is_map())
    diagnostics.error(out.where, fmt::format("output '{}' has no from", out.name));
  if (const Value* fields = section.find("fields")) {
    out.fields_where = fields->where();
    out.fields = section.names("fields");
    if (out.fields && out.fields->empty()) {
      diagnostics.error(fields->where(),
                        fmt::format("{} is empty (leave it out for all fields)", section.path("fields")));
      out.fields.reset();
    }
    if (out.fields) refuse_doubles(*out.fields, section.path("fields"), diagnostics);
  }
  out.prefetch = section.integer("prefetch", 1, kMaxPrefetch);
  section.refuse_other_keys();
  return out;
}

/// The entries of the map at `key`, which must be there and hold something.
Value::Map read_required_map(Section& top, const Value& document, std::string_view key,
                             Diagnostics& diagnostics) {
  const Value* value = top.find(key);
  const bool is_empty = value == nullptr || (value->is_map() && value->entries().empty());
  if (is_empty && !document.is_broken()) {
    diagnostics.error(value ? value->where() : document.where(), fmt::format("the graph has no {}", key));
  }
  const bool is_map = value != nullptr && require_map(*value, std::string(key), diagnostics);
  return is_map ? value->entries() : Value::Map{};
}

void read_version(Section& top, const Value& document, Diagnostics& diagnostics) {
  const Value* version = top.find("version");
  if (!version) {
    diagnostics.error(document.where(), "the graph does not say its version (write version: 1)");
  } else if (!version->is_broken() && version->as_integer() != 1) {
    diagnostics.error(version->where(), fmt::format("version must be 1, not {}", version->describe()));
  }
}

}  // namespace

GraphSpec read_spec(const Value& document, const std::string& default_name, Diagnostics& diagnostics) {
  GraphSpec out;
  out.where = document.where();
  out.name = default_name;
  Section top(document, "", diagnostics);
  read_version(top, document, diagnostics);
  if (const auto name = top.name("name")) out.name = name->name;
  if (const Value* vars = top.find("vars"); vars && vars->is_map()) out.vars = *vars;
  if (auto plugins = top.names("plugins")) {
    refuse_doubles(*plugins, "plugins", diagnostics);
    out.plugins = std::move(*plugins);
  }
  if (const Value* runtime = top.find("runtime")) out.runtime = read_runtime(*runtime, diagnostics);
  for (const Value::Entry& entry : read_required_map(top, document, "nodes", diagnostics)) {
    if (out.nodes.size() == kMaxNodes) {
      diagnostics.error(entry.key.where(), fmt::format("the graph has more than {} nodes", kMaxNodes));
      break;
    }
    if (takes_name(entry, "a node", diagnostics)) out.nodes.push_back(read_node(entry, diagnostics));
  }
  for (const Value::Entry& entry : read_required_map(top, document, "outputs", diagnostics)) {
    if (takes_name(entry, "an output", diagnostics)) out.outputs.push_back(read_output(entry, diagnostics));
  }
  // Known keys that are read before and gone by now, so that a typo of one finds it.
  top.find("include");
  top.find("profiles");
  top.refuse_other_keys();
  return out;
}

}  // namespace headrace
