// SPDX-License-Identifier: Apache-2.0
//
// The check, node by node in topological order.

#include "runtime/graph/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "runtime/graph/bind_params.h"
#include "runtime/graph/declare.h"
#include "runtime/graph/links.h"
#include "runtime/graph/mask.h"
#include "runtime/graph/schema.h"

namespace headrace {
namespace {

constexpr std::int64_t kDefaultPrefetch = 2;

class Check {
 public:
  Check(Plan& plan, const Registry& registry, Diagnostics& diagnostics)
      : plan_(plan), diagnostics_(diagnostics), links_(link_nodes(plan.spec, registry, diagnostics)) {}

  bool run() {
    place_of_.resize(plan_.spec.nodes.size());
    plan_.nodes.reserve(links_.order.size());
    for (const std::size_t i : links_.order) take_node(i);
    is_whole_ = is_whole_ && links_.order.size() == plan_.spec.nodes.size();
    for (std::size_t i = 0; i < plan_.spec.outputs.size(); ++i)
      take_output(plan_.spec.outputs[i], links_.outputs[i]);
    if (is_whole_) mark_live_fields(plan_);
    return is_whole_;
  }

 private:
  /// Adds the node to the plan if it can be heard.
  void take_node(std::size_t number) {
    const NodeSpec& spec = plan_.spec.nodes[number];
    const NodeLink& link = links_.nodes[number];
    std::unique_ptr<BoundParams> params = link.op ? bind_params(spec, *link.op, diagnostics_) : nullptr;
    std::vector<const Schema*> inputs;
    std::vector<std::string> input_names;
    for (const std::size_t input : link.from) {
      if (!place_of_[input]) continue;
      inputs.push_back(&plan_.nodes[*place_of_[input]].schema);
      input_names.push_back(plan_.nodes[*place_of_[input]].name);
    }
    const bool can_be_heard = link.is_sound && params && inputs.size() == link.from.size();
    if (!can_be_heard) {
      is_whole_ = false;
      return;
    }
    PlanNode node = make_node(spec, *link.op, std::move(params));
    Schema records;
    if (link.op->table.rate == HEADRACE_REDUCE) {
      records = without_masks(*inputs.front());
      inputs.front() = &records;
    }
    for (const std::size_t input : link.from) node.from.push_back(*place_of_[input]);
    if (!declare(node, spec, inputs, input_names, diagnostics_) || !allows_concurrency(node, spec) ||
        !allows_sampling(node) || !follow_records(plan_, node, diagnostics_)) {
      is_whole_ = false;
      return;
    }
    const std::size_t place = plan_.nodes.size();
    for (const std::size_t input : link.from) {
      std::vector<std::size_t>& readers = plan_.nodes[*place_of_[input]].readers;
      if (readers.empty() || readers.back() != place) readers.push_back(place);
    }
    plan_.nodes.push_back(std::move(node));
    place_of_[number] = place;
  }

  static PlanNode make_node(const NodeSpec& spec, const RegisteredOp& op,
                            std::unique_ptr<BoundParams> params) {
    PlanNode out;
    out.name = spec.name;
    out.where = spec.where;
    out.op = &op;
    out.params = std::move(params);
    if (spec.concurrency) out.concurrency = static_cast<int>(spec.concurrency->value);
    out.tokens = spec.tokens;
    out.on_error = spec.on_error;
    out.sampling = spec.sampling;
    out.c = view_of(out.name.c_str(), op, *out.params);
    return out;
  }

  bool allows_concurrency(const PlanNode& node, const NodeSpec& spec) {
    if (!node.serial || node.concurrency.value_or(1) == 1) return true;
    diagnostics_.error(spec.concurrency->where,
                       fmt::format("{} takes one call at a time: {}.concurrency must be 1, not {}",
                                   node.op->table.name, node.name, *node.concurrency));
    return false;
  }

  bool allows_sampling(const PlanNode& node) {
    if (!node.sampling || node.indexed) return true;
    const bool is_stream = node.op->table.rate == HEADRACE_SOURCE;
    diagnostics_.error(node.sampling->where,
                       fmt::format("'{}' is {}: only a source with an index can be sampled", node.name,
                                   is_stream ? "a stream, of which nobody knows the length" : "no source"));
    return false;
  }

