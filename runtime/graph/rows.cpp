// SPDX-License-Identifier: Apache-2.0
//
// Zero-copy batches: which frame may write a field straight into its row of the batch.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "runtime/graph/schema.h"
#include "runtime/graph/segments.h"

namespace headrace {
namespace {

const Port* find_port(const std::vector<Port>& ports, const std::string& field) {
  for (const Port& port : ports) {
    if (port.field == field) return &port;
  }
  return nullptr;
}

class RowLending {
 public:
  RowLending(Plan& plan, const FrameGraph& graph) : plan_(plan), graph_(graph) {}

  void run() {
    for (std::size_t f = 0; f < plan_.frames.size(); ++f) {
      if (first(f).op->table.rate == HEADRACE_REDUCE) lend_rows_of(f);
    }
  }

 private:
  const PlanNode& first(std::size_t f) const { return first_node(plan_, plan_.frames[f]); }
  const PlanNode& last(std::size_t f) const { return last_node(plan_, plan_.frames[f]); }

  void lend_rows_of(std::size_t reduce) {
    const PlanNode& node = first(reduce);
    bool lends = false;
    const std::size_t before = plan_.frames[graph_.inputs[reduce].front()].segment;
    for (std::size_t i = 0; i < node.writes.size(); ++i) {
      PlanRow row;
      row.reduce = reduce;
      row.field = node.writes[i].field;
      row.output = static_cast<std::uint32_t>(i);
      row.why_not = obstacle(reduce, row, before);
      row.in_place = row.why_not.empty();
      lends = lends || row.in_place;
      plan_.rows.push_back(std::move(row));
    }
    if (lends) lender_.emplace(before, reduce);
  }

  /// Why the row is not lent; "" when it is, and then `row.writer` is set.
  std::string obstacle(std::size_t reduce, PlanRow& row, std::size_t before) const {
    const PlanNode& node = first(reduce);
    const Field* batch = find_field(node.schema, row.field);
    const Field* single = find_field(last(graph_.inputs[reduce].front()).schema, row.field);
    if (node.slots == HEADRACE_SLOTS_NONE) return fmt::format("'{}' collates by copying", node.name);
    if (!single || !find_port(node.reads, row.field)) return fmt::format("'{}' makes it anew", node.name);
    if (single->kind != HEADRACE_TENSOR || batch->kind != HEADRACE_TENSOR)
      return "it is no tensor, and is kept in a list";
    if (std::string why = mismatch(node, *single, *batch); !why.empty()) return why;
    if (const auto other = lender_.find(before); other != lender_.end() && other->second != reduce) {
      return fmt::format("'{}' lends its rows to the same records", first(other->second).name);
    }
    return find_writer(reduce, row, before);
  }

  static std::string mismatch(const PlanNode& node, const Field& single, const Field& batch) {
    if (node.slots == HEADRACE_SLOTS_FIXED && single.known_bytes() < 0)
      return "its shape is known only sample by sample";
    if (single.device.type != HEADRACE_CPU) return "it lies on a device";
    const bool is_row = single.dtype == batch.dtype && batch.dims.size() == single.dims.size() + 1 &&
                        (node.slots == HEADRACE_SLOTS_BY_SIZE ||
                         std::equal(single.dims.begin(), single.dims.end(), batch.dims.begin() + 1));
    return is_row ? "" : fmt::format("'{}' changes its type or shape", node.name);
  }

  /// Upstream from the reduce to the frame that writes the field last.
  std::string find_writer(std::size_t reduce, PlanRow& row, std::size_t before) const {
    std::size_t at = graph_.inputs[reduce].front();
    for (;;) {
      const PlanNode& node = last(at);
      if (graph_.readers[at].size() > 1 || graph_.feeds_output[at])
        return fmt::format("'{}' is read by others too", node.name);
      if (const Port* port = find_port(node.writes, row.field)) {
        if (first(at).op->table.rate == HEADRACE_REDUCE)
          return fmt::format("'{}' gathers it first", first(at).name);
        if (port->memory != nullptr) return fmt::format("'{}' wants memory of its own for it", node.name);
        row.writer = at;
        return {};
      }
      if (plan_.frames[at].is_exchange || plan_.frames[at].segment != before) {
        return fmt::format("'{}' lies between the batch and what writes it", first(at).name);
      }
      at = graph_.inputs[at].front();
    }
  }

  Plan& plan_;
  const FrameGraph& graph_;
  std::map<std::size_t, std::size_t> lender_;  ///< segment -> the reduce that lends it rows
};

}  // namespace

void lend_rows(Plan& plan, const FrameGraph& graph) { RowLending(plan, graph).run(); }

}  // namespace headrace
