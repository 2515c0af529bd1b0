// SPDX-License-Identifier: Apache-2.0
//
// Sizing the segments.

#include "runtime/graph/tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "runtime/graph/join_order.h"
#include "runtime/graph/quantity.h"
#include "runtime/graph/retention.h"

namespace headrace {
namespace {

/// Items in a segment for each thread that works in it: one in hand, one waiting, and two that may have
/// finished before a slow elder.
constexpr std::int64_t kItemsAThread = 4;
constexpr std::int64_t kAsyncCalls = 16;
constexpr double kRoundedBytes = 1 << 16;
constexpr double kUnknownItemBytes =
    1 << 20;  ///< what an item of unknown size counts for when memory is shared out

class Sizing {
 public:
  Sizing(Plan& plan, const FrameGraph& graph, const std::vector<std::int64_t>& known_bytes,
         Diagnostics& diagnostics)
      : plan_(plan),
        graph_(graph),
        known_bytes_(known_bytes),
        diagnostics_(diagnostics),
        given_(plan.segments.size(), nullptr),
        least_(plan.segments.size()) {}

  void run() {
    for (std::size_t s = 0; s < plan_.segments.size(); ++s) take_given(s);
    for (std::size_t s = 0; s < plan_.segments.size(); ++s) start(s);
    const std::vector<std::int64_t> before = caps();
    choose_leaders(plan_, graph_, diagnostics_);
    check_retention(plan_, graph_, diagnostics_);
    for (std::size_t s = 0; s < plan_.segments.size(); ++s) {
      // What was raised for a fork is needed, not only wanted.
      if (plan_.segments[s].cap_items > before[s]) least_[s] = plan_.segments[s].cap_items;
    }
    fit_into_memory();
  }

 private:
  const PlanNode& begin_of(std::size_t s) const {
    return first_node(plan_, plan_.frames[plan_.segments[s].exchange]);
  }
  headrace_rate rate_of(std::size_t s) const { return begin_of(s).op->table.rate; }

  std::vector<std::int64_t> caps() const {
    std::vector<std::int64_t> out;
    for (const PlanSegment& segment : plan_.segments) out.push_back(segment.cap_items);
    return out;
  }

  /// The tokens that a node of the segment gives it.
  void take_given(std::size_t s) {
    PlanSegment& segment = plan_.segments[s];
    for (const std::size_t f : segment.frames) {
      for (const std::size_t n : plan_.frames[f].members) {
        const PlanNode& node = plan_.nodes[n];
        if (!node.tokens || (!node.tokens->items && !node.tokens->bytes)) continue;
        if (given_[s]) {
          diagnostics_.error(
              node.tokens->where,
              fmt::format("'{}' and '{}' lie in one segment, which '{}' begins, and both set its tokens "
                          "(those of '{}' at {}); keep one",
                          given_[s]->name, node.name, begin_of(s).name, given_[s]->name,
                          to_string(given_[s]->tokens->where)));
          continue;
        }
        given_[s] = &node;
        segment.explicit_items = node.tokens->items.has_value();
        segment.explicit_bytes = node.tokens->bytes.has_value();
        if (segment.explicit_items) segment.cap_items = node.tokens->items->value;
        if (segment.explicit_bytes) segment.cap_bytes = node.tokens->bytes->value;
      }
    }
  }

  void start(std::size_t s) {
    PlanSegment& segment = plan_.segments[s];
    least_[s] = least_items(plan_, segment);
    if (!segment.explicit_items) {
      segment.cap_items = std::max(least_[s], wanted_items(s));
    } else if (segment.cap_items < least_[s]) {
      const PlanNode& node = begin_of(s);
      const std::string what =
          rate_of(s) == HEADRACE_WINDOW
              ? fmt::format("a window of {} records{}", node.window,
                            least_[s] > node.window ? " and a dropped one on its way to a join" : "")
              : fmt::format("{} batches open at once", least_[s]);
      diagnostics_.error(given_[s]->tokens->items->where,
                         fmt::format("'{}' holds {}, more than {} token{} (give at least {})", node.name,
                                     what, segment.cap_items, segment.cap_items == 1 ? "" : "s", least_[s]));
      segment.cap_items = least_[s];
    }
    check_open_batches(s);
  }

  /// Batches of several groups fill side by side: bytes for fewer would let none of them get full.
  void check_open_batches(std::size_t s) {
    const PlanSegment& segment = plan_.segments[s];
    if (rate_of(s) != HEADRACE_REDUCE || !segment.explicit_bytes || least_[s] == 1) return;
    const std::int64_t bytes = known_bytes_[s];
    if (bytes == 0 || segment.cap_bytes / bytes >= least_[s]) return;
    diagnostics_.error(
        given_[s]->tokens->bytes->where,
        fmt::format("'{}' holds {} batches open at once, each of {}, more than {}", begin_of(s).name,
                    least_[s], size_text(bytes), size_text(segment.cap_bytes)));
  }

