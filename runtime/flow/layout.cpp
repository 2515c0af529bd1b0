// SPDX-License-Identifier: Apache-2.0

#include "runtime/flow/layout.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <set>
#include <string_view>

namespace headrace {

namespace {

using Cells = std::map<std::string, std::uint32_t, std::less<>>;

const Field* find(const Schema& schema, std::string_view name) {
  const auto it = std::find_if(schema.begin(), schema.end(), [&](const Field& f) { return f.name == name; });
  return it == schema.end() ? nullptr : &*it;
}

bool begins_region(headrace_rate rate) {
  return rate == HEADRACE_SOURCE || rate == HEADRACE_REDUCE || rate == HEADRACE_JOIN ||
         rate == HEADRACE_MERGE;
}

/// What names a sample to people.
bool is_name(const Field& field) {
  static constexpr std::array<std::string_view, 3> kNames{"path", "key", "url"};
  return field.kind == HEADRACE_STRING && std::find(kNames.begin(), kNames.end(), field.name) != kNames.end();
}

class Numbering {
 public:
  explicit Numbering(const Plan& plan) : plan_(plan) {}

  Layout run() {
    layout_.frames.resize(plan_.frames.size());
    layout_.frame_of_node.resize(plan_.nodes.size());
    for (std::size_t f = 0; f < plan_.frames.size(); ++f) {
      for (const std::size_t n : plan_.frames[f].members) layout_.frame_of_node[n] = f;
    }
    for (std::size_t f = 0; f < plan_.frames.size(); ++f) connect(f);
    for (std::size_t f = 0; f < plan_.frames.size(); ++f) number(f);
    for (std::size_t f = 0; f < plan_.frames.size(); ++f) place_memory(f);
    for (const PlanRow& row : plan_.rows) {
      if (row.in_place) lend_row(row);
    }
    return std::move(layout_);
  }

 private:
  const PlanNode& first(std::size_t f) const { return plan_.nodes[plan_.frames[f].members.front()]; }
  const PlanNode& last(std::size_t f) const { return plan_.nodes[plan_.frames[f].members.back()]; }

  void connect(std::size_t f) {
    std::uint32_t port = 0;
    for (const std::size_t n : first(f).from) {
      const std::size_t from = layout_.frame_of_node[n];
      layout_.frames[f].inputs.push_back(from);
      layout_.frames[from].readers.push_back(f);
      layout_.frames[from].reader_ports.push_back(port++);
    }
  }

  std::uint32_t new_cell(std::size_t region) { return layout_.regions[region].cells++; }

  void number(std::size_t f) {
    FrameLayout& frame = layout_.frames[f];
    const headrace_rate rate = first(f).op->table.rate;
    if (begins_region(rate)) {
      frame.region = layout_.regions.size();
      layout_.regions.emplace_back();
    } else {
      frame.region = layout_.frames[frame.inputs.front()].region;
    }
    for (const Port& port : first(f).reads) {
      frame.wiring.inputs.push_back(layout_.frames[frame.inputs[port.input]].cells.at(port.field));
    }
    Cells before;
    if (!begins_region(rate)) before = layout_.frames[frame.inputs.front()].cells;
    if (rate == HEADRACE_JOIN || rate == HEADRACE_MERGE) before = take(f);

    Cells written;
    for (const Port& port : last(f).writes) {
      OutputWiring output;
      output.cell = new_cell(frame.region);
      output.spec = find(last(f).schema, port.field);
      output.in_place = plan_.frames[f].members.size() == 1 ? port.in_place : -1;
      output.memory = port.memory;
      assert(output.spec != nullptr);
      written[port.field] = output.cell;
      if (rate == HEADRACE_SOURCE && layout_.regions[frame.region].name_cell < 0 && is_name(*output.spec)) {
        layout_.regions[frame.region].name_cell = static_cast<std::int32_t>(output.cell);
      }
      frame.wiring.outputs.push_back(output);
    }
    if (rate == HEADRACE_REDUCE) number_masks(f, written);
    for (const Field& field : last(f).schema) {
      if (!field.live) continue;
      const auto it = written.find(field.name);
      frame.cells[field.name] = it != written.end() ? it->second : before.at(field.name);
    }
    drop_unread(frame, before, written);
  }

