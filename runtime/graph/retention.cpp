// SPDX-License-Identifier: Apache-2.0
//
// Forks and joins that would deadlock.

#include "runtime/graph/retention.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/graph/join_order.h"
#include "runtime/graph/quantity.h"

namespace headrace {
namespace {

constexpr std::int64_t kMany = std::numeric_limits<std::int64_t>::max() / 4;

std::int64_t plus(std::int64_t a, std::int64_t b) { return std::min(kMany, a + b); }
std::int64_t times(std::int64_t a, std::int64_t b) {
  return a > kMany / std::max<std::int64_t>(b, 1) ? kMany : a * b;
}

/// A segment above one input of a join or merge.
struct Above {
  std::int64_t records =
      1;  ///< of the segment that make one record at the input: what reduces on the way gather
  bool is_expanded = false;  ///< an expand lies on the way: one record may become any number
};

using Ancestry = std::vector<std::optional<Above>>;  // by segment; none: not above the input

/// What waits in the joins that a segment ends in.
struct Demand {
  std::int64_t records = 0;
  std::size_t join = 0;  ///< frame: the join that asks for most
  std::int64_t most = 0;
  std::vector<std::size_t> holders;  ///< segments that hold back the partners
};

class Retention {
 public:
  Retention(Plan& plan, const FrameGraph& graph, Diagnostics& diagnostics)
      : plan_(plan), graph_(graph), diagnostics_(diagnostics), demands_(plan.segments.size()) {}

  void run() {
    for (std::size_t f = 0; f < plan_.frames.size(); ++f) {
      const headrace_rate rate = node_of(f).op->table.rate;
      if (rate == HEADRACE_JOIN || rate == HEADRACE_MERGE) look_at(f, rate);
    }
    for (std::size_t s = 0; s < plan_.segments.size(); ++s) {
      if (demands_[s].records > 0) meet(s);
    }
  }

 private:
  const PlanNode& node_of(std::size_t f) const { return first_node(plan_, plan_.frames[f]); }
  const PlanNode& begin_of(std::size_t segment) const { return node_of(plan_.segments[segment].exchange); }
  std::size_t segment_of(std::size_t f) const { return plan_.frames[f].segment; }

  void look_at(std::size_t meeting, headrace_rate rate) {
    const std::vector<std::size_t>& inputs = graph_.inputs[meeting];
    std::vector<Ancestry> ancestries;
    ancestries.reserve(inputs.size());
    for (const std::size_t input : inputs) ancestries.push_back(ancestry_of(segment_of(input)));
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      for (std::size_t j = i + 1; j < inputs.size(); ++j) {
        if (rate == HEADRACE_MERGE && have_fork(ancestries[i], ancestries[j]))
          refuse_merge(meeting, inputs[i], inputs[j]);
        if (rate == HEADRACE_JOIN) check_pace(meeting, ancestries[i], ancestries[j]);
      }
    }
    if (rate == HEADRACE_JOIN) add_demands(meeting, ancestries);
  }

  /// From the segment that ends at an input up to the sources.
  Ancestry ancestry_of(std::size_t last) const {
    Ancestry out(plan_.segments.size());
    out[last] = Above();
    // A segment's inputs come before it, so that going backwards each one is complete when it is looked at.
    for (std::size_t s = plan_.segments.size(); s-- > 0;) {
      if (!out[s]) continue;
      Above through = *out[s];
      if (begin_of(s).op->table.rate == HEADRACE_REDUCE)
        through.records = times(through.records, begin_of(s).batch_size);
      if (begin_of(s).op->table.rate == HEADRACE_EXPAND) through.is_expanded = true;
      for (const std::size_t input : graph_.inputs[plan_.segments[s].exchange]) {
        std::optional<Above>& above = out[segment_of(input)];
        if (!above) above = through;
        above->records = std::min(above->records, through.records);
        above->is_expanded = above->is_expanded || through.is_expanded;
      }
    }
    return out;
  }

  static bool have_fork(const Ancestry& a, const Ancestry& b) {
    for (std::size_t s = 0; s < a.size(); ++s) {
      if (a[s] && b[s]) return true;
    }
    return false;
  }

