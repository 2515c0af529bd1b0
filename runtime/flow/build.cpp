// SPDX-License-Identifier: Apache-2.0

#include "runtime/flow/build.h"

#include <algorithm>
#include <map>

#include "runtime/flow/batch.h"
#include "runtime/flow/expand.h"
#include "runtime/flow/inlet.h"
#include "runtime/flow/io_threads.h"
#include "runtime/flow/join.h"
#include "runtime/flow/layout.h"
#include "runtime/flow/merge.h"
#include "runtime/flow/ordered.h"
#include "runtime/flow/outlet.h"
#include "runtime/flow/slots.h"
#include "runtime/flow/transfer.h"
#include "runtime/flow/window.h"
#include "runtime/graph/join_order.h"
#include "runtime/graph/mask.h"
#include "runtime/graph/schema.h"

namespace headrace {

class Builder {
 public:
  explicit Builder(Flow& flow) : flow_(flow), plan_(flow.plan()), layout_(lay_out(flow.plan())) {}

  void run() {
    for (const Region& region : layout_.regions) {
      flow_.item_pools_.push_back(std::make_unique<ItemPool>(region.cells, region.name_cell));
    }
    for (const PlanSegment& s : plan_.segments) {
      flow_.segments_.push_back(
          std::make_unique<Segment>(plan_.strict, s.cap_items, s.cap_bytes, s.item_bytes, before_known(s)));
    }
    exchange_of_.resize(plan_.frames.size(), nullptr);
    for (std::size_t f = 0; f < plan_.frames.size(); ++f) {
      layout_.frames[f].wiring.op = flow_.ops_[f].get();
      if (plan_.frames[f].is_exchange) {
        make_exchange(f);
      } else if (first(f).ordered) {
        make_ordered(f);
      }
    }
    for (const PlanOutput& output : plan_.outputs) make_outlet(output);
    for (std::size_t f = 0; f < plan_.frames.size(); ++f) {
      if (exchange_of_[f] != nullptr) connect(f);
    }
  }

 private:
  const PlanNode& first(std::size_t f) const { return plan_.nodes[plan_.frames[f].members.front()]; }
  OpInstance& op(std::size_t f) { return *flow_.ops_[f]; }
  FrameWiring& wiring(std::size_t f) { return layout_.frames[f].wiring; }
  ItemPool& items(std::size_t f) { return *flow_.item_pools_[layout_.frames[f].region]; }
  Segment& segment(std::size_t f) { return *flow_.segments_[plan_.frames[f].segment]; }
  std::int64_t cap_before(std::size_t f) const { return plan_.segments[plan_.frames[f].segment].cap_items; }

  /// How many items may enter before one has come to the end. A window and a batch hold what they have let
  /// in, and know how large it is.
  std::int64_t before_known(const PlanSegment& s) const {
    const headrace_rate rate = first(s.exchange).op->table.rate;
    return rate == HEADRACE_WINDOW || rate == HEADRACE_REDUCE ? s.cap_items : plan_.threads;
  }

  template <class E, class... Args>
  E& add(Args&&... args) {
    auto made = std::make_unique<E>(std::forward<Args>(args)...);
    E& exchange = *made;
    flow_.exchanges_.push_back(std::move(made));
    return exchange;
  }

  void make_exchange(std::size_t f) {
    Exchange* made = nullptr;
    switch (first(f).op->table.rate) {
      case HEADRACE_SOURCE:
        made = &add<Inlet>(flow_, op(f), segment(f), items(f), sources_++, wiring(f), flow_.options().epochs,
                           flow_.beginning());
        break;
      case HEADRACE_EXPAND:
        made = &add<Expand>(flow_, op(f), segment(f), wiring(f), flow_.beginning().discards_of(f));
        break;
      case HEADRACE_REDUCE:
        made = &make_batch(f);
        break;
      case HEADRACE_WINDOW:
        made = &add<Window>(flow_, op(f), segment(f), feeds_join(plan_, f), flow_.beginning().discards_of(f));
        break;
      case HEADRACE_JOIN:
        made = &add<Join>(flow_, op(f), segment(f), items(f), layout_.frames[f].maps, plan_.frames[f].leader);
        break;
      case HEADRACE_MERGE:
        made = &add<Merge>(flow_, op(f), segment(f), items(f), layout_.frames[f].maps,
                           flow_.beginning().epoch, flow_.beginning().discards_of(f));
        break;
      default:
        made = &add<Transfer>(flow_, &op(f), &segment(f));
    }
    for (const std::size_t input : layout_.frames[f].inputs) made->add_intake(cap_before(input));
    exchange_of_[f] = made;
  }

