// SPDX-License-Identifier: Apache-2.0
//
// One op's declaration, heard out and judged.

#include "runtime/graph/declare.h"

#include <fmt/format.h>

#include <deque>
#include <utility>

#include "runtime/graph/bind_params.h"
#include "runtime/graph/edge_schema.h"
#include "runtime/graph/schema.h"

namespace headrace {
namespace {

constexpr std::int64_t kMaxRecords = std::int64_t{1} << 31;  // a batch or a window

const void* no_suite(const headrace_host*, const char*, std::uint32_t) { return nullptr; }

/// What the functions of the declaration work on.
class Hearing {
 public:
  Hearing(PlanNode& node, const NodeSpec& spec, const std::vector<const Schema*>& inputs,
          const std::vector<std::string>& input_names, Diagnostics& diagnostics)
      : node_(node), spec_(spec), inputs_(inputs), input_names_(input_names), diagnostics_(diagnostics) {
    for (const Schema* input : inputs) views_.emplace_back(*input);
  }

  bool hear() {
    const headrace_op& op = node_.op->table;
    std::vector<const headrace_schema*> schemas;
    for (const SchemaView& view : views_) schemas.push_back(view.c());
    const headrace_node* member = &node_.c;
    headrace_config config{};
    config.context = {sizeof(headrace_config), 0, planning_host(), this};
    config.members = &member;
    config.member_count = 1;
    headrace_declaration declaration = functions();
    declaration.context = {sizeof(headrace_declaration), 0, planning_host(), this};
    declaration.config = &config;
    declaration.input_count = static_cast<std::uint32_t>(schemas.size());
    declaration.inputs = schemas.data();
    declaration.runs = op.runs;
    declaration.serial = op.serial;
    declaration.ordered = op.ordered;
    declaration.slots = HEADRACE_SLOTS_NONE;
    declaration.last = HEADRACE_LAST_DROP;
    declaration.groups = 1;
    declaration.ends = HEADRACE_ENDS_FIRST;
    const headrace_status status = op.declare(&declaration);
    if (status != HEADRACE_OK && is_sound_)
      fail(node_.where, "it refuses this place in the graph without a reason");
    if (is_sound_) take_settings(declaration);
    if (!is_sound_) return false;
    return make_edge_schema(node_, inputs_, input_names_, diagnostics_);
  }

 private:
  static Hearing& of(headrace_declaration* d) { return *static_cast<Hearing*>(d->context.handle); }

  static headrace_declaration functions() {
    headrace_declaration d{};
    d.find = [](headrace_declaration* self, std::uint32_t input, const char* field) {
      return of(self).find(input, field);
    };
    d.read = [](headrace_declaration* self, std::uint32_t input, const char* field) {
      return of(self).read(input, field);
    };
    d.write = [](headrace_declaration* self, const headrace_field_spec* spec) {
      return of(self).write(spec);
    };
    d.remove = [](headrace_declaration* self, const char* field) {
      if (field != nullptr) of(self).node_.removes.emplace_back(field);
    };
    d.take = [](headrace_declaration* self, std::uint32_t input, const char* field, const char* as) {
      of(self).take(input, field, as);
    };
    d.in_place = [](headrace_declaration* self, std::int32_t output, std::int32_t input) {
      of(self).in_place(output, input);
    };
    d.input_memory = [](headrace_declaration* self, std::int32_t input, const headrace_allocator* allocator) {
      of(self).set_memory(of(self).node_.reads, input, allocator);
    };
    d.output_memory = [](headrace_declaration* self, std::int32_t output,
                         const headrace_allocator* allocator) {
      of(self).set_memory(of(self).node_.writes, output, allocator);
    };
    d.error = [](headrace_declaration* self, const char* param, const char* text) -> headrace_status {
      of(self).object(param, text == nullptr ? "it refuses without a reason" : text);
      return HEADRACE_INVALID_ARGUMENT;
    };
    return d;
  }

  const headrace_field_spec* find(std::uint32_t input, const char* field) const {
    return input < views_.size() && field != nullptr ? views_[input].find(field) : nullptr;
  }

  std::int32_t read(std::uint32_t input, const char* field) {
    if (!knows(input, field)) return -1;
    node_.reads.push_back({input, field, -1, nullptr});
    return static_cast<std::int32_t>(node_.reads.size() - 1);
  }

  std::int32_t write(const headrace_field_spec* spec) {
    if (spec == nullptr) {
      fail(node_.where, "it writes a field without a spec");
      return -1;
    }
    Result<Field> field = field_of(*spec, node_.name);
    if (!field.ok()) {
      fail(node_.where, fmt::format("it writes a field {}", field.status().message()));
      return -1;
    }
    if (find_field(node_.schema, field->name)) {
      fail(node_.where, fmt::format("it writes the field '{}' twice", field->name));
      return -1;
    }
    node_.writes.push_back({0, field->name, -1, nullptr});
    node_.schema.push_back(std::move(*field));  // what it writes; the edge's schema is made of it afterwards
    return static_cast<std::int32_t>(node_.writes.size() - 1);
  }

  void take(std::uint32_t input, const char* field, const char* as) {
    if (!knows(input, field)) return;
    node_.takes.push_back({input, field, as == nullptr || *as == '\0' ? field : as});
  }

  void in_place(std::int32_t output, std::int32_t input) {
    if (output < 0 || input < 0) return;  // a port that was refused
    if (static_cast<std::size_t>(output) >= node_.writes.size() ||
        static_cast<std::size_t>(input) >= node_.reads.size()) {
      fail(node_.where, "it declares a port that it has not");
      return;
    }
    node_.writes[static_cast<std::size_t>(output)].in_place = input;
  }