  void take_output(const OutputSpec& spec, std::optional<std::size_t> from) {
    if (!from || !place_of_[*from]) {
      is_whole_ = false;
      return;
    }
    PlanOutput out;
    out.name = spec.name;
    out.where = spec.where;
    out.from = *place_of_[*from];
    out.prefetch = spec.prefetch ? spec.prefetch->value : kDefaultPrefetch;
    const Schema& schema = plan_.nodes[out.from].schema;
    const std::vector<std::string> there = field_names(schema);
    if (!spec.fields) {
      out.fields = there;
    } else {
      for (const LocatedName& field : *spec.fields) {
        out.fields.push_back(field.name);
        if (find_field(schema, field.name)) continue;
        is_whole_ = false;
        diagnostics_.error(
            field.where, fmt::format("outputs.{} wants the field '{}', which '{}' does not give{}", spec.name,
                                     field.name, spec.from.name, did_you_mean_or_allowed(field.name, there)));
      }
    }
    if (spec.fields) warn_of_masks(spec, schema, out.fields);
    plan_.outputs.push_back(std::move(out));
  }

  void warn_of_masks(const OutputSpec& spec, const Schema& schema, const std::vector<std::string>& wanted) {
    for (const Field& field : schema) {
      if (!field.is_mask || std::find(wanted.begin(), wanted.end(), field.name) != wanted.end()) continue;
      diagnostics_.warning(spec.fields_where,
                           fmt::format("outputs.{} leaves out '{}', which says which rows of '{}' count",
                                       spec.name, field.name, spec.from.name));
    }
  }

  static void mark_live_fields(Plan& plan);

  Plan& plan_;
  Diagnostics& diagnostics_;
  const Links links_;
  std::vector<std::optional<std::size_t>> place_of_;  ///< spec -> plan; none: could not be heard
  bool is_whole_ = true;
};

/// The host gathers the masks of batches that are batched again.
void need_inner_masks(const Plan& plan, const PlanNode& reduce, std::vector<std::set<std::string>>& needed) {
  if (reduce.op->table.rate != HEADRACE_REDUCE) return;
  const Schema& records = plan.nodes[reduce.from[0]].schema;
  for (const Field& mask : reduce.schema) {
    if (!mask.is_mask || !mask.live) continue;
    const Field* inner = find_field(records, mask.name);
    if (inner != nullptr && inner->is_mask) needed[reduce.from[0]].insert(mask.name);
  }
}

/// Readers before what they read: a field is live when an output gives it, a reader's op reads it, or it
/// rides along to where it is live.
void Check::mark_live_fields(Plan& plan) {
  std::vector<std::set<std::string>> needed(plan.nodes.size());
  for (const PlanOutput& output : plan.outputs)
    needed[output.from].insert(output.fields.begin(), output.fields.end());
  for (std::size_t i = plan.nodes.size(); i-- > 0;) {
    PlanNode& node = plan.nodes[i];
    for (Field& field : node.schema) field.live = needed[i].contains(field.name);
    for (const Port& port : node.reads) needed[node.from[port.input]].insert(port.field);
    for (const Taken& taken : node.takes) {
      if (needed[i].contains(taken.as)) needed[node.from[taken.input]].insert(taken.field);
    }
    const headrace_rate rate = node.op->table.rate;
    need_inner_masks(plan, node, needed);
    if (rate != HEADRACE_MAP && rate != HEADRACE_EXPAND && rate != HEADRACE_WINDOW) continue;
    const std::set<std::string> written = [&] {
      std::set<std::string> out;
      for (const Port& port : node.writes) out.insert(port.field);
      return out;
    }();
    for (const std::string& name : needed[i]) {
      if (!written.contains(name)) needed[node.from[0]].insert(name);
    }
  }
}

}  // namespace

bool check(Plan& plan, const Registry& registry, Diagnostics& diagnostics) {
  return Check(plan, registry, diagnostics).run();
}

}  // namespace headrace