  void make_ordered(std::size_t f) {
    exchange_of_[f] = &add<Ordered>(flow_, op(f), wiring(f));
    exchange_of_[f]->add_intake(cap_before(f));
  }

  Batch& make_batch(std::size_t f) {
    std::vector<SlotPort> ports;
    std::size_t upstream_segment = 0;
    for (const PlanRow& row : plan_.rows) {
      if (row.reduce != f || !row.in_place) continue;
      const OutputWiring& output = wiring(f).outputs[row.output];
      ports.push_back(
          {.port = row.output, .cell = output.cell, .spec = output.spec, .memory = output.memory});
      upstream_segment = plan_.frames[row.writer].segment;
    }
    const auto rows = static_cast<std::uint32_t>(first(f).batch_size);
    const bool by_size = first(f).slots == HEADRACE_SLOTS_BY_SIZE;
    const auto known = flow_.beginning().reduces.find(f);
    const ReduceStart start = known == flow_.beginning().reduces.end() ? ReduceStart{} : known->second;
    if (ports.empty())
      return add<Batch>(flow_, op(f), segment(f), items(f), nullptr, wiring(f), blank_rows(f), start);

    reserve(f, ports);
    auto slots = std::make_unique<Slots>(flow_, op(f), segment(f), rows, by_size, std::move(ports));
    if (first(f).count.fills && may_hold_blanks(first(f), input_of(f), plan_.ranks))
      slots->hold_epochs_apart(flow_.beginning().epoch);
    auto& batch =
        add<Batch>(flow_, op(f), segment(f), items(f), slots.get(), wiring(f), blank_rows(f), start);
    Exchange* upstream = exchange_of_[plan_.segments[upstream_segment].exchange];
    slots->set_upstream(upstream);
    std::function<bool(Item*, std::uint64_t&)> group_of;
    if (op(f).table().assign != nullptr) {
      group_of = [&batch](Item* item, std::uint64_t& group) { return batch.assign(item, group); };
    }
    upstream->set_slots(slots.get(), std::move(group_of));
    flow_.slots_.push_back(std::move(slots));
    return batch;
  }

  /// The node whose records a reduce gathers.
  const PlanNode& input_of(std::size_t f) const { return plan_.nodes[first(f).from.front()]; }

  BlankRows blank_rows(std::size_t f) {
    std::vector<BlankField> fields;
    const bool has_blanks = may_hold_blanks(first(f), input_of(f), plan_.ranks);
    for (std::size_t i = 0; has_blanks && i < first(f).reads.size(); ++i) {
      const std::string& name = first(f).reads[i].field;
      BlankField& field = fields.emplace_back();
      field.cell = wiring(f).inputs[i];
      field.spec = find_field(input_of(f).schema, name);
      for (const PlanRow& row : plan_.rows) {
        if (row.reduce == f && row.in_place && row.field == name)
          field.row_port = static_cast<std::int32_t>(row.output);
      }
    }
    return {flow_, std::move(fields), layout_.frames[f].masks, first(f).last == HEADRACE_LAST_PAD,
            static_cast<std::uint64_t>(input_of(f).count.samples)};
  }

  /// Batches go round: the memory of as many as there are tokens is kept.
  void reserve(std::size_t f, const std::vector<SlotPort>& ports) {
    for (const SlotPort& port : ports) {
      const std::int64_t bytes = port.spec->most_bytes();
      if (bytes <= 0) continue;
      flow_.pool().reserve(static_cast<std::size_t>(bytes), port.memory,
                           static_cast<std::size_t>(cap_before(f)));
    }
  }