  /// Where two inputs come from one fan-out, as many of its records must make one of each.
  void check_pace(std::size_t meeting, const Ancestry& a, const Ancestry& b) {
    for (std::size_t s = a.size(); s-- > 0;) {
      if (!a[s] || !b[s]) continue;
      if (a[s]->records == b[s]->records || a[s]->is_expanded || b[s]->is_expanded) return;
      diagnostics_.error(
          node_of(meeting).where,
          fmt::format(
              "'{}' would wait for ever: of the records of '{}' one of its inputs makes a batch of {} "
              "and another one of {}, and so gets ahead",
              node_of(meeting).name, begin_of(s).name, a[s]->records, b[s]->records));
      return;
    }
  }

  /// Records that a segment's exchange may keep however many come after them.
  std::int64_t held_back(std::size_t s) const {
    const PlanNode& node = begin_of(s);
    if (node.op->table.rate == HEADRACE_WINDOW) return window_of(s);
    if (node.op->table.rate == HEADRACE_REDUCE) return node.groups - 1;
    return 0;
  }

  void add_demands(std::size_t meeting, const std::vector<Ancestry>& ancestries) {
    std::vector<Demand> demands(plan_.segments.size());
    for (std::size_t j = 0; j < ancestries.size(); ++j) {
      Demand demand;
      for (std::size_t i = 0; i < ancestries.size(); ++i) {
        if (i == j) continue;
        const std::size_t before = demand.holders.size();
        add_held_back(ancestries[i], ancestries[j], demand);
        const std::size_t waits_in = segment_of(graph_.inputs[meeting][j]);
        const bool is_above = ancestries[i][waits_in].has_value();
        if (demand.holders.size() > before && is_above && !plan_.strict)
          refuse_order(meeting, demand, waits_in);
      }
      // Inputs that end one segment share its tokens: the one with most says how many.
      Demand& known = demands[segment_of(graph_.inputs[meeting][j])];
      if (demand.records > known.records) known = std::move(demand);
    }
    for (std::size_t s = 0; s < demands.size(); ++s) {
      Demand& all = demands_[s];
      all.records = plus(all.records, demands[s].records);
      all.holders.insert(all.holders.end(), demands[s].holders.begin(), demands[s].holders.end());
      if (demands[s].records > all.most) {
        all.most = demands[s].records;
        all.join = meeting;
      }
    }
  }

  /// What the exchanges above `branch` alone, and not above `other`, hold back, in records of the join.
  void add_held_back(const Ancestry& branch, const Ancestry& other, Demand& demand) const {
    for (std::size_t s = 0; s < branch.size(); ++s) {
      if (!branch[s] || other[s] || held_back(s) == 0) continue;
      const std::int64_t records = (held_back(s) + branch[s]->records - 1) / branch[s]->records;
      demand.records = plus(demand.records, branch[s]->is_expanded ? kMany : records);
      demand.holders.push_back(s);
    }
  }

  // ---- caps

  /// Items that the bytes given to a segment hold, where both are known.
  std::int64_t items_by_bytes(std::size_t s) const {
    const PlanSegment& segment = plan_.segments[s];
    if (!segment.explicit_bytes || segment.item_bytes <= 0) return kMany;
    return std::max<std::int64_t>(1, segment.cap_bytes / segment.item_bytes);
  }
  std::int64_t window_of(std::size_t s) const { return std::min(begin_of(s).window, items_by_bytes(s)); }

  /// Records that can be under way beyond the segment's own exchange.
  std::int64_t room_in(std::size_t s) const {
    const std::int64_t cap = std::min(plan_.segments[s].cap_items, items_by_bytes(s));
    const headrace_rate rate = begin_of(s).op->table.rate;
    if (rate == HEADRACE_WINDOW) return cap - window_of(s) + 1;
    return rate == HEADRACE_REDUCE ? cap - begin_of(s).groups + 1 : cap;
  }

  /// Raises the segment's cap until what waits in joins has room, or says that it may not be raised.
  void meet(std::size_t s) {
    PlanSegment& segment = plan_.segments[s];
    const Demand& demand = demands_[s];
    if (demand.records >= kMany) {
      refuse_expanded(demand);
      return;
    }
    const auto missing = [&] { return demand.records + 1 - room_in(s); };
    if (missing() > 0 && !segment.explicit_items) segment.cap_items = plus(segment.cap_items, missing());
    if (missing() > 0) refuse_caps(s, missing());
  }