  void set_memory(std::vector<Port>& ports, std::int32_t port, const headrace_allocator* allocator) {
    if (port < 0) return;
    if (static_cast<std::size_t>(port) >= ports.size()) {
      fail(node_.where, "it declares a port that it has not");
      return;
    }
    ports[static_cast<std::size_t>(port)].memory = allocator;
  }

  /// Whether the field is there to be read; a missing one is reported.
  bool knows(std::uint32_t input, const char* field) {
    if (field == nullptr || input >= inputs_.size()) {
      fail(node_.where, fmt::format("it reads from input {}, of {}", input, inputs_.size()));
      return false;
    }
    if (find_field(*inputs_[input], field)) return true;
    is_sound_ = false;
    const std::vector<std::string> there = field_names(*inputs_[input]);
    std::string hint = did_you_mean(field, there);
    if (hint.empty()) {
      hint = there.empty() ? " (it gives none)" : fmt::format(" (it gives {})", fmt::join(there, ", "));
    }
    const Location where =
        node_.params->where_text(field, input < spec_.from.size() ? spec_.from[input].where : node_.where);
    diagnostics_.error(where, fmt::format("node '{}' reads the field '{}', which '{}' does not give{}",
                                          node_.name, field, input_names_[input], hint));
    return false;
  }

  void object(const char* param, std::string_view text) {
    is_sound_ = false;
    if (param == nullptr || *param == '\0') {
      diagnostics_.error(node_.where, fmt::format("node '{}': {}", node_.name, text));
      return;
    }
    diagnostics_.error(node_.params->where(param, node_.where),
                       fmt::format("{}.with.{}: {}", node_.name, param, text));
  }

  void fail(const Location& where, const std::string& text) {
    is_sound_ = false;
    diagnostics_.error(
        where, fmt::format("node '{}': op {} is at fault: {}", node_.name, node_.op->table.name, text));
  }

  void require(bool is_right, const char* otherwise) {
    if (!is_right) fail(node_.where, otherwise);
  }

  void take_settings(const headrace_declaration& d) {
    const headrace_rate rate = node_.op->table.rate;
    node_.runs = d.runs;
    node_.ordered = d.ordered != 0;
    node_.serial = d.serial != 0 || node_.ordered;
    node_.exchange = d.exchange != 0;
    node_.indexed = d.indexed != 0;
    node_.shuffle = d.shuffle != 0;
    node_.drops = d.drops != 0;
    require(d.runs >= HEADRACE_RUNS_CPU && d.runs <= HEADRACE_RUNS_ASYNC, "it runs in a place that is none");
    require(!node_.exchange || rate == HEADRACE_MAP, "it calls itself an exchange, which only a map may");
    require(!node_.indexed || rate == HEADRACE_SOURCE, "it calls itself indexed, which only a source may");
    require(!node_.shuffle || node_.indexed, "it wants its order shuffled, which needs an indexed source");
    require(!node_.drops || rate == HEADRACE_MAP, "it says that it drops records, which only a map may");
    if (rate == HEADRACE_REDUCE) take_batch(d);
    if (rate == HEADRACE_WINDOW) {
      node_.window = d.window;
      require(d.window >= 1 && d.window <= kMaxRecords, "its window must hold from 1 to 2^31 records");
    }
    if (rate == HEADRACE_MERGE) {
      node_.ends = d.ends;
      require(d.ends == HEADRACE_ENDS_FIRST || d.ends == HEADRACE_ENDS_ALL, "it ends in a way that is none");
    }
  }

  void take_batch(const headrace_declaration& d) {
    node_.batch_size = d.batch_size;
    node_.slots = d.slots;
    node_.last = d.last;
    const bool has_groups = node_.op->table.assign != nullptr;
    node_.groups = has_groups ? d.groups : 1;
    require(d.batch_size >= 1 && d.batch_size <= kMaxRecords, "its batch must hold from 1 to 2^31 records");
    require(!has_groups || (d.groups >= 1 && d.groups <= kMaxRecords), "it must hold at least 1 group open");
    require(d.last >= HEADRACE_LAST_DROP && d.last <= HEADRACE_LAST_WRAP,
            "its last batch ends in a way that is none");
    require(d.slots >= HEADRACE_SLOTS_FIXED && d.slots <= HEADRACE_SLOTS_NONE,
            "its slots are of a kind that is none");
    require(d.slots != HEADRACE_SLOTS_BY_SIZE || node_.op->table.slot_shape != nullptr,
            "its slots go by size, but it has no slot_shape()");
    for (const Field& field : node_.schema) {
      if (field.kind != HEADRACE_TENSOR) continue;
      const bool counts_rows = !field.dims.empty() && (field.dims[0] == -1 || field.dims[0] == d.batch_size);
      if (!counts_rows)
        fail(node_.where, fmt::format("axis 0 of its field '{}' does not count rows", field.name));
    }
  }

  PlanNode& node_;
  const NodeSpec& spec_;
  const std::vector<const Schema*>& inputs_;
  const std::vector<std::string>& input_names_;
  Diagnostics& diagnostics_;
  std::deque<SchemaView> views_;
  bool is_sound_ = true;
};

}  // namespace

const headrace_host* planning_host() {
  static constexpr headrace_host kHost{sizeof(headrace_host), HEADRACE_ABI_MINOR, "planning", &no_suite};
  return &kHost;
}

bool declare(PlanNode& node, const NodeSpec& spec, const std::vector<const Schema*>& inputs,
             const std::vector<std::string>& input_names, Diagnostics& diagnostics) {
  return Hearing(node, spec, inputs, input_names, diagnostics).hear();
}

}  // namespace headrace