  void make_outlet(const PlanOutput& output) {
    const std::size_t f = layout_.frame_of_node[output.from];
    std::vector<std::uint32_t> cells;
    for (const std::string& field : output.fields) cells.push_back(layout_.frames[f].cells.at(field));
    auto& outlet = add<Outlet>(flow_, output, std::move(cells), flow_.outside_,
                               flow_.beginning().outputs[flow_.outlets_.size()],
                               flow_.beginning().served[flow_.outlets_.size()], flow_.beginning().is_replay);
    outlet.add_intake(cap_before(f));
    flow_.outlets_.push_back(&outlet);
    outlets_of_[f].push_back(&outlet);
  }

  /// Says where the items go that an exchange lets in.
  void connect(std::size_t f) {
    if (first(f).ordered && !plan_.frames[f].is_exchange) {
      static_cast<Ordered*>(exchange_of_[f])->set_targets(targets_after(f));
      return;
    }
    const headrace_rate rate = first(f).op->table.rate;
    const bool has_head =
        rate == HEADRACE_REDUCE || rate == HEADRACE_MAP || (rate == HEADRACE_SOURCE && first(f).indexed);
    exchange_of_[f]->set_first(has_head ? std::vector<Target>{{.stage = stage_from(f)}} : targets_after(f));
  }

  /// The stage that begins with frame f, and whatever follows it in the same call.
  Stage* stage_from(std::size_t f) {
    if (const auto known = stage_of_.find(f); known != stage_of_.end()) return known->second;
    const std::int64_t concurrency = first(f).serial ? 1 : first(f).concurrency.value_or(0);
    auto made = std::make_unique<Stage>(flow_, first(f).runs, concurrency);
    Stage* stage = made.get();
    flow_.stages_.push_back(std::move(made));
    stage_of_[f] = stage;
    stage->add(wiring(f));
    std::size_t end = f;
    while (is_plain(f) && outlets_of_[end].empty() && layout_.frames[end].readers.size() == 1 &&
           is_plain(layout_.frames[end].readers.front()) &&
           !plan_.frames[layout_.frames[end].readers.front()].is_exchange) {
      end = layout_.frames[end].readers.front();
      stage->add(wiring(end));
    }
    for (const Target& target : targets_after(end)) stage->add_target(target);
    return stage;
  }

  /// On a worker, as many at once as there are, in any order.
  bool is_plain(std::size_t f) const {
    const PlanNode& node = first(f);
    return node.runs == HEADRACE_RUNS_CPU && !node.serial && !node.ordered && !node.concurrency;
  }

  std::vector<Target> targets_after(std::size_t f) {
    const FrameLayout& frame = layout_.frames[f];
    std::vector<Target> targets;
    for (std::size_t i = 0; i < frame.readers.size(); ++i) {
      const std::size_t reader = frame.readers[i];
      Target target;
      target.takes_row = leads_to_slots(reader);
      if (exchange_of_[reader] != nullptr) {
        target.exchange = exchange_of_[reader];
        target.port = plan_.frames[reader].is_exchange ? frame.reader_ports[i] : 0;
      } else {
        target.stage = stage_from(reader);
      }
      targets.push_back(target);
    }
    for (Outlet* outlet : outlets_of_[f]) targets.push_back({.exchange = outlet, .port = 0});
    return targets;
  }

  bool leads_to_slots(std::size_t f) const {
    if (plan_.frames[f].is_exchange) {
      return std::any_of(plan_.rows.begin(), plan_.rows.end(),
                         [f](const PlanRow& row) { return row.reduce == f && row.in_place; });
    }
    const auto& readers = layout_.frames[f].readers;
    return std::any_of(readers.begin(), readers.end(),
                       [this](std::size_t reader) { return leads_to_slots(reader); });
  }

  Flow& flow_;
  const Plan& plan_;
  Layout layout_;
  std::uint32_t sources_ = 0;
  std::vector<Exchange*> exchange_of_;  ///< by frame; null for a frame that is part of a stage
  std::map<std::size_t, std::vector<Outlet*>> outlets_of_;
  std::map<std::size_t, Stage*> stage_of_;
};

void build(Flow& flow) { Builder(flow).run(); }

}  // namespace headrace