  void refuse_caps(std::size_t s, std::int64_t missing) {
    const PlanSegment& segment = plan_.segments[s];
    const Demand& demand = demands_[s];
    const PlanNode& node = node_with_tokens(segment);
    const std::int64_t wanted = plus(std::min(segment.cap_items, items_by_bytes(s)), missing);
    const bool by_items = segment.explicit_items && node.tokens->items->value < wanted;
    const std::string remedy =
        by_items ? fmt::format("{} tokens", wanted) : size_text(times(wanted, segment.item_bytes));
    diagnostics_.error(
        by_items ? node.tokens->items->where : node.tokens->bytes->where,
        fmt::format(
            "'{}' would wait for ever: {} up to {} record{}, and the segment that begins with '{}' has no "
            "room for their partners (give '{}' at least {})",
            node_of(demand.join).name, holders_text(demand), demand.records, demand.records == 1 ? "" : "s",
            begin_of(s).name, node.name, remedy));
  }

  /// In order any the end of an epoch leaves a segment when nothing else is in it.
  void refuse_order(std::size_t meeting, const Demand& demand, std::size_t waits_in) {
    diagnostics_.error(
        node_of(meeting).where,
        fmt::format(
            "'{}' would wait for ever at the end of an epoch in order any: {} records until it comes, and it "
            "comes "
            "when the segment that begins with '{}', where their partners wait, is empty (use order: strict)",
            node_of(meeting).name, holders_text(demand), begin_of(waits_in).name));
  }

  void refuse_expanded(const Demand& demand) {
    diagnostics_.error(
        node_of(demand.join).where,
        fmt::format(
            "'{}' would wait for ever: {} records that an op after it makes any number of (put it behind "
            "that op)",
            node_of(demand.join).name, holders_text(demand)));
  }

  /// "'w' holds back", "'v' and 'w' hold back".
  std::string holders_text(const Demand& demand) const {
    std::vector<std::string> names;
    for (const std::size_t s : std::set<std::size_t>(demand.holders.begin(), demand.holders.end())) {
      names.push_back(fmt::format("'{}'", begin_of(s).name));
    }
    return fmt::format("{} hold{} back", fmt::join(names, " and "), names.size() == 1 ? "s" : "");
  }

  /// The node that gives a segment its tokens; there is one where a cap is explicit.
  const PlanNode& node_with_tokens(const PlanSegment& segment) const {
    for (const std::size_t f : segment.frames) {
      for (const std::size_t n : plan_.frames[f].members) {
        const std::optional<TokensSpec>& tokens = plan_.nodes[n].tokens;
        if (tokens && (tokens->items || tokens->bytes)) return plan_.nodes[n];
      }
    }
    return node_of(segment.exchange);
  }

  // ---- merges

  void refuse_merge(std::size_t meeting, std::size_t one, std::size_t other) {
    const PlanNode& node = node_of(meeting);
    diagnostics_.error(
        node.where,
        fmt::format("'{}' would wait for ever: two of its inputs are branches of '{}', and while it takes "
                    "from one the other fills up (give each input a source of its own)",
                    node.name, last_node(plan_, plan_.frames[fork_of(one, other)]).name));
  }

  /// The last frame that both come from.
  std::size_t fork_of(std::size_t one, std::size_t other) const {
    const std::set<std::size_t> above_one = all_above(one);
    const std::set<std::size_t> above_other = all_above(other);
    const auto fork = std::find_if(above_one.rbegin(), above_one.rend(),
                                   [&](std::size_t frame) { return above_other.contains(frame); });
    return fork == above_one.rend() ? one : *fork;
  }

  /// A frame and all that it comes from.
  std::set<std::size_t> all_above(std::size_t frame) const {
    std::set<std::size_t> out;
    std::vector<std::size_t> open{frame};
    while (!open.empty()) {
      const std::size_t f = open.back();
      open.pop_back();
      if (out.insert(f).second) open.insert(open.end(), graph_.inputs[f].begin(), graph_.inputs[f].end());
    }
    return out;
  }

  Plan& plan_;
  const FrameGraph& graph_;
  Diagnostics& diagnostics_;
  std::vector<Demand> demands_;  ///< by segment
};

}  // namespace

std::int64_t least_items(const Plan& plan, const PlanSegment& segment) {
  const PlanNode& node = first_node(plan, plan.frames[segment.exchange]);
  // A dropped record must get past a full window to the join that waits for it.
  if (node.op->table.rate == HEADRACE_WINDOW)
    return node.window + (feeds_join(plan, segment.exchange) ? 1 : 0);
  if (node.op->table.rate == HEADRACE_REDUCE) return node.groups;
  return 1;
}

void check_retention(Plan& plan, const FrameGraph& graph, Diagnostics& diagnostics) {
  Retention(plan, graph, diagnostics).run();
}

}  // namespace headrace
