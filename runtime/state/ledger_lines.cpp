// SPDX-License-Identifier: Apache-2.0

#include "runtime/state/ledger_lines.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace headrace {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kFormat = "headrace-ledger";
constexpr int kVersion = 1;

std::string line_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

/// Of a failure's line; nothing where it names none.
std::optional<NamedSample> sample_of(const Json& json, std::size_t line) {
  const auto source = json.find("source");
  const auto index = json.find("index");
  if (source == json.end() || !source->is_string() || index == json.end() || !index->is_number_unsigned())
    return std::nullopt;
  NamedSample sample{source->get<std::string>(), index->get<std::uint64_t>(), {}, line};
  const auto name = json.find("path");
  if (name != json.end() && name->is_string()) sample.name = name->get<std::string>();
  return sample;
}

bool is_header(const Json& json) {
  return json.is_object() && json.value("format", Json()) == kFormat &&
         json.value("version", Json()) == kVersion;
}

}  // namespace

std::string ledger_header(const LedgerNames& names) {
  Json sources = Json::object();
  for (const LedgerNames::Source& source : names.sources) {
    sources[source.name] = {{"length", source.length < 0 ? Json() : Json(source.length)},
                            {"fingerprint", text_or_null(source.fingerprint)}};
  }
  return line_of({{"format", kFormat},
                  {"version", kVersion},
                  {"headrace", names.version},
                  {"graph", names.graph},
                  {"seed", names.seed},
                  {"sources", sources}});
}

std::string ledger_line(const LedgerNames& names, const Failure& failure) {
  const headrace_sample& sample = failure.sample;
  const LedgerNames::Node& node = names.nodes[failure.node];
  const auto named = [&](auto value) { return failure.is_named ? Json(value) : Json(); };
  Json line{{"outcome", outcome_name(failure.outcome)},
            {"node", node.name},
            {"op", node.op},
            {"reason", failure.reason},
            {"path", text_or_null(failure.name)},
            {"source", named(names.sources[sample.source].name)},
            {"index", named(failure.index)},
            {"epoch", sample.epoch},
            {"position", named(sample.position)}};
  if (sample.depth > 0) {
    line["ordinals"] = Json::array();
    for (std::uint32_t d = 0; d < sample.depth; ++d) line["ordinals"].push_back(sample.ordinals[d]);
  }
  if (failure.batch) line["batch"] = *failure.batch;
  if (failure.rows != 1) line["samples"] = failure.rows;
  return line_of(line);
}

nlohmann::ordered_json to_json(const LedgerNames& names, const Account& account) {
  const auto known = [&](std::int64_t n) { return names.delivered_is_known ? Json(n) : Json(); };
  Json line{{"epoch", account.epoch},
            {"complete", account.is_over},
            {"admitted", names.delivered_is_known ? account.admitted : account.sources},
            {"delivered", known(account.of(Outcome::delivered))}};
  for (const Outcome outcome : {Outcome::skipped, Outcome::dropped, Outcome::rest, Outcome::masked,
                                Outcome::padded, Outcome::failed}) {
    line[std::string(outcome_name(outcome))] = account.of(outcome);
  }
  line["in_flight"] = known(account.in_flight());
  line["not_listed"] = account.not_kept;
  return line;
}

std::string ledger_line(const LedgerNames& names, const Account& account) {
  return line_of(to_json(names, account));
}

std::string forgotten_line(std::uint64_t count) { return line_of({{"forgotten", count}}); }

Result<NamedSamples> read_ledger(std::string_view text) {
  NamedSamples read;
  std::size_t line = 0;
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    const Json json = Json::parse(text.substr(0, end), nullptr, false);
    text.remove_prefix(end + 1);
    ++line;
    if (line == 1 ? !is_header(json) : !json.is_object()) {
      return {Code::invalid_argument, line == 1
                                          ? fmt::format("line 1: this is no ledger of version {}", kVersion)
                                          : fmt::format("line {}: this is no line of a ledger", line)};
    }
    if (!json.contains("outcome")) continue;
    if (std::optional<NamedSample> sample = sample_of(json, line)) {
      read.samples.push_back(std::move(*sample));
    } else {
      read.unnamed += json.value("samples", std::uint64_t{1});
    }
  }
  if (line == 0) return {Code::invalid_argument, "this is no ledger: it has no header line"};
  return read;
}

}  // namespace headrace
