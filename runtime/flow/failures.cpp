// SPDX-License-Identifier: Apache-2.0
//
// What a flow says of samples that failed: to its ledger, to whoever asked for that, and in the message of a
// run that had too many.

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "runtime/flow/flow.h"
#include "runtime/version.h"

namespace headrace {

namespace {

// In the message of a run that failed; the ledger has the others.
constexpr std::size_t kListed = 20;
constexpr std::size_t kEntriesAtOnce = 256;

// The header is number 0.
constexpr std::uint64_t kFirstEntry = 1;

std::string number_of(const Failure& failure) {
  if (failure.batch && !failure.is_named) return fmt::format("batch {}", *failure.batch);
  std::string number = fmt::format("sample {}", failure.sample.position);
  for (std::uint32_t d = 0; d < failure.sample.depth; ++d)
    number += fmt::format(".{}", failure.sample.ordinals[d]);
  return number;
}

std::string named(const Failure& failure, std::string number) {
  if (!failure.name.empty()) number += fmt::format(" ({})", failure.name);
  return number + ": " + failure.reason;
}

Failure failure_of(const Item& item, Outcome outcome, std::uint32_t node, const std::string& reason) {
  Failure failure;
  failure.outcome = outcome;
  failure.node = node;
  failure.sample = item.sample;
  failure.index = item.index;
  if (item.is_batch) failure.batch = item.sample.position;
  failure.is_named = !item.is_batch;
  failure.rows = item.real;
  failure.reason = reason;
  failure.name = item.name();
  return failure;
}

/// A join of samples of different sources: what one of them is joined with depends on all that is not chosen.
const PlanNode* join_of_sources(const Plan& plan) {
  std::vector<std::set<std::size_t>> sources(plan.nodes.size());
  for (std::size_t n = 0; n < plan.nodes.size(); ++n) {
    const PlanNode& node = plan.nodes[n];
    if (node.from.empty()) sources[n].insert(n);
    for (const std::size_t from : node.from) {
      if (node.op->table.rate == HEADRACE_JOIN && sources[from] != sources[node.from.front()]) return &node;
      sources[n].insert(sources[from].begin(), sources[from].end());
    }
  }
  return nullptr;
}

}  // namespace

std::optional<std::int64_t> Flow::record(const OpInstance& op, std::uint32_t member, const Item& item,
                                         Outcome outcome, const std::string& reason, std::int64_t budget) {
  const auto node = static_cast<std::uint32_t>(op.frame().members[member]);
  std::vector<Failure> members;
  for (const Item* sample : item.members) {
    members.push_back(failure_of(*sample, outcome, node, reason));
    members.back().batch = item.sample.position;
  }
  return ledger_.record(failure_of(item, outcome, node, reason), std::move(members), budget);
}

std::int64_t Flow::budget_of(const Member& at) const {
  const OnErrorSpec& policy = at.node->on_error;
  std::int64_t most = policy.max_count.value_or(std::numeric_limits<std::int64_t>::max());
  if (!policy.max_fraction) return most;
  // Of a stream nobody knows the length of, the records seen so far stand for the epoch; one failure alone
  // says nothing.
  const std::int64_t known = epoch_records();
  const auto records =
      static_cast<double>(known >= 0 ? known : static_cast<std::int64_t>(at.counters->total().in));
  const auto share = static_cast<std::int64_t>(*policy.max_fraction * records);
  return std::min(most, known >= 0 ? share : std::max<std::int64_t>(1, share));
}

std::string Flow::list_failures(const OpInstance& op, std::uint32_t member, std::uint32_t epoch,
                                std::int64_t failures, std::int64_t budget) const {
  const auto node = static_cast<std::uint32_t>(op.frame().members[member]);
  const std::string allowed = fmt::format("on_error allows {} an epoch", budget);
  const std::vector<Failure> first = ledger_.failures_of(node, epoch, kListed);
  if (first.empty())
    return fmt::format("{}: {} failures in epoch {}, and {}", op.title(member), failures, epoch, allowed);
  const std::string head = fmt::format("{} of epoch {}", number_of(first.front()), epoch);
  std::string text = fmt::format("{}, {}", op.title(member), named(first.front(), head));
  if (failures == 1) return fmt::format("{}; {}", text, allowed);
  text += fmt::format("; that is the first of {} failures, and {}:", failures, allowed);
  for (const Failure& failure : first) text += "\n  " + named(failure, number_of(failure));
  const auto listed = static_cast<std::int64_t>(first.size());
  if (failures > listed) text += fmt::format("\n  and {} more", failures - listed);
  return text;
}

LedgerNames Flow::ledger_names() const {
  LedgerNames names;
  names.version = kVersion;
  names.graph = plan_->spec.name;
  names.seed = plan_->seed;
  for (const PlanNode& node : plan_->nodes) names.nodes.push_back({node.name, node.op->table.name});
  for (const auto& op : ops_) {
    if (op->table().rate == HEADRACE_SOURCE)
      names.sources.push_back({op->first().name, op->length(), op->fingerprint()});
  }
  const auto& outputs = plan_->outputs;
  names.delivered_is_known = std::all_of(outputs.begin(), outputs.end(), [&](const PlanOutput& output) {
    return output.from == outputs.front().from;
  });
  return names;
}

Status Flow::write_ledger(std::uint64_t from, const std::function<Status(std::string_view)>& write,
                          std::uint64_t& next) {
  // Who reads the account of a run that has ended has been told why it did.
  if (cancelled()) static_cast<void>(failure());
  LedgerNames names = ledger_names();
  next = std::max<std::uint64_t>(from, kFirstEntry);
  if (from < kFirstEntry) {
    const auto described = nlohmann::json::parse(describe_json(), nullptr, false);
    for (LedgerNames::Source& source : names.sources) {
      if (described.contains(source.name))
        source.fingerprint = described[source.name].value("fingerprint", "");
    }
    if (Status status = write(ledger_header(names)); !status.ok()) return status;
  }
  for (;;) {
    const Ledger::Page page = ledger_.read(next - kFirstEntry, kEntriesAtOnce);
    std::string lines = page.forgotten > 0 ? forgotten_line(page.forgotten) : "";
    for (const Ledger::Entry& entry : page.entries) {
      lines += std::visit([&](const auto& one) { return ledger_line(names, one); }, entry);
    }
    if (lines.empty()) return {};
    if (Status status = write(lines); !status.ok()) return status;
    next = page.next + kFirstEntry;
  }
}

Status Flow::select() {
  if (const PlanNode* join = join_of_sources(*plan_)) {
    return {Code::unsupported,
            fmt::format("node '{}' joins samples of several sources, so that a sample of one cannot "
                        "be run without all others",
                        join->name)};
  }
  Result<Selection> selection = Selection::of(*options_.only, ledger_names().sources);
  if (!selection.ok()) return {selection.status().code(), "the ledger, " + selection.status().message()};
  selection_ = std::move(selection).value();
  return {};
}

bool Flow::is_still_named(const OpInstance& op, const Item& item) {
  if (op.table().rate != HEADRACE_SOURCE) return true;
  const Selection::Chosen* chosen = selection_->find(item.sample.source, item.index);
  if (chosen == nullptr || chosen->name.empty() || item.name() == chosen->name) return true;
  fail({Code::invalid_argument,
        fmt::format("{}, {}: the ledger, line {}, knows it as '{}': the listing has changed since",
                    op.title(0), item.title(), chosen->line, chosen->name)});
  return false;
}

}  // namespace headrace
