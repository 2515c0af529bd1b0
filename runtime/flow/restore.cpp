// SPDX-License-Identifier: Apache-2.0
//
// A flow written down and made to go on: what was served, what the ops have to remember, and what graph and
// data it was.

#include <fmt/format.h>

#include "runtime/flow/flow.h"
#include "runtime/flow/outlet.h"
#include "runtime/graph/identity.h"
#include "runtime/graph/seek.h"
#include "runtime/version.h"

namespace headrace {

Identity Flow::identify() const {
  Identity identity;
  identity.version = kVersion;
  identity.seed = plan_->seed;
  for (const auto& op : ops_) {
    const std::string listing = op->listing();
    if (!listing.empty()) identity.listings[op->first().name] = listing;
  }
  identity.nodes =
      identify_nodes(*plan_, 1, [&](const PlanNode& node) { return identity.listings.contains(node.name); });
  return identity;
}

Status Flow::restore() {
  const Checkpoint* from = options_.checkpoints.empty() ? nullptr : &options_.checkpoints.front();
  if (from != nullptr && !strict()) {
    return {Code::invalid_argument,
            "a checkpoint means nothing in completion order (set runtime.order to strict)"};
  }
  identity_ = identify();
  Result<Start> start = make_start(*plan_, from);
  if (!start.ok()) return start.status();
  start_ = std::move(start).value();
  if (from == nullptr) return {};
  const std::string differs = difference(from->identity, identity_);
  if (!differs.empty() && !options_.ignores_difference) {
    return {Code::invalid_argument,
            "the checkpoint was taken of something else, so what remains cannot be told exactly:\n" +
                differs + "(go on all the same by saying so, or begin anew)"};
  }
  for (const auto& op : ops_) {
    const auto state = from->states.find(op->first().name);
    if (state == from->states.end()) continue;
    if (op->table().restore == nullptr || state->second.epoch != start_.epoch) {
      return {Code::data_error,
              fmt::format("the checkpoint has a state of node '{}' that it cannot take", op->first().name)};
    }
    if (Status status = op->restore(state->second); !status.ok()) return status;
  }
  return {};
}

Result<Checkpoint> Flow::checkpoint() const {
  if (!strict()) {
    return Status(Code::failed_precondition,
                  "records come in completion order, so what remains cannot be told (set runtime.order to "
                  "strict)");
  }
  Checkpoint out;
  out.identity = identity_;
  for (const Outlet* outlet : outlets_) out.outputs[outlet->output().name] = outlet->served();
  const Result<Start> start = make_start(*plan_, &out);
  if (!start.ok()) return start.status();
  for (const auto& op : ops_) {
    if (op->table().save == nullptr) continue;
    const std::optional<OpState> state = op->kept_state(start->epoch, start->position);
    if (state) out.states[op->first().name] = *state;
  }
  return out;
}

}  // namespace headrace
