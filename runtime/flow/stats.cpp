// SPDX-License-Identifier: Apache-2.0
//
// What a flow says of itself: counters for programs, and who holds which tokens for the report of a deadlock.

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "runtime/flow/flow.h"
#include "runtime/flow/outlet.h"
#include "runtime/flow/segment.h"

namespace headrace {

namespace {

using Json = nlohmann::ordered_json;

double seconds(std::uint64_t ns) { return static_cast<double>(ns) * 1e-9; }

}  // namespace

/// Outputs of one node all get the same samples, and the furthest tells how many. What those of several nodes
/// have in common is not known.
std::optional<std::uint64_t> Flow::delivered() const {
  std::uint64_t most = 0;
  for (const Outlet* outlet : outlets_) {
    if (outlet->output().from != outlets_.front()->output().from) return std::nullopt;
    most = std::max(most, outlet->real());
  }
  return most;
}

std::string Flow::stats_json() const {
  Json out;
  std::uint64_t batches = 0;
  std::uint64_t samples = 0;
  for (const Outlet* outlet : outlets_) {
    batches += outlet->batches();
    samples += outlet->samples();
  }
  Json nodes = Json::object();
  for (const auto& op : ops_) {
    const Segment* segment = segments_.empty() ? nullptr : segments_[op->frame().segment].get();
    for (std::size_t m = 0; m < op->members().size(); ++m) {
      const Member& member = *op->members()[m];
      const NodeCounts counts = member.counters->total();
      Json node{{"in", counts.in},
                {"out", counts.out},
                {"dropped", counts.dropped},
                {"skipped", counts.skipped},
                {"masked", counts.masked},
                {"busy_seconds", seconds(counts.busy_ns)},
                {"wait_seconds", seconds(counts.wait_ns)},
                {"p50_us", counts.quantile_us(0.5)},
                {"p99_us", counts.quantile_us(0.99)},
                {"tokens", segment == nullptr ? 0 : segment->items()},
                {"tokens_max", segment == nullptr ? 0 : segment->items_max()}};
      if (m == 0) {
        Json named = Json::object();
        for (const auto& [name, value] : op->counts()) named[name] = value;
        node["counters"] = named;
      } else {
        node["frame"] = op->first().name;
      }
      nodes[member.node->name] = node;
    }
  }
  const std::uint64_t first_batch = first_batch_ns_.load(std::memory_order_relaxed);
  out["samples"] = samples;
  out["batches"] = batches;
  const std::optional<std::uint64_t> known = delivered();
  out["delivered"] = known ? Json(*known) : Json();
  const Account total = ledger_.total();
  out["skipped"] = total.of(Outcome::skipped);
  out["masked"] = total.of(Outcome::masked);
  out["padded"] = total.of(Outcome::padded);
  const LedgerNames names = ledger_names();
  out["epochs"] = Json::array();
  for (const Account& account : ledger_.accounts()) out["epochs"].push_back(to_json(names, account));
  out["rows_moved"] = rows_moved_.load(std::memory_order_relaxed);
  out["caller_bytes"] = outside_->caller_bytes.load(std::memory_order_relaxed);
  out["lent"] = outside_->lent.load(std::memory_order_relaxed);
  out["memory_bytes"] = pool_->held_bytes();
  out["system_allocations"] = pool_->system_allocations();
  out["first_batch_seconds"] = seconds(first_batch);
  out["seconds"] = seconds(now_ns() - began_ns_);
  out["nodes"] = nodes;
  out["segments"] = Json::array();
  for (std::size_t s = 0; s < segments_.size(); ++s) {
    const Segment& segment = *segments_[s];
    out["segments"].push_back(
        {{"exchange", plan_->nodes[plan_->frames[plan_->segments[s].exchange].members.front()].name},
         {"items", segment.items()},
         {"items_max", segment.items_max()},
         {"cap_items", segment.cap_items()},
         {"bytes", segment.bytes()},
         {"bytes_max", segment.bytes_max()},
         {"cap_bytes", segment.cap_bytes()}});
  }
  out["outputs"] = Json::object();
  for (const Outlet* outlet : outlets_) {
    out["outputs"][outlet->output().name] = {{"batches", outlet->batches()},
                                             {"samples", outlet->samples()},
                                             {"epoch", outlet->served().epoch},
                                             {"step", outlet->served().step}};
  }
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string Flow::describe_json() const {
  Json out = Json::object();
  for (const auto& op : ops_) {
    if (op->table().rate == HEADRACE_SOURCE || op->table().describe != nullptr) {
      Json node = Json::parse(op->describe(), nullptr, false);
      if (!node.is_object()) node = Json::object();
      if (op->length() >= 0) node["length"] = op->length();
      if (op->table().rate == HEADRACE_SOURCE && op->epoch_records() >= 0)
        node["dealt"] = op->epoch_records();
      if (const std::string hash = op->fingerprint(); !hash.empty()) node["fingerprint"] = hash;
      out[op->first().name] = node;
    }
  }
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string Flow::holdings() const {
  std::string text;
  for (std::size_t s = 0; s < segments_.size(); ++s) {
    const Segment& segment = *segments_[s];
    const auto& name = plan_->nodes[plan_->frames[plan_->segments[s].exchange].members.front()].name;
    text += fmt::format("  segment of '{}': {} of {} tokens, {} of {} bytes\n", name, segment.items(),
                        segment.cap_items(), segment.bytes(), segment.cap_bytes());
  }
  for (const auto& exchange : exchanges_) {
    const std::string waiting = exchange->waiting();
    if (waiting.empty()) continue;
    const auto* outlet = dynamic_cast<const Outlet*>(exchange.get());
    text += fmt::format("  {} '{}': {}\n", outlet != nullptr ? "output" : "node",
                        outlet != nullptr ? outlet->output().name : exchange->op()->first().name, waiting);
  }
  return text;
}

}  // namespace headrace
