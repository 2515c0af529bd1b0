// SPDX-License-Identifier: Apache-2.0

#include "runtime/graph/mask.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <string>

#include "runtime/graph/schema.h"

namespace headrace {
namespace {

std::int64_t times(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  return __builtin_mul_overflow(a, b, &out) ? std::numeric_limits<std::int64_t>::max() : out;
}

/// Whether process() is called for a record, so that it can fail.
bool is_called(headrace_rate rate) {
  return rate != HEADRACE_WINDOW && rate != HEADRACE_JOIN && rate != HEADRACE_MERGE;
}

void count(const Plan& plan, PlanNode& node) {
  const headrace_rate rate = node.op->table.rate;
  PlanCount& out = node.count;
  out.in_multiples =
      rate == HEADRACE_SOURCE ? node.indexed : rate != HEADRACE_EXPAND && rate != HEADRACE_MERGE;
  for (const std::size_t from : node.from) {
    const PlanCount& input = plan.nodes[from].count;
    out.may_lose = out.may_lose || input.may_lose;
    out.may_blank = out.may_blank || input.may_blank;
    out.in_multiples = out.in_multiples && input.in_multiples;
    out.samples = input.samples;
  }
  if (rate == HEADRACE_REDUCE) {
    out.may_lose = out.may_blank = false;
    out.in_multiples = out.in_multiples && !has_groups(node);
    out.samples = times(out.samples, node.batch_size);
  }
  out.may_lose = out.may_lose || node.drops || (is_called(rate) && node.on_error.action == ErrorAction::skip);
  out.may_blank = out.may_blank || (is_called(rate) && node.on_error.action == ErrorAction::mask);
}

/// Why a batch may hold rows that do not count; "" where it holds none.
std::string why_masked(const PlanNode& reduce, const PlanNode& input, Ranks ranks) {
  if (input.count.may_blank) return "on_error: mask before it keeps the places of samples that fail";
  if (reduce.last == HEADRACE_LAST_PAD) return "last: pad";
  if (!input.count.may_lose || (ranks.world == 1 && reduce.last != HEADRACE_LAST_WRAP)) return {};
  return "what is skipped or dropped before it is made up, so that every rank makes the same number of steps";
}

class Masking {
 public:
  Masking(PlanNode& reduce, const PlanNode& input, Ranks ranks, Diagnostics& diagnostics)
      : reduce_(reduce), input_(input), ranks_(ranks), diagnostics_(diagnostics) {}

  bool run() {
    if (may_hold_blanks(reduce_, input_, ranks_)) check_shapes();
    const bool has_masks = std::any_of(input_.schema.begin(), input_.schema.end(),
                                       [](const Field& field) { return field.is_mask; });
    for (const Field& field : input_.schema) {
      if (field.is_mask) add(field.name, &field, "the batches that it gathers have one");
    }
    const std::string why = why_masked(reduce_, input_, ranks_);
    if (!has_masks && !why.empty()) add(kMaskField, nullptr, why);
    return is_sound_;
  }

 private:
  void check_shapes() {
    for (const Port& port : reduce_.reads) {
      const Field* field = find_field(input_.schema, port.field);
      const bool can_be_blank =
          field->known_bytes() >= 0 || field->kind == HEADRACE_STRING || field->kind == HEADRACE_BYTES;
      if (can_be_blank) continue;
      const std::string why = why_masked(reduce_, input_, ranks_);
      error(
          fmt::format("a row may have to be left blank ({}), but the shape of '{}' is known only sample by "
                      "sample: {} (bring it to one shape before the batch, or leave it out)",
                      why, field->name, field->to_string()));
    }
  }

  void add(const std::string& name, const Field* rows, const std::string& why) {
    if (const Field* other = find_field(reduce_.schema, name)) {
      error(fmt::format(
          "its batches get a field '{}' that says which rows count ({}), and there is a field '{}' "
          "of '{}' already (write that one under another name)",
          name, why, name, origin_of(*other)));
      return;
    }
    if (rows != nullptr && rows->known_bytes() < 0) {
      error(
          fmt::format("the last batch of '{}' may be short, and batches of unequal length cannot be batched "
                      "again (set last: drop or pad there)",
                      rows->origin));
      return;
    }
    Field mask;
    mask.name = name;
    mask.dtype = HEADRACE_BOOL;
    mask.origin = reduce_.name;
    mask.is_mask = true;
    const bool is_short = reduce_.last == HEADRACE_LAST_PARTIAL;
    mask.dims = {is_short ? -1 : reduce_.batch_size};
    mask.dim_names = {is_short ? "B" : ""};
    if (rows != nullptr) {
      mask.dims.insert(mask.dims.end(), rows->dims.begin(), rows->dims.end());
      mask.dim_names.insert(mask.dim_names.end(), rows->dim_names.begin(), rows->dim_names.end());
    }
    mask.bound_bytes = times(reduce_.batch_size, rows == nullptr ? 1 : rows->most_bytes());
    reduce_.schema.push_back(std::move(mask));
  }

  /// Of the records' own field where the op only gathers it.
  const std::string& origin_of(const Field& field) const {
    const Field* single = find_field(input_.schema, field.name);
    return single != nullptr ? single->origin : field.origin;
  }

  void error(const std::string& text) {
    is_sound_ = false;
    diagnostics_.error(reduce_.where, fmt::format("node '{}': {}", reduce_.name, text));
  }

  PlanNode& reduce_;
  const PlanNode& input_;
  const Ranks ranks_;
  Diagnostics& diagnostics_;
  bool is_sound_ = true;
};

}  // namespace

Schema without_masks(const Schema& schema) {
  Schema out;
  std::copy_if(schema.begin(), schema.end(), std::back_inserter(out),
               [](const Field& field) { return !field.is_mask; });
  return out;
}

bool may_hold_blanks(const PlanNode& reduce, const PlanNode& input, Ranks ranks) {
  const bool fills = ranks.world > 1 || reduce.last == HEADRACE_LAST_PAD || reduce.last == HEADRACE_LAST_WRAP;
  const bool is_open = reduce.last == HEADRACE_LAST_PAD && (!input.count.in_multiples || has_groups(reduce));
  return input.count.may_blank || (fills && input.count.may_lose) || is_open;
}

bool follow_records(const Plan& plan, PlanNode& node, Diagnostics& diagnostics) {
  count(plan, node);
  if (node.op->table.rate != HEADRACE_REDUCE) return true;
  return Masking(node, plan.nodes[node.from.front()], plan.ranks, diagnostics).run();
}

}  // namespace headrace
