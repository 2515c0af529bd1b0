// SPDX-License-Identifier: Apache-2.0

#include "runtime/state/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "runtime/state/philox.h"
#include "runtime/state/remainder.h"

namespace headrace {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;

std::string checksum(const Json& rest) { return fmt::format("{:016x}", word_of(rest.dump())); }

std::string to_hex(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return text;
}

/// Throws nlohmann's exception for what is no hexadecimal text, as its readers do for what is of another
/// type.
std::string from_hex(const std::string& text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    unsigned value = 0;
    const char* end = text.data() + std::min(i + 2, text.size());
    const auto parsed = std::from_chars(text.data() + i, end, value, 16);
    if (parsed.ptr != end || end - (text.data() + i) != 2)
      throw nlohmann::detail::other_error::create(501, "no hexadecimal digits", nullptr);
    bytes.push_back(static_cast<char>(value));
  }
  return bytes;
}

Checkpoint from_json(const Json& json) {
  Checkpoint out;
  json.at("version").get_to(out.identity.version);
  json.at("seed").get_to(out.identity.seed);
  json.at("nodes").get_to(out.identity.nodes);
  json.at("listings").get_to(out.identity.listings);
  json.at("rank").get_to(out.rank);
  json.at("world").get_to(out.world);
  json.at("dealt").get_to(out.dealt);
  json.at("dealt_at").get_to(out.dealt_at);
  json.at("skipped").get_to(out.skipped);
  for (const auto& [name, point] : json.at("outputs").items()) {
    out.outputs[name] = {point.at("epoch").get<std::uint64_t>(), point.at("step").get<std::uint64_t>(),
                         point.at("ordinal").get<std::uint64_t>(), point.at("end").get<std::uint64_t>()};
  }
  for (const auto& [name, state] : json.at("states").items()) {
    out.states[name] = {state.at("epoch").get<std::uint64_t>(), state.at("position").get<std::uint64_t>(),
                        from_hex(state.at("bytes").get<std::string>())};
  }
  return out;
}

void differ(std::string& text, std::string_view what, const std::map<std::string, std::string>& saved,
            const std::map<std::string, std::string>& now, std::string_view changed) {
  for (const auto& [name, hash] : saved) {
    const auto found = now.find(name);
    if (found == now.end()) {
      text += fmt::format("{} '{}' is gone\n", what, name);
    } else if (found->second != hash) {
      text += fmt::format("{} '{}' {}\n", what, name, changed);
    }
  }
  for (const auto& [name, hash] : now) {
    if (!saved.contains(name)) text += fmt::format("{} '{}' is new\n", what, name);
  }
}

}  // namespace

std::string checkpoint_text(const Checkpoint& checkpoint) {
  Json rest{{"version", checkpoint.identity.version},
            {"seed", checkpoint.identity.seed},
            {"rank", checkpoint.rank},
            {"world", checkpoint.world},
            {"dealt", checkpoint.dealt},
            {"dealt_at", checkpoint.dealt_at},
            {"outputs", Json::object()},
            {"skipped", checkpoint.skipped},
            {"states", Json::object()},
            {"nodes", checkpoint.identity.nodes},
            {"listings", checkpoint.identity.listings}};
  for (const auto& [name, point] : checkpoint.outputs) {
    rest["outputs"][name] = {
        {"epoch", point.epoch}, {"step", point.step}, {"ordinal", point.ordinal}, {"end", point.end}};
  }
  for (const auto& [name, state] : checkpoint.states) {
    rest["states"][name] = {
        {"epoch", state.epoch}, {"position", state.position}, {"bytes", to_hex(state.bytes)}};
  }
  Json out{{"headrace_checkpoint", kFormat}, {"checksum", checksum(rest)}};
  out.update(rest);
  return out.dump() + "\n";
}

Result<Checkpoint> read_checkpoint(std::string_view text) {
  const auto refuse = [](std::string_view why) {
    return Status(Code::data_error, fmt::format("no checkpoint that can be used: {}", why));
  };
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("headrace_checkpoint"))
    return refuse("it is not what headrace writes, or it was cut short");
  if (json["headrace_checkpoint"] != kFormat) {
    return refuse(fmt::format("its format is {}, this headrace reads format {}",
                              json["headrace_checkpoint"].dump(), kFormat));
  }
  const Json saved = json.value("checksum", Json());
  json.erase("headrace_checkpoint");
  json.erase("checksum");
  if (saved != checksum(json)) return refuse("it was changed or damaged: its checksum does not hold");
  try {
    return from_json(json);
  } catch (const Json::exception& fault) {
    return refuse(fault.what());
  }
}

