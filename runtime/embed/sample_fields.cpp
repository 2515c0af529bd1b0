// SPDX-License-Identifier: Apache-2.0
//
// See sample_fields.h. Twice for each made-up type: first a declaration that has every field asked for only
// collects the names, then the planner's own, with fields of these names, has the last word.
#include "runtime/embed/sample_fields.h"

#include <algorithm>
#include <array>
#include <deque>
#include <set>
#include <string_view>

#include "runtime/graph/bind_params.h"
#include "runtime/graph/declare.h"
#include "runtime/graph/plan.h"
#include "runtime/graph/schema.h"

namespace headrace {
namespace {

Field tensor(headrace_dtype dtype, headrace_layout layout, std::vector<std::int64_t> dims,
             std::vector<std::string> names) {
  Field field;
  field.dtype = dtype;
  field.layout = layout;
  field.dims = std::move(dims);
  field.dim_names = std::move(names);
  field.origin = "sample";
  return field;
}

Field run_of_bytes(headrace_kind kind) {
  Field field;
  field.kind = kind;
  field.dims = {-1};
  field.dim_names = {""};
  field.origin = "sample";
  return field;
}

/// The likeliest first; rows of a batch must have a known shape.
std::vector<Field> made_up_types() {
  return {tensor(HEADRACE_UINT8, HEADRACE_LAYOUT_HWC, {-1, -1, 3}, {"H", "W", ""}),
          tensor(HEADRACE_UINT8, HEADRACE_LAYOUT_HWC, {224, 224, 3}, {"", "", ""}),
          tensor(HEADRACE_FLOAT32, HEADRACE_LAYOUT_NCHW, {32, 3, 224, 224}, {"", "", "", ""}),
          run_of_bytes(HEADRACE_BYTES),
          run_of_bytes(HEADRACE_STRING),
          tensor(HEADRACE_INT64, HEADRACE_LAYOUT_NONE, {}, {})};
}

NodeSpec made_up_node(const RegisteredOp& op);

/// A value that the parameter takes, for those that have no default.
Value made_up_value(const RegisteredOp& op, const headrace_param_spec& spec) {
  const Location nowhere;
  const double least = (spec.has_range & 1U) != 0 ? spec.minimum : 1;
  Value one = Value::integer(std::max<std::int64_t>(1, static_cast<std::int64_t>(least)), nowhere, "1");
  if (spec.type == HEADRACE_PARAM_BOOL) one = Value::boolean(true, nowhere, "true");
  if (spec.type == HEADRACE_PARAM_STRING)
    one = Value::string(spec.choice_count > 0 ? spec.choices[0] : "field", nowhere);
  if (spec.type == HEADRACE_PARAM_OP) {
    const RegisteredOp& part = *op.plugin->find(spec.choices[0]);
    one = Value::map({{Value::string("op", nowhere), Value::string(part.table.name, nowhere)},
                      {Value::string("with", nowhere), made_up_node(part).with}},
                     nowhere);
  }
  if ((spec.flags & HEADRACE_PARAM_LIST) == 0) return one;
  return Value::list(Value::List(std::max<std::size_t>(1, spec.list_min), one), nowhere);
}

NodeSpec made_up_node(const RegisteredOp& op) {
  NodeSpec spec;
  spec.name = "sample";
  spec.op.name = op.table.name;
  Value::Map with;
  for (const headrace_param_spec& param : op.params) {
    if ((param.flags & HEADRACE_PARAM_REQUIRED) != 0)
      with.push_back({Value::string(param.name, {}), made_up_value(op, param)});
  }
  spec.with = Value::map(std::move(with), {});
  return spec;
}

/// A node of the op as check makes it; nothing when its made-up parameters do not do.
std::optional<PlanNode> planned(const RegisteredOp& op, const NodeSpec& spec) {
  Diagnostics unheard;
  PlanNode node;
  node.name = spec.name;
  node.op = &op;
  node.params = bind_params(spec, op, unheard);
  if (node.params == nullptr) return std::nullopt;
  node.c = view_of("sample", op, *node.params);
  return node;
}

/// Collects the names of the fields that a declaration asks for; each is there and is of the made-up type.
class Names {
 public:
  explicit Names(const Field& type) : type_({type}), view_(type_) {}

