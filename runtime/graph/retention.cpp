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

#include "runtime/graph/quantity.h"

namespace headrace {
namespace {

constexpr std::int64_t kMany = std::numeric_limits<std::int64_t>::max() / 4;

std::int64_t plus(std::int64_t a, std::int64_t b) { return std::min(kMany, a + b); }
std::int64_t times(std::int64_t a, std::int64_t b) {
  return a > kMany / std::max<std::int64_t>(b, 1) ? kMany : a * b;
}

/// Where paths of one input lead that have come to the join itself.
constexpr std::size_t kJoin = std::numeric_limits<std::size_t>::max();

/// What the paths from one segment down to one input of a join need and hold, in records of that segment.
struct Reach {
  std::int64_t need = 1;           ///< records that must leave the segment before the join gets its first
  std::int64_t hold = 0;           ///< records that find room beyond the segment while the join takes none
  std::set<std::size_t> next;      ///< segments that the paths go to first; kJoin: none lies between
  std::size_t holds_back = kJoin;  ///< the segment on the way that holds back most
  std::size_t has_room = kJoin;    ///< a segment on the way whose cap is not given
};

using Reaches = std::vector<std::optional<Reach>>;  // by segment

class Retention {
 public:
  Retention(Plan& plan, const FrameGraph& graph, Diagnostics& diagnostics)
      : plan_(plan), graph_(graph), diagnostics_(diagnostics) {}

  void run() {
    for (std::size_t f = 0; f < plan_.frames.size(); ++f) {
      const headrace_rate rate = node_of(f).op->table.rate;
      if (rate == HEADRACE_JOIN || rate == HEADRACE_MERGE) check_meeting(f);
    }
  }

 private:
  const PlanNode& node_of(std::size_t f) const { return first_node(plan_, plan_.frames[f]); }
  const PlanNode& begin_of(std::size_t segment) const { return node_of(plan_.segments[segment].exchange); }

  /// Items that the bytes given to a segment hold, where both are known.
  static std::int64_t items_by_bytes(const PlanSegment& segment) {
    if (!segment.explicit_bytes || segment.item_bytes <= 0) return kMany;
    return std::max<std::int64_t>(1, segment.cap_bytes / segment.item_bytes);
  }
  static std::int64_t cap_of(const PlanSegment& segment) {
    return std::min(segment.cap_items, items_by_bytes(segment));
  }
  static std::int64_t window_of(const PlanNode& node, const PlanSegment& segment) {
    return std::min(node.window, items_by_bytes(segment));
  }

  void check_meeting(std::size_t meeting) {
    std::vector<Reaches> reaches;
    for (const std::size_t input : graph_.inputs[meeting])
      reaches.push_back(walk_up(plan_.frames[input].segment));
    for (std::size_t i = 0; i < reaches.size(); ++i) {
      for (std::size_t j = 0; j < reaches.size(); ++j) {
        for (std::size_t s = 0; i != j && s < plan_.segments.size(); ++s) {
          if (!reaches[i][s] || !reaches[j][s] || is_shared(*reaches[i][s], *reaches[j][s])) continue;
          if (node_of(meeting).op->table.rate == HEADRACE_JOIN) {
            check_fork(meeting, s, *reaches[i][s], *reaches[j][s]);
          } else if (i < j) {
            refuse_merge(meeting, graph_.inputs[meeting][i], graph_.inputs[meeting][j]);
          }
        }
      }
    }
  }

  /// Both go on to one and the same segment: the fork lies further down.
  static bool is_shared(const Reach& a, const Reach& b) {
    return a.next == b.next && a.next.size() == 1 && *a.next.begin() != kJoin;
  }

  /// From the segment that ends at one input up to the sources.
  Reaches walk_up(std::size_t last) const {
    Reaches out(plan_.segments.size());
    out[last] = Reach();
    out[last]->next = {kJoin};
    // A segment's inputs come before it, so that going backwards each one is complete when it is looked at.
    for (std::size_t s = plan_.segments.size(); s-- > 0;) {
      if (!out[s]) continue;
      for (const std::size_t input : graph_.inputs[plan_.segments[s].exchange]) {
        join_reach(out[plan_.frames[input].segment], through(s, *out[s]), s);
      }
    }
    return out;
  }

  static void join_reach(std::optional<Reach>& known, Reach reach, std::size_t via) {
    reach.next = {via};
    if (!known) {
      known = std::move(reach);
      return;
    }
    known->next.insert(via);
    if (reach.need > known->need) {
      known->need = reach.need;
      known->holds_back = reach.holds_back;
    }
    if (reach.hold < known->hold) {
      known->hold = reach.hold;
      known->has_room = reach.has_room;
    }
  }

