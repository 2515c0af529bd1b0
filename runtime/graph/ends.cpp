// SPDX-License-Identifier: Apache-2.0

#include "runtime/graph/ends.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "runtime/graph/bind_params.h"
#include "runtime/graph/mask.h"

namespace headrace {
namespace {

constexpr std::uint64_t kMost = std::uint64_t{1} << 62U;

std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  std::uint64_t out = 0;
  return __builtin_mul_overflow(a, b, &out) ? kMost + 1 : std::min(out, kMost + 1);
}

std::uint64_t common_multiple(std::uint64_t a, std::uint64_t b) { return times(a / std::gcd(a, b), b); }

const char* word_of(headrace_last last) {
  switch (last) {
    case HEADRACE_LAST_PAD:
      return "pad";
    case HEADRACE_LAST_WRAP:
      return "wrap";
    case HEADRACE_LAST_PARTIAL:
      return "partial";
    default:
      return "drop";
  }
}

/// What lies beyond a node: the way of the records that it gives.
struct Beyond {
  std::uint64_t multiple = 1;     ///< so many of them make whole batches everywhere; above 2^62: too many
  bool is_batched = true;         ///< all of them come to a batch that can make up for one that is missing
  std::set<std::size_t> batches;  ///< all reduces beyond
};

class Ends {
 public:
  Ends(Plan& plan, Diagnostics& diagnostics)
      : plan_(plan), diagnostics_(diagnostics), shared_(plan.ranks.world > 1), beyond_(plan.nodes.size()) {}

  void run() {
    for (const PlanOutput& output : plan_.outputs) beyond_[output.from].is_batched = false;
    for (std::size_t n = plan_.nodes.size(); n-- > 0;) look_beyond(n);
    for (std::size_t n = 0; n < plan_.nodes.size(); ++n) {
      check_failures(n);
      if (shared_) check_steps(n);
      if (rate(n) == HEADRACE_REDUCE) take_batch(n);
      if (rate(n) == HEADRACE_SOURCE) deal(n);
    }
  }

 private:
  headrace_rate rate(std::size_t n) const { return plan_.nodes[n].op->table.rate; }

  void look_beyond(std::size_t n) {
    Beyond& here = beyond_[n];
    for (const std::size_t reader : plan_.nodes[n].readers) {
      const Beyond& there = beyond_[reader];
      const PlanNode& node = plan_.nodes[reader];
      here.batches.insert(there.batches.begin(), there.batches.end());
      if (rate(reader) == HEADRACE_REDUCE) {
        here.batches.insert(reader);
        here.is_batched = here.is_batched && !has_groups(node);
        if (!has_groups(node)) {
          const auto size = static_cast<std::uint64_t>(node.batch_size);
          here.multiple = common_multiple(here.multiple, times(size, there.multiple));
        }
      } else {
        here.is_batched = here.is_batched && there.is_batched && rate(reader) != HEADRACE_EXPAND;
        const bool keeps_count = rate(reader) != HEADRACE_EXPAND && rate(reader) != HEADRACE_MERGE;
        if (keeps_count) here.multiple = common_multiple(here.multiple, there.multiple);
      }
    }
  }

  void check_failures(std::size_t n) {
    const PlanNode& node = plan_.nodes[n];
    const bool is_kept = beyond_[n].is_batched && rate(n) != HEADRACE_EXPAND;
    if (node.on_error.action != ErrorAction::mask || is_kept) return;
    diagnostics_.error(
        node.on_error.where,
        fmt::format("'{}' masks what fails, but not all that it gives comes to a batch that could "
                    "keep the place of a sample (batch it, or use skip)",
                    node.name));
  }

  void check_steps(std::size_t n) {
    const PlanNode& node = plan_.nodes[n];
    const headrace_rate r = rate(n);
    if (r == HEADRACE_EXPAND) {
      refuse(node.where, fmt::format("'{}' makes any number of records of one", node.name), {});
    } else if (r == HEADRACE_REDUCE && has_groups(node)) {
      refuse(node.where,
             fmt::format("'{}' sorts its records into groups, of which each fills up by itself", node.name),
             {});
    } else if (r == HEADRACE_MERGE && node.ends == HEADRACE_ENDS_FIRST && node.count.may_lose) {
      refuse(node.where,
             fmt::format("'{}' ends with the first of its inputs, and a sample that is skipped or dropped "
                         "before it ends that one earlier",
                         node.name),
             "have it end with all of them, or lose nothing before it");
    }
    if (beyond_[n].is_batched) return;
    const bool is_called = r == HEADRACE_SOURCE || r == HEADRACE_MAP || r == HEADRACE_REDUCE;
    if (is_called && node.on_error.action == ErrorAction::skip) {
      refuse(
          node.on_error.where,
          fmt::format("'{}' skips what fails, and not all that it gives comes to a batch that could make up "
                      "for it",
                      node.name),
          "skip before the batch, or use fail");
    }
    if (node.drops) {
      refuse(
          node.where,
          fmt::format("'{}' drops records, and not all that it gives comes to a batch that could make up for "
                      "them",
                      node.name),
          "drop before the batch");
    }
  }