  /// What keeps every thread busy.
  std::int64_t wanted_items(std::size_t s) const {
    const std::int64_t leaving = waiting_to_leave(s);
    if (rate_of(s) == HEADRACE_REDUCE) return filling(s) + std::min<std::int64_t>(work_in(s), 2) + leaving;
    if (rate_of(s) == HEADRACE_MAP)
      return begin_of(s).concurrency.value_or(1) + std::min<std::int64_t>(work_in(s), 2) + leaving;
    const std::int64_t window = rate_of(s) == HEADRACE_WINDOW ? begin_of(s).window : 0;
    return window + kItemsAThread * std::max<std::int64_t>(work_in(s), plan_.threads) + leaving;
  }

  /// Threads that can work in the segment at once, beside the exchange that begins it.
  std::int64_t work_in(std::size_t s) const {
    std::int64_t work = 0;
    bool on_cpu = false;
    bool on_io = false;
    for (const std::size_t f : plan_.segments[s].frames) {
      const bool begins = f == plan_.segments[s].exchange;
      if (begins && rate_of(s) != HEADRACE_SOURCE && rate_of(s) != HEADRACE_EXPAND) continue;
      const headrace_runs runs = first_node(plan_, plan_.frames[f]).runs;
      on_cpu = on_cpu || runs == HEADRACE_RUNS_CPU;
      on_io = on_io || runs == HEADRACE_RUNS_BLOCKING;
      if (runs == HEADRACE_RUNS_ASYNC) work += kAsyncCalls;
    }
    return work + (on_cpu ? plan_.threads : 0) + (on_io ? plan_.io_threads : 0);
  }

  /// Batches that fill: one for each open group, or as many as the records under way before it have rows in.
  std::int64_t filling(std::size_t s) const {
    const PlanSegment& segment = plan_.segments[s];
    const PlanNode& node = begin_of(s);
    if (node.groups > 1) return node.groups + 1;
    const bool lends = std::any_of(plan_.rows.begin(), plan_.rows.end(), [&](const PlanRow& row) {
      return row.reduce == segment.exchange && row.in_place;
    });
    if (!lends) return 1;
    const std::size_t before = plan_.frames[graph_.inputs[segment.exchange].front()].segment;
    return 1 + (plan_.segments[before].cap_items + node.batch_size - 1) / node.batch_size;
  }

  /// Items that stand at the segment's ends: what outputs prefetch, one in the consumer's hands, one at each
  /// exchange.
  std::int64_t waiting_to_leave(std::size_t s) const {
    std::int64_t prefetched = 0;
    for (const PlanOutput& output : plan_.outputs) {
      if (plan_.frames[graph_.frame_of_node[output.from]].segment == s)
        prefetched = std::max(prefetched, output.prefetch + 1);
    }
    return prefetched + static_cast<std::int64_t>(plan_.segments[s].ends.size());
  }

  // ---- memory

  /// At most one byte more than the memory.
  std::int64_t bytes_of(std::size_t s, std::int64_t items) const {
    const std::int64_t bytes = known_bytes_[s];
    const bool fits = bytes == 0 || items <= plan_.memory_bytes / bytes;
    return fits ? items * bytes : plan_.memory_bytes + 1;
  }

  void fit_into_memory() {
    std::int64_t left = plan_.memory_bytes;
    bool fits = true;
    for (std::size_t s = 0; s < plan_.segments.size(); ++s) {
      const PlanSegment& segment = plan_.segments[s];
      if (segment.explicit_items) least_[s] = segment.cap_items;
      if (segment.explicit_bytes) {
        fits = fits && segment.cap_bytes <= left;
        left -= std::min(left, segment.cap_bytes);
      } else if (segment.explicit_items && bytes_of(s, segment.cap_items) > plan_.memory_bytes) {
        refuse_items(s);
        return;
      }
    }
    if (!fits) {
      refuse_memory("what the graph gives its segments adds up to more");
      return;
    }
    if (!shrink(left)) return;
    share_out(left);
  }

  Location memory_where() const {
    return plan_.spec.runtime.memory_bytes ? plan_.spec.runtime.memory_bytes->where : plan_.spec.where;
  }

  std::string memory_text() const {
    const bool is_given = plan_.spec.runtime.memory_bytes.has_value();
    return fmt::format("{}{}", size_text(plan_.memory_bytes),
                       is_given ? "" : " (half of what there is; set runtime.memory)");
  }

  void refuse_items(std::size_t s) {
    const PlanSegment& segment = plan_.segments[s];
    const double total = static_cast<double>(segment.cap_items) * static_cast<double>(known_bytes_[s]);
    const std::string product =
        total < 0x1p62 ? fmt::format(", {} in all", size_text(static_cast<std::int64_t>(total))) : "";
    diagnostics_.error(given_[s]->tokens->items->where,
                       fmt::format("{} tokens of {}{} are more than the memory, {}", segment.cap_items,
                                   size_text(known_bytes_[s]), product, memory_text()));
  }

