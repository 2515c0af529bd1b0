// SPDX-License-Identifier: Apache-2.0
//
// A flow written down and made to go on: what was served, what the ops have to remember, and what graph and
// data it was.

#include <fmt/format.h>

#include "runtime/flow/flow.h"
#include "runtime/flow/outlet.h"
#include "runtime/graph/identity.h"
#include "runtime/graph/seek.h"
#include "runtime/graph/segments.h"
#include "runtime/version.h"

namespace headrace {

Identity Flow::identify() const {
  Identity identity;
  identity.version = kVersion;
  identity.seed = plan_->seed;
  for (const auto& op : ops_) {
    const std::string listing = op->fingerprint();
    if (!listing.empty()) identity.listings[op->first().name] = listing;
  }
  identity.nodes = identify_nodes(*plan_, plan_->ranks.world, [&](const PlanNode& node) {
    return identity.listings.contains(node.name);
  });
  return identity;
}

namespace {

/// Why what is left of an epoch cannot be dealt to another number of ranks.
std::string why_not_dealt(const Plan& plan) {
  const FrameGraph graph(plan);
  for (const PlanOutput& output : plan.outputs) {
    const Numbering numbering = numbering_of(plan, graph, graph.frame_of_node[output.from]);
    if (!numbering.frame) return numbering.why_not;
    const PlanNode& node = first_node(plan, plan.frames[*numbering.frame]);
    if (!node.indexed) return fmt::format("'{}' ({}) has no index", node.name, node.op->table.name);
  }
  return "";
}

}  // namespace

Status Flow::restore() {
  identity_ = identify();
  if (options_.checkpoints.empty()) {
    Result<Start> start = make_start(*plan_, nullptr);
    if (!start.ok()) return start.status();
    start_ = std::move(start).value();
    return {};
  }
  if (!strict()) {
    return {Code::invalid_argument,
            "a checkpoint means nothing in completion order (set runtime.order to strict)"};
  }
  const Result<Checkpoint> share =
      share_of(options_.checkpoints, plan_->ranks.rank, plan_->ranks.world, why_not_dealt(*plan_));
  if (!share.ok()) return share.status();
  from_ = *share;
  const std::string differs = difference(from_.identity, identity_);
  if (!differs.empty() && !options_.ignores_difference) {
    return {Code::invalid_argument,
            "the checkpoint was taken of something else, so what remains cannot be told exactly:\n" +
                differs + "(go on all the same by saying so, or begin anew)"};
  }
  Result<Start> start = make_start(*plan_, &from_);
  if (!start.ok()) return start.status();
  start_ = std::move(start).value();
  for (const auto& op : ops_) {
    const auto state = from_.states.find(op->first().name);
    if (state == from_.states.end()) continue;
    if (op->table().restore == nullptr || state->second.epoch != start_.epoch) {
      return {Code::data_error,
              fmt::format("the checkpoint has a state of node '{}' that it cannot take", op->first().name)};
    }
    if (Status status = op->restore(state->second); !status.ok()) return status;
  }
  return {};
}

/// Of the epoch that the sources go on in, before where they do: budgets of on_error are an epoch's.
void Flow::count_failures(const Start& start, Checkpoint& out) const {
  if (start.is_replay) return;
  const FrameGraph graph(*plan_);
  for (std::size_t f = 0; f < ops_.size(); ++f) {
    const auto& op = ops_[f];
    // What fails behind a batch is a batch, known by its number.
    const std::vector<ReduceAbove> above = reduces_above(*plan_, graph, f);
    const auto begins = above.empty() ? start.reduces.end() : start.reduces.find(above.front().frame);
    const std::uint64_t end = begins == start.reduces.end() ? start.position : begins->second.ordinal;
    for (std::size_t m = 0; m < op->members().size(); ++m) {
      const PlanNode& node = *op->members()[m]->node;
      if (node.on_error.action == ErrorAction::fail) continue;
      auto failures = static_cast<std::uint64_t>(failures_before(*op->members()[m], start.epoch));
      for (std::uint32_t source = 0; source < plan_->nodes.size() && plan_->nodes[source].from.empty();
           ++source) {
        failures +=
            ledger_
                .failures_before(static_cast<std::uint32_t>(op->frame().members[m]), start.epoch, source, end)
                .value_or(0);
      }
      if (failures > 0) out.skipped[node.name] = static_cast<std::int64_t>(failures);
    }
  }
}

Result<Checkpoint> Flow::checkpoint() const {
  if (!strict()) {
    return Status(Code::failed_precondition,
                  "records come in completion order, so what remains cannot be told (set runtime.order to "
                  "strict)");
  }
  Checkpoint out;
  out.identity = identity_;
  out.rank = plan_->ranks.rank;
  out.world = plan_->ranks.world;
  for (const Outlet* outlet : outlets_) out.outputs[outlet->output().name] = outlet->served();
  const Result<Start> start = make_start(*plan_, &out);
  if (!start.ok()) return start.status();
  if (start->epoch == start_.epoch) {
    out.dealt = from_.dealt;
    out.dealt_at = from_.dealt_at;
  }
  count_failures(*start, out);
  for (const auto& op : ops_) {
    if (op->table().save == nullptr) continue;
    const std::optional<OpState> state = op->kept_state(start->epoch, start->position);
    if (state) out.states[op->first().name] = *state;
  }
  return out;
}

}  // namespace headrace
