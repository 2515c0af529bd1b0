// SPDX-License-Identifier: Apache-2.0
//
// The walk from spec to plan: check -> ends -> fuse -> segments -> rows -> tokens.

#include "runtime/graph/plan.h"

#include <algorithm>
#include <utility>

#include "runtime/graph/bind_params.h"
#include "runtime/graph/check.h"
#include "runtime/graph/ends.h"
#include "runtime/graph/fuse.h"
#include "runtime/graph/segments.h"
#include "runtime/graph/tokens.h"

namespace headrace {
namespace {

constexpr int kLeastIoThreads = 4;
constexpr int kMostIoThreads = 16;
constexpr std::int64_t kMemoryOfUnknownMachine = std::int64_t{4} << 30;
constexpr std::int64_t kLeastMemory = std::int64_t{64} << 20;

void resolve_runtime(Plan& plan, const Machine& machine) {
  const RuntimeSpec& runtime = plan.spec.runtime;
  plan.threads = runtime.threads > 0 ? runtime.threads : std::max(1, machine.cores);
  plan.io_threads =
      runtime.io_threads > 0 ? runtime.io_threads : std::clamp(plan.threads, kLeastIoThreads, kMostIoThreads);
  plan.seed = runtime.seed;
  plan.strict = runtime.order == Order::strict;
  plan.fuse = runtime.fuse;
  plan.ranks = {plan.spec.ranks.rank, plan.spec.ranks.world};
  plan.stage_timeout_s = runtime.stage_timeout_s;
  if (runtime.memory_bytes) {
    plan.memory_bytes = runtime.memory_bytes->value;
  } else {
    plan.memory_bytes =
        machine.memory_bytes > 0 ? std::max(machine.memory_bytes / 2, kLeastMemory) : kMemoryOfUnknownMachine;
  }
}

}  // namespace

PlanNode::PlanNode() = default;
PlanNode::~PlanNode() = default;

PlanNode::PlanNode(PlanNode&& other) noexcept { *this = std::move(other); }

PlanNode& PlanNode::operator=(PlanNode&& other) noexcept {
  name = std::move(other.name);
  where = std::move(other.where);
  op = other.op;
  params = std::move(other.params);
  c = other.c;
  c.name = name.c_str();  // a short name lies in the string itself and has moved
  from = std::move(other.from);
  readers = std::move(other.readers);
  concurrency = other.concurrency;
  tokens = std::move(other.tokens);
  on_error = std::move(other.on_error);
  sampling = std::move(other.sampling);
  runs = other.runs;
  serial = other.serial;
  ordered = other.ordered;
  exchange = other.exchange;
  indexed = other.indexed;
  shuffle = other.shuffle;
  batch_size = other.batch_size;
  slots = other.slots;
  last = other.last;
  groups = other.groups;
  window = other.window;
  ends = other.ends;
  drops = other.drops;
  reads = std::move(other.reads);
  writes = std::move(other.writes);
  removes = std::move(other.removes);
  takes = std::move(other.takes);
  schema = std::move(other.schema);
  count = other.count;
  return *this;
}

std::optional<Plan> make_plan(GraphSpec spec, const Registry& registry, const Machine& machine,
                              Diagnostics& diagnostics) {
  Plan plan;
  plan.spec = std::move(spec);
  resolve_runtime(plan, machine);
  if (!check(plan, registry, diagnostics)) return std::nullopt;
  plan_ends(plan, diagnostics);
  fuse(plan, diagnostics);
  const FrameGraph graph(plan);
  cut_segments(plan, graph, diagnostics);
  lend_rows(plan, graph);
  const std::vector<std::int64_t> known_bytes = measure_items(plan, graph);
  size_tokens(plan, graph, known_bytes, diagnostics);
  if (diagnostics.has_errors()) return std::nullopt;
  return plan;
}

}  // namespace headrace
