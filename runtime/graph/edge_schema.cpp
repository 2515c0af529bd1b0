// SPDX-License-Identifier: Apache-2.0
//
// Schemas of edges, by the rate of the node before them.

#include "runtime/graph/edge_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "runtime/graph/schema.h"

namespace headrace {
namespace {

class EdgeSchema {
 public:
  EdgeSchema(PlanNode& node, const std::vector<const Schema*>& inputs,
             const std::vector<std::string>& input_names, Diagnostics& diagnostics)
      : node_(node), inputs_(inputs), input_names_(input_names), diagnostics_(diagnostics) {}

  bool make() {
    const headrace_rate rate = node_.op->table.rate;
    const bool selects = rate == HEADRACE_JOIN || rate == HEADRACE_MERGE;
    const bool may_write = !selects && rate != HEADRACE_WINDOW;
    if (!may_write && !node_.writes.empty()) fail("it writes fields, which an op of its rate cannot");
    if (!selects && !node_.takes.empty()) fail("it takes fields, which only joins and merges can");
    if (rate == HEADRACE_MAP || rate == HEADRACE_EXPAND || rate == HEADRACE_WINDOW) ride_along();
    if (rate == HEADRACE_JOIN) join();
    if (rate == HEADRACE_MERGE) merge();
    if (is_sound_ && node_.schema.empty()) fail("it gives no field");
    return is_sound_;
  }

 private:
  void ride_along() {
    Schema written = std::exchange(node_.schema, {});
    std::vector<bool> is_placed(written.size());
    for (const Field& field : *inputs_[0]) {
      const auto replaced = std::find_if(written.begin(), written.end(),
                                         [&](const Field& other) { return other.name == field.name; });
      const bool is_removed =
          std::find(node_.removes.begin(), node_.removes.end(), field.name) != node_.removes.end();
      if (replaced != written.end()) {
        is_placed[static_cast<std::size_t>(replaced - written.begin())] = true;
        node_.schema.push_back(std::move(*replaced));
        replaced->name = node_.schema.back().name;
      } else if (!is_removed) {
        node_.schema.push_back(field);
      }
    }
    for (std::size_t i = 0; i < written.size(); ++i) {
      if (!is_placed[i]) node_.schema.push_back(std::move(written[i]));
    }
  }

  void join() {
    node_.schema.clear();
    for (const Taken& taken : node_.takes) {
      if (const Field* other = find_field(node_.schema, taken.as)) {
        object(fmt::format("it would give the field '{}' twice, from '{}' and from '{}'", taken.as,
                           other->origin, input_names_[taken.input]));
        continue;
      }
      Field field = renamed(taken);
      // A symbol says that axes of one record are equally long; those of two inputs need not be.
      for (std::string& symbol : field.dim_names) {
        if (!symbol.empty() && taken.input > 0) symbol += fmt::format("{}", taken.input + 1);
      }
      node_.schema.push_back(std::move(field));
    }
  }

  void merge() {
    node_.schema.clear();
    std::vector<std::size_t> counts;
    for (const Taken& taken : node_.takes) {
      Field field = renamed(taken);
      const auto there = std::find_if(node_.schema.begin(), node_.schema.end(),
                                      [&](const Field& other) { return other.name == field.name; });
      if (there == node_.schema.end()) {
        node_.schema.push_back(std::move(field));
        counts.push_back(1);
      } else {
        counts[static_cast<std::size_t>(there - node_.schema.begin())] += 1;
        widen(*there, field, taken.input);
      }
    }
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] == inputs_.size()) continue;
      fail(fmt::format("it takes the field '{}' from {} of its {} inputs", node_.schema[i].name, counts[i],
                       inputs_.size()));
    }
  }

  /// Makes `field` cover `other` too.
  void widen(Field& field, const Field& other, std::uint32_t input) {
    const bool is_alike = field.kind == other.kind && field.dtype == other.dtype &&
                          field.layout == other.layout && field.device.type == other.device.type &&
                          field.device.id == other.device.id && field.dims.size() == other.dims.size();
    if (!is_alike) {
      object(fmt::format("the field '{}' is {} from '{}' and {} from '{}' (make them alike)", field.name,
                         field.to_string(), input_names_[0], other.to_string(), input_names_[input]));
      return;
    }
    for (std::size_t i = 0; i < field.dims.size(); ++i) {
      if (field.dims[i] != other.dims[i]) field.dims[i] = -1;
      if (field.dim_names[i] != other.dim_names[i]) field.dim_names[i].clear();
    }
    const bool is_bounded = field.bound_bytes >= 0 && other.bound_bytes >= 0;
    field.bound_bytes = is_bounded ? std::max(field.bound_bytes, other.bound_bytes) : -1;
  }

  Field renamed(const Taken& taken) const {
    Field out = *find_field(*inputs_[taken.input], taken.field);
    out.name = taken.as;
    return out;
  }

  void object(const std::string& text) {
    is_sound_ = false;
    diagnostics_.error(node_.where, fmt::format("node '{}': {}", node_.name, text));
  }

  void fail(const std::string& text) {
    is_sound_ = false;
    diagnostics_.error(
        node_.where, fmt::format("node '{}': op {} is at fault: {}", node_.name, node_.op->table.name, text));
  }

  PlanNode& node_;
  const std::vector<const Schema*>& inputs_;
  const std::vector<std::string>& input_names_;
  Diagnostics& diagnostics_;
  bool is_sound_ = true;
};

}  // namespace

bool make_edge_schema(PlanNode& node, const std::vector<const Schema*>& inputs,
                      const std::vector<std::string>& input_names, Diagnostics& diagnostics) {
  return EdgeSchema(node, inputs, input_names, diagnostics).make();
}

}  // namespace headrace