namespace {

Status check_world(const std::vector<const Checkpoint*>& ranks) {
  const Checkpoint& first = *ranks.front();
  for (const Checkpoint* each : ranks) {
    const bool is_of_one_job = each->identity == first.identity && each->dealt == first.dealt &&
                               each->outputs.size() == first.outputs.size();
    if (!is_of_one_job) {
      return {Code::data_error,
              fmt::format("the checkpoints of ranks 0 and {} are of different jobs", each->rank)};
    }
    for (const auto& [name, point] : each->outputs) {
      const auto other = first.outputs.find(name);
      if (other == first.outputs.end() || other->second.epoch != point.epoch ||
          other->second.step != point.step) {
        return {Code::data_error,
                fmt::format("the checkpoints of ranks 0 and {} were not taken at the same step", each->rank)};
      }
    }
  }
  return {};
}

/// Global position behind what a rank has, over all its outputs.
Result<std::uint64_t> end_of(const Checkpoint& checkpoint) {
  const OutputPoint& first = checkpoint.outputs.begin()->second;
  for (const auto& [name, point] : checkpoint.outputs) {
    if (point.epoch != first.epoch || point.end != first.end) {
      return Status(Code::data_error,
                    "its outputs stand at different places, so what is left cannot be dealt to "
                    "another number of ranks (take the checkpoint at the end of an epoch)");
    }
  }
  return first.end;
}

}  // namespace

Result<Checkpoint> share_of(const std::vector<Checkpoint>& saved, std::uint32_t rank, std::uint32_t world,
                            const std::string& why_not_dealt) {
  const std::uint32_t former = saved.front().world;
  std::vector<const Checkpoint*> ranks(former, nullptr);
  for (const Checkpoint& each : saved) {
    if (each.world != former || each.rank >= former || ranks[each.rank] != nullptr)
      return Status(Code::data_error, "the checkpoints are not those of the ranks of one job, one of each");
    ranks[each.rank] = &each;
  }
  if (former == world && ranks[rank] != nullptr && saved.size() == 1) return *ranks[rank];
  if (std::find(ranks.begin(), ranks.end(), nullptr) != ranks.end()) {
    return Status(
        Code::invalid_argument,
        fmt::format("rank {} of {} cannot go on with {} of the checkpoints of {} ranks (it needs its own, or "
                    "all of them)",
                    rank, world, saved.size(), former));
  }
  if (Status status = check_world(ranks); !status.ok()) return status;
  if (former == world) return *ranks[rank];

  Checkpoint out = *ranks.front();
  out.rank = rank;
  out.world = world;
  if (!out.states.empty()) {
    return Status(Code::invalid_argument,
                  fmt::format("node '{}' has a state of its own, which {} ranks cannot share",
                              out.states.begin()->first, world));
  }
  const Remainders rest(out.dealt);
  std::vector<std::uint64_t> ends;
  for (const Checkpoint* each : ranks) {
    const Result<std::uint64_t> end = end_of(*each);
    if (!end.ok()) return end.status();
    ends.push_back(rest.below(*end));
    for (const auto& [node, skipped] : each->skipped)
      out.skipped[node] = std::max(out.skipped[node], skipped);
  }
  for (auto& [name, point] : out.outputs) point.end = 0;
  if (std::all_of(ends.begin(), ends.end(), [](std::uint64_t end) { return end == 0; })) return out;
  for (const auto& [name, point] : out.outputs) out.dealt_at[name] = point.ordinal;
  if (!why_not_dealt.empty()) {
    return Status(Code::invalid_argument,
                  fmt::format("{} ranks cannot go on in the middle of an epoch of {} ranks: {}", world,
                              former, why_not_dealt));
  }
  out.dealt.push_back(std::move(ends));
  return out;
}

std::string difference(const Identity& saved, const Identity& now) {
  std::string text;
  if (saved.version != now.version)
    text += fmt::format("it was written by headrace {}, this is {}\n", saved.version, now.version);
  if (saved.seed != now.seed) text += fmt::format("runtime.seed was {} and is {}\n", saved.seed, now.seed);
  differ(text, "node", saved.nodes, now.nodes, "has another op, version, input or parameter");
  differ(text, "source", saved.listings, now.listings, "lists other samples, or in another order");
  return text;
}

}  // namespace headrace
