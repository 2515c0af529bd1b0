// SPDX-License-Identifier: Apache-2.0
//
// Offering followers to ops.

#include "runtime/graph/fuse.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "runtime/graph/declare.h"
#include "runtime/graph/schema.h"

namespace headrace {
namespace {

bool is_map(const PlanNode& node) { return node.op->table.rate == HEADRACE_MAP && !node.exchange; }

class Fusing {
 public:
  Fusing(Plan& plan, Diagnostics& diagnostics) : plan_(plan), diagnostics_(diagnostics) {}

  void run() {
    std::vector<bool> is_absorbed(plan_.nodes.size());
    for (std::size_t first = 0; first < plan_.nodes.size(); ++first) {
      if (is_absorbed[first]) continue;
      PlanFrame frame;
      frame.members = {first};
      frame.is_exchange = !is_map(plan_.nodes[first]);
      while (absorb_follower(frame)) is_absorbed[frame.members.back()] = true;
      plan_.frames.push_back(std::move(frame));
    }
  }

 private:
  /// Adds the follower of the frame's last member, or says why not.
  bool absorb_follower(PlanFrame& frame) {
    const PlanNode& last = plan_.nodes[frame.members.back()];
    const bool is_output =
        std::any_of(plan_.outputs.begin(), plan_.outputs.end(),
                    [&](const PlanOutput& output) { return output.from == frame.members.back(); });
    if (last.readers.empty()) return false;
    if (!plan_.fuse) return refuse(frame, "fuse is off");
    if (last.readers.size() > 1)
      return refuse(frame, fmt::format("{} nodes read '{}'", last.readers.size(), last.name));
    if (is_output) return refuse(frame, fmt::format("an output reads '{}' too", last.name));
    const std::size_t follower = last.readers.front();
    const std::string why_not = obstacle(frame, plan_.nodes[follower]);
    if (!why_not.empty()) return refuse(frame, why_not);
    return offer(frame, follower);
  }

  static bool refuse(PlanFrame& frame, std::string why) {
    frame.not_fused = std::move(why);
    return false;
  }

  /// Why the follower is not even offered; "" when it is.
  std::string obstacle(const PlanFrame& frame, const PlanNode& follower) const {
    const PlanNode& first = plan_.nodes[frame.members.front()];
    const headrace_rate rate = first.op->table.rate;
    if (!is_map(follower)) return fmt::format("'{}' is an exchange", follower.name);
    if (first.op->table.absorb == nullptr) return fmt::format("{} absorbs nothing", first.op->table.name);
    if (rate != HEADRACE_MAP && rate != HEADRACE_SOURCE && rate != HEADRACE_EXPAND) {
      return fmt::format("'{}' is an exchange that writes no single record", first.name);
    }
    if (follower.tokens) return fmt::format("'{}' sets tokens", follower.name);
    if (follower.concurrency) return fmt::format("'{}' sets concurrency", follower.name);
    return stray_field(frame, follower);
  }

  /// The frame reads what its first member reads and gives what its last one writes: no other field may
  /// matter.
  std::string stray_field(const PlanFrame& frame, const PlanNode& follower) const {
    const PlanNode& last = plan_.nodes[frame.members.back()];
    const auto writes = [](const PlanNode& node, const std::string& field) {
      return std::any_of(node.writes.begin(), node.writes.end(),
                         [&](const Port& port) { return port.field == field; });
    };
    for (const Port& port : follower.reads) {
      if (!writes(last, port.field)) {
        return fmt::format("'{}' reads '{}', which '{}' does not write", follower.name, port.field,
                           last.name);
      }
    }
    for (const Port& port : last.writes) {
      const Field* kept = find_field(follower.schema, port.field);
      if (kept && kept->live && !writes(follower, port.field)) {
        return fmt::format("'{}' of '{}' is read further on", port.field, last.name);
      }
    }
    return {};
  }

  /// What an absorber's decline() speaks to.
  struct Answer {
    std::string reason;
  };

  bool offer(PlanFrame& frame, std::size_t follower) {
    const PlanNode& first = plan_.nodes[frame.members.front()];
    std::vector<const headrace_node*> members;
    for (const std::size_t member : frame.members) members.push_back(&plan_.nodes[member].c);
    members.push_back(&plan_.nodes[follower].c);
    Answer answer;
    headrace_config config{};
    config.context = {sizeof(headrace_config), 0, planning_host(), &answer};
    config.members = members.data();
    config.member_count = static_cast<std::uint32_t>(members.size());
    headrace_offer offer{};
    offer.context = {sizeof(headrace_offer), 0, planning_host(), &answer};
    offer.config = &config;
    offer.decline = [](headrace_offer* self, const char* reason) {
      if (reason != nullptr) static_cast<Answer*>(self->context.handle)->reason = reason;
    };
    const headrace_status status = first.op->table.absorb(&offer);
    if (status == HEADRACE_OK) {
      frame.members.push_back(follower);
      return true;
    }
    if (status != HEADRACE_UNSUPPORTED) {
      diagnostics_.error(first.where,
                         fmt::format("node '{}': op {} is at fault: absorb() answers with status {}",
                                     first.name, first.op->table.name, status));
    }
    if (answer.reason.empty())
      answer.reason = fmt::format("{} declines it without a reason", first.op->table.name);
    return refuse(frame, std::move(answer.reason));
  }

  Plan& plan_;
  Diagnostics& diagnostics_;
};

}  // namespace

void fuse(Plan& plan, Diagnostics& diagnostics) { Fusing(plan, diagnostics).run(); }

}  // namespace headrace
