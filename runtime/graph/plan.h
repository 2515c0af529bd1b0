// SPDX-License-Identifier: Apache-2.0
//
// What will run: the graph's nodes with their ops and parameters bound, fused into frames, cut into segments
// with their tokens. Made once by make_plan() (check -> fuse -> segments), then only read: by lint and plan
// to print, by the flow to build. Pure data.
//
// Terms
//   node     one entry of `nodes:` in the file
//   frame    what runs as one: a node and the followers it absorbed
//   exchange a frame where tokens change hands: SOURCE, EXPAND, REDUCE, WINDOW, JOIN, MERGE, and a MAP that
//   declared `exchange` segment  begins at one exchange frame (which lies in it), goes on through MAP frames
//   that are no exchange, and ends where its
//            records enter an exchange or an output. A MAP frame lies in the segment of its input. Branches
//            of a fan-out lie in the same segment; their records share a token.

#pragma once

#include <headrace/op.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/graph/diagnostics.h"
#include "runtime/graph/spec.h"
#include "runtime/plugin/registry.h"
#include "runtime/state/deal.h"

namespace headrace {

/// A field spec that owns its texts.
struct Field {
  std::string name;
  headrace_kind kind = HEADRACE_TENSOR;
  headrace_dtype dtype = HEADRACE_UINT8;
  headrace_layout layout = HEADRACE_LAYOUT_NONE;
  headrace_device device{HEADRACE_CPU, 0};
  std::vector<std::int64_t> dims;      ///< -1: known only sample by sample
  std::vector<std::string> dim_names;  ///< symbols, "" where there is none
  std::int64_t bound_bytes = -1;
  std::string origin;    ///< node that wrote it
  bool live = true;      ///< somebody downstream reads it; dead fields are not kept at run time
  bool is_mask = false;  ///< the host's own, of a batch: which rows count (mask.h)

  /// Bytes of one value when every axis is known, else -1.
  std::int64_t known_bytes() const;
  /// The same, or the bound that its op gave; -1 where there is neither.
  std::int64_t most_bytes() const;
  /// "float32[3, 224, 224] CHW", "bytes", "string", "uint8[H, W, 3] HWC"
  std::string to_string() const;
};

/// The fields of an edge, in the order in which they were first written.
using Schema = std::vector<Field>;

/// A node's parameters as its op receives them: an array aligned with the op's specs, and what it points at.
/// Not copyable, and stays where it is.
class BoundParams;

/// One input or output port of a node, as its op declared it.
struct Port {
  std::uint32_t input = 0;     ///< edge it reads from; 0 for outputs
  std::string field;           ///< name on that edge, or the name it writes
  std::int32_t in_place = -1;  ///< outputs: the input port whose memory may be reused
  const headrace_allocator* memory = nullptr;
};

/// JOIN, MERGE: field `field` of edge `input` goes out under the name `as`.
struct Taken {
  std::uint32_t input = 0;
  std::string field;
  std::string as;
};

/// How many records a node gives, beside those that its sources have.
struct PlanCount {
  // Worked out by mask.h:
  bool may_lose = false;      ///< some may be missing: a node since their source or batch skips or drops
  bool may_blank = false;     ///< some may be blank: a node since then masks what fails
  bool in_multiples = false;  ///< they come as their sources were dealt them, in whole batches but for losses
  std::int64_t samples = 1;   ///< in one record: 1, but for batches
  // and by ends.h:
  std::int64_t multiple = 1;        ///< SOURCE: of how many records each rank takes a multiple
  Ending ending = Ending::partial;  ///< SOURCE
  bool fills = false;               ///< REDUCE: makes up the rows that its epoch was dealt and lost
};

struct PlanNode {
  std::string name;
  Location where;
  const RegisteredOp* op = nullptr;
  std::unique_ptr<BoundParams> params;
  headrace_node c{};                 ///< what the op sees; points into this PlanNode
  std::vector<std::size_t> from;     ///< nodes, in the order of `from:`
  std::vector<std::size_t> readers;  ///< nodes that read this one; outputs are not counted here
  std::optional<int> concurrency;
  std::optional<TokensSpec> tokens;
  OnErrorSpec on_error;
  std::optional<SamplingSpec> sampling;