  std::set<std::string> of(const RegisteredOp& op, const headrace_node* node, std::uint32_t input_count) {
    headrace_config config{};
    config.context = {sizeof config, 0, planning_host(), this};
    config.members = &node;
    config.member_count = 1;
    const headrace_schema empty{sizeof empty, 0, nullptr};
    const std::vector<const headrace_schema*> inputs(input_count, &empty);
    headrace_declaration d{};
    d.context = {sizeof d, 0, planning_host(), this};
    d.config = &config;
    d.input_count = input_count;
    d.inputs = inputs.data();
    d.find = [](headrace_declaration* self, std::uint32_t, const char* field) {
      return of(self).find(field);
    };
    d.read = [](headrace_declaration* self, std::uint32_t, const char* field) {
      return of(self).read(field);
    };
    d.write = [](headrace_declaration* self, const headrace_field_spec*) { return of(self).writes_++; };
    d.remove = [](headrace_declaration*, const char*) {};
    d.take = [](headrace_declaration*, std::uint32_t, const char*, const char*) {};
    d.in_place = [](headrace_declaration*, std::int32_t, std::int32_t) {};
    d.input_memory = [](headrace_declaration*, std::int32_t, const headrace_allocator*) {};
    d.output_memory = d.input_memory;
    d.error = [](headrace_declaration*, const char*, const char*) -> headrace_status {
      return HEADRACE_INVALID_ARGUMENT;
    };
    op.table.declare(&d);
    return names_;
  }

 private:
  static Names& of(headrace_declaration* d) { return *static_cast<Names*>(d->context.handle); }
  const headrace_field_spec* find(const char* field) {
    if (field == nullptr) return nullptr;
    headrace_field_spec& spec = specs_.emplace_back(*view_.c()->fields[0]);
    spec.name = names_.insert(field).first->c_str();
    return &spec;
  }
  std::int32_t read(const char* field) {
    if (field == nullptr) return -1;
    names_.insert(field);
    return reads_++;
  }

  Schema type_;
  SchemaView view_;
  std::deque<headrace_field_spec> specs_;
  std::set<std::string> names_;
  std::int32_t reads_ = 0;
  std::int32_t writes_ = 0;
};

std::string in_words(const Field& field) { return field.name + ": " + field.to_string(); }

std::optional<SampleFields> try_type(const RegisteredOp& op, const Field& type, std::uint32_t input_count) {
  const NodeSpec spec = made_up_node(op);
  std::optional<PlanNode> node = planned(op, spec);
  if (!node) return std::nullopt;
  std::set<std::string> names = Names(type).of(op, &node->c, input_count);
  if (names.empty()) names.insert("image");  // an op that takes whatever there is
  Schema schema;
  for (const std::string& name : names) {
    schema.push_back(type);
    schema.back().name = name;
  }
  Diagnostics unheard;
  const std::vector<const Schema*> inputs(input_count, &schema);
  if (!declare(*node, spec, inputs, std::vector<std::string>(input_count, "sample"), unheard))
    return std::nullopt;
  SampleFields fields;
  for (const Port& port : node->reads) {
    if (port.input == 0) fields.reads.push_back(in_words(*find_field(schema, port.field)));
  }
  for (const Port& port : node->writes)
    fields.writes.push_back(in_words(*find_field(node->schema, port.field)));
  return fields;
}

}  // namespace

std::optional<SampleFields> sample_fields(const RegisteredOp& op) {
  for (const Field& type : made_up_types()) {
    if (std::optional<SampleFields> fields = try_type(op, type, op.table.min_inputs)) return fields;
  }
  return std::nullopt;
}

}  // namespace headrace