  void refuse_memory(const std::string& why) {
    std::string parts;
    for (std::size_t s = 0; s < plan_.segments.size(); ++s) {
      const PlanSegment& segment = plan_.segments[s];
      const std::string share = segment.explicit_bytes ? size_text(segment.cap_bytes)
                                : known_bytes_[s] > 0
                                    ? fmt::format("{} x {}", least_[s], size_text(known_bytes_[s]))
                                    : std::string();
      if (!share.empty())
        parts += fmt::format("{}'{}' {}", parts.empty() ? "" : ", ", begin_of(s).name, share);
    }
    diagnostics_.error(memory_where(),
                       fmt::format("the memory is {}, and {}: {}", memory_text(), why, parts));
  }

  /// Takes items from the segments that hold most bytes until `left` is enough. False when it never is.
  bool shrink(std::int64_t left) {
    std::int64_t least = 0;
    std::int64_t wanted = 0;
    for (std::size_t s = 0; s < plan_.segments.size(); ++s) {
      if (plan_.segments[s].explicit_bytes) continue;
      least = std::min(plan_.memory_bytes + 1, least + bytes_of(s, least_[s]));
      wanted = std::min(plan_.memory_bytes + 1, wanted + bytes_of(s, plan_.segments[s].cap_items));
    }
    if (least > left) {
      refuse_memory("the least that the graph needs is more");
      return false;
    }
    if (wanted <= left) return true;
    // Every segment keeps the same part of what it wants above its least.
    double above = 0;
    for (std::size_t s = 0; s < plan_.segments.size(); ++s) {
      if (!plan_.segments[s].explicit_bytes) above += above_least(s) * static_cast<double>(known_bytes_[s]);
    }
    const double part = static_cast<double>(left - least) / above;
    for (std::size_t s = 0; s < plan_.segments.size(); ++s) {
      const bool shrinks = !plan_.segments[s].explicit_bytes && known_bytes_[s] > 0;
      if (shrinks) plan_.segments[s].cap_items = least_[s] + static_cast<std::int64_t>(above_least(s) * part);
    }
    return true;
  }

  double above_least(std::size_t s) const {
    return static_cast<double>(plan_.segments[s].cap_items - least_[s]);
  }

  /// Hands out the bytes that are left: to each segment what its items take, and a part more, since blocks of
  /// memory are rounded up; the rest to those whose items are of unknown size, or to all where there are
  /// none.
  void share_out(std::int64_t left) {
    std::vector<double> wanted(plan_.segments.size());
    std::vector<double> unknown(plan_.segments.size());
    for (std::size_t s = 0; s < plan_.segments.size(); ++s) {
      PlanSegment& segment = plan_.segments[s];
      if (segment.explicit_bytes) continue;
      segment.cap_bytes = bytes_of(s, segment.cap_items);
      left -= segment.cap_bytes;
      wanted[s] = static_cast<double>(segment.cap_bytes) / 4 + kRoundedBytes;
      if (segment.item_bytes < 0) {
        unknown[s] = static_cast<double>(segment.cap_bytes) +
                     static_cast<double>(segment.cap_items) * kUnknownItemBytes;
      }
    }
    const double sum = std::accumulate(wanted.begin(), wanted.end(), 0.0);
    left -= add_bytes(wanted, std::min(static_cast<double>(left), sum));
    const bool has_unknown =
        std::any_of(unknown.begin(), unknown.end(), [](double weight) { return weight > 0; });
    add_bytes(has_unknown ? unknown : wanted, static_cast<double>(left));
  }

  /// Deals out `bytes` by weight; how many that were after rounding down.
  std::int64_t add_bytes(const std::vector<double>& weights, double bytes) {
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    std::int64_t dealt = 0;
    for (std::size_t s = 0; s < weights.size() && sum > 0; ++s) {
      const auto share = static_cast<std::int64_t>(bytes * (weights[s] / sum));
      plan_.segments[s].cap_bytes += share;
      dealt += share;
    }
    return dealt;
  }

  Plan& plan_;
  const FrameGraph& graph_;
  const std::vector<std::int64_t>& known_bytes_;
  Diagnostics& diagnostics_;
  std::vector<const PlanNode*> given_;  ///< by segment: the node that gives it tokens
  std::vector<std::int64_t> least_;     ///< by segment: items below which it does not work
};

}  // namespace

void size_tokens(Plan& plan, const FrameGraph& graph, const std::vector<std::int64_t>& known_bytes,
                 Diagnostics& diagnostics) {
  Sizing(plan, graph, known_bytes, diagnostics).run();
}

}  // namespace headrace