  // As declared:
  headrace_runs runs = HEADRACE_RUNS_CPU;
  bool serial = false;
  bool ordered = false;
  bool exchange = false;
  bool indexed = false;
  bool shuffle = false;
  std::int64_t batch_size = 0;
  headrace_slots slots = HEADRACE_SLOTS_NONE;
  headrace_last last = HEADRACE_LAST_DROP;
  std::int64_t groups = 1;
  std::int64_t window = 0;
  headrace_ends ends = HEADRACE_ENDS_FIRST;
  bool drops = false;
  std::vector<Port> reads;
  std::vector<Port> writes;
  std::vector<std::string> removes;
  std::vector<Taken> takes;
  Schema schema;  ///< of the edge it feeds
  PlanCount count;

  PlanNode();
  PlanNode(PlanNode&&) noexcept;
  PlanNode& operator=(PlanNode&&) noexcept;
  ~PlanNode();
};

/// What runs as one. reads are those of the first member; writes and schema those of the last.
struct PlanFrame {
  std::vector<std::size_t> members;  ///< nodes; at least one
  std::string
      not_fused;  ///< why the follower of the last member is not part of this frame; "" when nothing follows
  std::size_t segment = 0;
  bool is_exchange = false;
  std::uint32_t leader =
      0;  ///< JOIN: the input whose order its records keep: a shuffled branch, else the first
};

/// One output field of a reduce frame: does its row get written in place? The writer must lie in the segment
/// that ends in the reduce, on the way to it, and nothing from it on may be fanned out before the reduce; of
/// two reduces that end one segment only the first (in topological order) lends rows. A writer that declared
/// in_place() still gets the row.
struct PlanRow {
  std::size_t reduce = 0;    ///< frame
  std::string field;         ///< name, on the reduce's input edge
  std::uint32_t output = 0;  ///< its output port
  bool in_place = false;     ///< rows are lent to `writer`
  std::size_t writer = 0;    ///< frame that writes the field last, in the segment that ends in the reduce
  std::string why_not;  ///< when not in place: "its shape is known only sample by sample", "a shuffle lies
                        ///< between", ...
};

struct PlanSegment {
  std::size_t exchange = 0;         ///< frame it begins with
  std::vector<std::size_t> frames;  ///< in topological order, the exchange first
  std::vector<std::size_t> ends;    ///< exchange frames its records enter, without doubles
  std::int64_t cap_items = 0;
  std::int64_t cap_bytes = 0;
  std::int64_t item_bytes =
      -1;  ///< what one item holds at most when it is known (a batch: its slot), else -1
  bool explicit_items = false;
  bool explicit_bytes = false;
};

struct PlanOutput {
  std::string name;
  Location where;
  std::size_t from = 0;             ///< node
  std::vector<std::string> fields;  ///< in order; resolved, never empty
  std::int64_t prefetch = 2;        ///< finished items that may wait for the consumer
};

struct Plan {
  GraphSpec spec;
  int threads = 1;  ///< resolved: "auto" is affinity and cgroup quota
  int io_threads = 1;
  std::uint64_t seed = 0;
  std::int64_t memory_bytes = 0;
  bool strict = true;
  bool fuse = true;
  Ranks ranks;
  double stage_timeout_s = 0;     ///< most that one call of an op may take; 0: no limit
  std::vector<PlanNode> nodes;    ///< in topological order; sources first, in file order
  std::vector<PlanFrame> frames;  ///< in topological order
  std::vector<PlanSegment> segments;
  std::vector<PlanRow> rows;
  std::vector<PlanOutput> outputs;
};

/// What the machine offers, so that tests can say it.
struct Machine {
  int cores = 1;                  ///< what affinity and cgroup quota leave
  std::int64_t memory_bytes = 0;  ///< what the cgroup or the machine has
};

/// Checks, fuses and cuts. Everything wrong goes to `diagnostics`, all at once; with an error there is no
/// plan. Pure: calls only declare() and absorb() of ops. `registry` must outlive the plan.
std::optional<Plan> make_plan(GraphSpec spec, const Registry& registry, const Machine& machine,
                              Diagnostics& diagnostics);

/// For people (the `plan` command): specs on every edge, what was fused and why not more, zero-copy or why
/// not, tokens, memory.
std::string print_plan(const Plan& plan);
/// For programs: the same as JSON text. Keys: name, nodes, frames, segments, rows, outputs, resume, runtime.
std::string plan_json(const Plan& plan);

}  // namespace headrace