  /// The reach of the records that enter segment `s`, from the reach of those that leave it.
  Reach through(std::size_t s, const Reach& after) const {
    const PlanSegment& segment = plan_.segments[s];
    const PlanNode& node = begin_of(s);
    const std::int64_t room = plus(cap_of(segment), after.hold);
    Reach out = after;
    switch (node.op->table.rate) {
      case HEADRACE_WINDOW:  // gives its first when the one after a full window has come
        out.need = plus(after.need, window_of(node, segment));
        out.hold = room;
        break;
      case HEADRACE_REDUCE:  // in the worst case all groups but one are one record short
        out.need = plus(times(after.need, node.batch_size), times(node.groups - 1, node.batch_size - 1));
        out.hold = times(room, node.batch_size);
        break;
      case HEADRACE_EXPAND:  // one record may have more children than there is room for
        out.hold = 0;
        break;
      default:
        out.hold = room;
    }
    const bool holds_most = out.need - after.need > 0 && after.holds_back == kJoin;
    if (holds_most) out.holds_back = s;
    if (!segment.explicit_items && !segment.explicit_bytes && node.op->table.rate != HEADRACE_EXPAND)
      out.has_room = s;
    return out;
  }

  /// Records of the segment that can be under way beyond its own exchange.
  std::int64_t room_in(std::size_t s) const {
    const PlanNode& node = begin_of(s);
    const std::int64_t cap = cap_of(plan_.segments[s]);
    if (node.op->table.rate == HEADRACE_WINDOW) return cap - window_of(node, plan_.segments[s]) + 1;
    if (node.op->table.rate == HEADRACE_REDUCE) return cap - node.groups + 1;
    return cap;
  }

  void check_fork(std::size_t meeting, std::size_t fork, const Reach& slow, const Reach& other) {
    PlanSegment& segment = plan_.segments[fork];
    const auto missing = [&] { return slow.need - plus(room_in(fork), other.hold); };
    if (missing() > 0 && !segment.explicit_items) segment.cap_items = plus(segment.cap_items, missing());
    if (missing() <= 0) return;
    if (other.has_room != kJoin && begin_of(other.has_room).op->table.rate != HEADRACE_REDUCE) {
      PlanSegment& raised = plan_.segments[other.has_room];
      raised.cap_items = plus(raised.cap_items, missing());
    } else {
      refuse_fork(meeting, fork, slow, slow.need - missing());
    }
  }

  void refuse_fork(std::size_t meeting, std::size_t fork, const Reach& slow, std::int64_t held) {
    const PlanSegment& segment = plan_.segments[fork];
    const std::string holder =
        slow.holds_back == kJoin ? begin_of(fork).name : begin_of(slow.holds_back).name;
    const std::int64_t wanted = plus(cap_of(segment), slow.need - held);
    const PlanNode& node = node_with_tokens(segment);
    const bool by_items = segment.explicit_items && node.tokens->items->value < wanted;
    const std::string remedy =
        by_items ? fmt::format("{} tokens", wanted) : size_text(times(wanted, segment.item_bytes));
    diagnostics_.error(
        by_items ? node.tokens->items->where : node.tokens->bytes->where,
        fmt::format(
            "'{}' would wait for ever: '{}' gives its first record after {}, but the other branch can "
            "hold no more than {} of them (give '{}' at least {})",
            node_of(meeting).name, holder, slow.need, held, node.name, remedy));
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
    for (auto f = above_one.rbegin(); f != above_one.rend(); ++f) {
      if (above_other.contains(*f)) return *f;
    }
    return one;
  }

  /// A frame and all that it comes from.
  std::set<std::size_t> all_above(std::size_t frame) const {
    std::set<std::size_t> out{frame};
    for (auto f = out.rbegin(); f != out.rend(); ++f)
      out.insert(graph_.inputs[*f].begin(), graph_.inputs[*f].end());
    return out;
  }

  Plan& plan_;
  const FrameGraph& graph_;
  Diagnostics& diagnostics_;
};

}  // namespace

std::int64_t least_items(const Plan& plan, const PlanSegment& segment) {
  const PlanNode& node = first_node(plan, plan.frames[segment.exchange]);
  if (node.op->table.rate == HEADRACE_WINDOW) return node.window;
  if (node.op->table.rate == HEADRACE_REDUCE) return node.groups;
  return 1;
}

void check_retention(Plan& plan, const FrameGraph& graph, Diagnostics& diagnostics) {
  Retention(plan, graph, diagnostics).run();
}

}  // namespace headrace