  void number_masks(std::size_t f, Cells& written) {
    FrameLayout& frame = layout_.frames[f];
    const FrameLayout& input = layout_.frames[frame.inputs.front()];
    for (const Field& field : last(f).schema) {
      if (!field.is_mask || !field.live) continue;
      const Field* inner = find(last(frame.inputs.front()).schema, field.name);
      MaskWiring mask;
      mask.cell = new_cell(frame.region);
      mask.spec = &field;
      if (inner != nullptr && inner->is_mask)
        mask.from = static_cast<std::int32_t>(input.cells.at(field.name));
      written[field.name] = mask.cell;
      frame.masks.push_back(mask);
    }
  }

  void drop_unread(FrameLayout& frame, const Cells& before, const Cells& written) {
    std::set<std::uint32_t> gone;
    for (const auto& [name, cell] : before) gone.insert(cell);
    for (const auto& [name, cell] : written) gone.insert(cell);
    for (const auto& [name, cell] : frame.cells) gone.erase(cell);
    gone.erase(static_cast<std::uint32_t>(layout_.regions[frame.region].name_cell));
    frame.wiring.drops.assign(gone.begin(), gone.end());
  }

  /// Cells of what a join or merge takes over from its inputs, and how.
  Cells take(std::size_t f) {
    FrameLayout& frame = layout_.frames[f];
    const bool merge = first(f).op->table.rate == HEADRACE_MERGE;
    frame.maps.resize(frame.inputs.size());
    Cells cells;
    for (const Taken& taken : first(f).takes) {
      const Field* field = find(last(f).schema, taken.as);
      if (field == nullptr || !field->live) continue;
      if (cells.find(taken.as) == cells.end()) cells[taken.as] = new_cell(frame.region);
      for (std::uint32_t i = 0; i < frame.inputs.size(); ++i) {
        if (!merge && i != taken.input) continue;
        const Cells& from = layout_.frames[frame.inputs[i]].cells;
        const auto it = from.find(taken.field);
        const std::pair<std::uint32_t, std::uint32_t> pair{it == from.end() ? 0 : it->second,
                                                           cells[taken.as]};
        CellMap& map = frame.maps[i];
        if (it != from.end() && std::find(map.begin(), map.end(), pair) == map.end()) map.push_back(pair);
      }
    }
    take_name(frame, merge);
    return cells;
  }

  void take_name(FrameLayout& frame, bool from_all) {
    Region& region = layout_.regions[frame.region];
    for (std::size_t i = 0; i < (from_all ? frame.inputs.size() : 1); ++i) {
      const std::int32_t name = layout_.regions[layout_.frames[frame.inputs[i]].region].name_cell;
      if (name < 0) continue;
      if (region.name_cell < 0) region.name_cell = static_cast<std::int32_t>(new_cell(frame.region));
      frame.maps[i].emplace_back(static_cast<std::uint32_t>(name),
                                 static_cast<std::uint32_t>(region.name_cell));
    }
  }

  /// Where a reader wants its input in memory of its own kind, the writer puts it there.
  void place_memory(std::size_t f) {
    for (OutputWiring& output : layout_.frames[f].wiring.outputs) {
      for (const std::size_t reader : layout_.frames[f].readers) {
        for (const Port& port : first(reader).reads) {
          if (output.memory == nullptr && port.field == output.spec->name) output.memory = port.memory;
        }
      }
    }
  }

  void lend_row(const PlanRow& row) {
    for (OutputWiring& output : layout_.frames[row.writer].wiring.outputs) {
      if (output.spec->name == row.field) output.row_port = static_cast<std::int32_t>(row.output);
    }
  }

  const Plan& plan_;
  Layout layout_;
};

}  // namespace

Layout lay_out(const Plan& plan) { return Numbering(plan).run(); }

}  // namespace headrace