  void refuse(const Location& where, const std::string& why, const std::string& remedy) {
    diagnostics_.error(where,
                       fmt::format("{}, so that the {} ranks would not make the same number of steps ({}run "
                                   "it as one rank)",
                                   why, plan_.ranks.world, remedy.empty() ? "" : remedy + ", or "));
  }

  Location last_where(const PlanNode& node) const { return node.params->where("last", node.where); }

  void take_batch(std::size_t n) {
    PlanNode& node = plan_.nodes[n];
    node.count.fills = shared_ || node.last == HEADRACE_LAST_PAD || node.last == HEADRACE_LAST_WRAP;
    if (shared_ && node.last == HEADRACE_LAST_PARTIAL) {
      refuse(last_where(node), fmt::format("the last batch of '{}' may be short (last: partial)", node.name),
             "use drop, pad or wrap");
    }
    if (node.last != HEADRACE_LAST_WRAP) return;
    const std::string why = has_groups(node) ? fmt::format("'{}' sorts its records into groups", node.name)
                                             : unknown_length(node.from.front());
    if (why.empty()) return;
    diagnostics_.error(last_where(node),
                       fmt::format("'{}' cannot wrap: {}, so nobody knows how much of the next "
                                   "round would fill the last batch (use pad)",
                                   node.name, why));
  }

  /// Why the number of records that a node gives does not follow from its sources; "" when it does.
  std::string unknown_length(std::size_t n) const {
    const PlanNode& node = plan_.nodes[n];
    if (node.count.in_multiples) return {};
    if (rate(n) == HEADRACE_SOURCE) return fmt::format("'{}' is a stream", node.name);
    if (rate(n) == HEADRACE_EXPAND) return fmt::format("'{}' makes any number of records of one", node.name);
    if (rate(n) == HEADRACE_MERGE) return fmt::format("'{}' mixes its inputs", node.name);
    for (const std::size_t from : node.from) {
      if (std::string why = unknown_length(from); !why.empty()) return why;
    }
    return fmt::format("'{}' sorts its records into groups", node.name);
  }

  void deal(std::size_t n) {
    PlanNode& source = plan_.nodes[n];
    const std::set<std::size_t>& batches = beyond_[n].batches;
    const auto goes_on = [&](std::size_t batch) {
      const headrace_last last = plan_.nodes[batch].last;
      return last == HEADRACE_LAST_PAD || last == HEADRACE_LAST_WRAP;
    };
    const bool must_agree = shared_ || std::any_of(batches.begin(), batches.end(), goes_on);
    if (!must_agree) return;
    source.count.ending = Ending::drop;
    if (!batches.empty()) {
      const PlanNode& first = plan_.nodes[*batches.begin()];
      source.count.ending = first.last == HEADRACE_LAST_PAD    ? Ending::pad
                            : first.last == HEADRACE_LAST_WRAP ? Ending::wrap
                                                               : Ending::drop;
      for (const std::size_t batch : batches) check_agreement(source, first, plan_.nodes[batch]);
    }
    if (times(beyond_[n].multiple, plan_.ranks.world) > kMost) {
      diagnostics_.error(source.where,
                         fmt::format("the batches that the records of '{}' make together, on {} "
                                     "ranks, hold more than 2^62 of them",
                                     source.name, plan_.ranks.world));
      return;
    }
    source.count.multiple = static_cast<std::int64_t>(beyond_[n].multiple);
  }

  void check_agreement(const PlanNode& source, const PlanNode& first, const PlanNode& batch) {
    if (batch.last == first.last || !disagreeing_.insert(batch.name).second) return;
    diagnostics_.error(
        last_where(batch),
        fmt::format("'{}' and '{}' gather what '{}' gives and end in different ways, {} and {}, but "
                    "its order can go on in one way only (make them alike)",
                    first.name, batch.name, source.name, word_of(first.last), word_of(batch.last)));
  }

  Plan& plan_;
  Diagnostics& diagnostics_;
  const bool shared_;
  std::vector<Beyond> beyond_;
  std::set<std::string> disagreeing_;  ///< batches that were reported
};

}  // namespace

void plan_ends(Plan& plan, Diagnostics& diagnostics) { Ends(plan, diagnostics).run(); }

}  // namespace headrace
