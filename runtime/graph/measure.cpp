// SPDX-License-Identifier: Apache-2.0
//
// What one item of a segment holds at most.

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "runtime/graph/schema.h"
#include "runtime/graph/segments.h"

namespace headrace {
namespace {

struct Bytes {
  std::int64_t count = 0;
  bool is_known = true;

  void add(const Bytes& other) {
    count += other.count;
    is_known = is_known && other.is_known;
  }
};

Bytes bytes_of(const Field& field) {
  const std::int64_t bytes = field.most_bytes();
  return bytes < 0 ? Bytes{0, false} : Bytes{bytes, true};
}

class Measuring {
 public:
  Measuring(Plan& plan, const FrameGraph& graph) : plan_(plan), graph_(graph) {
    for (const PlanRow& row : plan.rows) {
      if (row.in_place) lent_.emplace(last(row.writer).name, row.field);
    }
  }

  std::vector<std::int64_t> run() {
    std::vector<std::int64_t> out;
    for (PlanSegment& segment : plan_.segments) {
      Bytes bytes = peak(segment.exchange, segment);
      const Bytes entering = bytes_while_entering(segment);
      bytes.is_known = bytes.is_known && entering.is_known;
      bytes.count = std::max(bytes.count, entering.count);
      segment.item_bytes = bytes.is_known ? bytes.count : -1;
      out.push_back(bytes.count);
    }
    return out;
  }

 private:
  const PlanNode& first(std::size_t f) const { return first_node(plan_, plan_.frames[f]); }
  const PlanNode& last(std::size_t f) const { return last_node(plan_, plan_.frames[f]); }

  /// What the exchange that begins the segment has in hand while it works: a batch its records, a transfer
  /// both sides.
  Bytes bytes_while_entering(const PlanSegment& segment) const {
    const PlanNode& node = first(segment.exchange);
    const headrace_rate rate = node.op->table.rate;
    Bytes out = written_by(segment.exchange, segment);
    if (rate == HEADRACE_MAP || rate == HEADRACE_EXPAND) {
      out.add(held_after(graph_.inputs[segment.exchange].front(), segment));
    } else if (rate == HEADRACE_REDUCE) {
      const Schema& single = last(graph_.inputs[segment.exchange].front()).schema;
      for (const Port& port : node.reads) {
        const Field* field = find_field(single, port.field);
        // Texts and labels beside a batch's tensors are not worth calling its size unknown.
        if (field == nullptr || lent_.contains({field->origin, field->name}) ||
            field->kind != HEADRACE_TENSOR)
          continue;
        const Bytes row = bytes_of(*field);
        out.add({row.count * node.batch_size, row.is_known});
      }
    }
    return out;
  }

  /// Live fields after frame `f`; all tensors of a batch, which has its slot as a whole.
  Bytes held_after(std::size_t f, const PlanSegment& segment) const {
    const bool is_batch = first(f).op->table.rate == HEADRACE_REDUCE;
    Bytes out;
    for (const Field& field : last(f).schema) {
      const bool is_held = field.live || (is_batch && field.kind == HEADRACE_TENSOR);
      if (is_held && !is_lent(field, segment)) out.add(bytes_of(field));
    }
    return out;
  }

  Bytes written_by(std::size_t f, const PlanSegment& segment) const {
    Bytes out;
    for (const Port& port : last(f).writes) {
      const Field* field = find_field(last(f).schema, port.field);
      const bool counts =
          field != nullptr && (field->live || field->kind == HEADRACE_TENSOR) && !is_lent(*field, segment);
      if (counts) out.add(bytes_of(*field));
    }
    return out;
  }

  /// A row that is lent in this segment belongs to the batch.
  bool is_lent(const Field& field, const PlanSegment& segment) const {
    if (!lent_.contains({field.origin, field.name})) return false;
    return std::any_of(segment.frames.begin(), segment.frames.end(),
                       [&](std::size_t f) { return last(f).name == field.origin; });
  }

  /// The most that a record and its copies hold from frame `f` on to the end of the segment. While a frame
  /// runs, what it read and what it writes are held at once; after a fan-out every branch holds what it adds.
  Bytes peak(std::size_t f, const PlanSegment& segment) const {
    const Bytes after = held_after(f, segment);
    Bytes out = after;
    for (const std::size_t reader : graph_.readers[f]) {
      if (plan_.frames[reader].is_exchange) continue;
      const Bytes below = peak(reader, segment);
      const Bytes written = written_by(reader, segment);
      const std::int64_t most = std::max(below.count, after.count + written.count);
      out.add({most - after.count, below.is_known && written.is_known});
    }
    return out;
  }

  Plan& plan_;
  const FrameGraph& graph_;
  std::set<std::pair<std::string, std::string>> lent_;  ///< node and field
};

}  // namespace

std::vector<std::int64_t> measure_items(Plan& plan, const FrameGraph& graph) {
  return Measuring(plan, graph).run();
}

}  // namespace headrace
