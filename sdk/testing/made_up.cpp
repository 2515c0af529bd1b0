// SPDX-License-Identifier: Apache-2.0

#include "made_up.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace headrace::testing {
namespace {

/// 3, or what the range has nearest to it.
double made_up_number(const headrace_param_spec& spec) {
  double number = 3;
  if ((spec.has_range & 2U) != 0) number = std::min(number, spec.maximum);
  const double least = (spec.has_range & 4U) != 0 ? std::nextafter(spec.minimum, HUGE_VAL) : spec.minimum;
  if ((spec.has_range & 1U) != 0) number = std::max(number, least);
  return number;
}

/// The first op that may be named, with what it needs.
std::string made_up_part(const headrace_plugin& plugin, const headrace_param_spec& spec) {
  const std::optional<OpTable> table =
      spec.choice_count > 0 ? find_op(plugin, spec.choices[0]) : std::nullopt;
  if (!table) return "{}";
  const NodeText node = made_up_node(plugin, *table);
  std::string text = "{op: " + node.op + ", with: {";
  for (const auto& [name, value] : node.with) {
    if (text.back() != '{') text += ", ";
    text += name;
    text += ": " + value;
  }
  return text + "}}";
}

std::string made_up_scalar(const headrace_plugin& plugin, const headrace_param_spec& spec) {
  switch (spec.type) {
    case HEADRACE_PARAM_OP:
      return made_up_part(plugin, spec);
    case HEADRACE_PARAM_BOOL:
      return "true";
    case HEADRACE_PARAM_STRING:
      return spec.choice_count > 0 ? "'" + std::string(spec.choices[0]) + "'" : "'x'";
    case HEADRACE_PARAM_INT:
    case HEADRACE_PARAM_BYTES:
      return std::to_string(static_cast<std::int64_t>(std::ceil(made_up_number(spec))));
    case HEADRACE_PARAM_FLOAT:
    case HEADRACE_PARAM_SECONDS:
      return std::to_string(made_up_number(spec));
    default:
      return "1";
  }
}

headrace_field_spec candidate(const char* name, unsigned number) {
  headrace_field_spec spec{};
  spec.size = sizeof(spec);
  spec.name = name;
  spec.kind = HEADRACE_TENSOR;
  spec.dtype = HEADRACE_UINT8;
  spec.device = {HEADRACE_CPU, 0};
  spec.bound_bytes = -1;
  spec.origin = "test";
  switch (number) {
    case 0:
      spec.ndim = 3;
      spec.dims[0] = {-1, "H"};
      spec.dims[1] = {-1, "W"};
      spec.dims[2] = {3, nullptr};
      spec.layout = HEADRACE_LAYOUT_HWC;
      break;
    case 1:
    case 2:
      spec.kind = number == 1 ? HEADRACE_BYTES : HEADRACE_STRING;
      spec.ndim = 1;
      spec.dims[0] = {-1, nullptr};
      break;
    case 3:
      spec.dtype = HEADRACE_FLOAT32;
      spec.ndim = 3;
      spec.dims[0] = {3, nullptr};
      spec.dims[1] = {4, nullptr};
      spec.dims[2] = {5, nullptr};
      spec.layout = HEADRACE_LAYOUT_CHW;
      break;
    default:
      spec.dtype = HEADRACE_INT64;
  }
  return spec;
}
constexpr unsigned kCandidates = 5;
constexpr std::size_t kMostFields = 4;

/// Adds a field the op asks for, of one sort after the other, until it is content.
bool complete(OpBench& bench, std::vector<Schema>& inputs) {
  const Declared declared = bench.declare(inputs);
  if (declared.ok()) return true;
  if (declared.missing.empty()) return false;
  const Declared::Read& missing = declared.missing.front();
  if (missing.input >= inputs.size() || inputs[missing.input].size() >= kMostFields) return false;
  for (unsigned i = 0; i < kCandidates; ++i) {
    inputs[missing.input].emplace_back(candidate(missing.field.c_str(), i));
    if (complete(bench, inputs)) return true;
    inputs[missing.input].pop_back();
  }
  return false;
}

/// Sizes of axes: those with the same symbol alike.
std::vector<std::int64_t> made_up_shape(const headrace_field_spec& spec, unsigned number,
                                        std::int64_t length) {
  std::vector<std::int64_t> shape;
  std::map<std::string, std::int64_t> symbols;
  for (std::int32_t i = 0; i < spec.ndim; ++i) {
    std::int64_t size = spec.dims[i].size >= 0 ? spec.dims[i].size
                        : length >= 0          ? length
                                               : 5 + i + static_cast<std::int64_t>(number % 3);
    if (spec.dims[i].size < 0 && spec.dims[i].name != nullptr)
      size = symbols.emplace(spec.dims[i].name, size).first->second;
    shape.push_back(size);
  }
  return shape;
}

Value made_up_value(const headrace_field_spec& spec, unsigned number, std::int64_t length) {
  if (spec.kind == HEADRACE_BYTES) return Value::bytes(length == 0 ? "" : "bytes " + std::to_string(number));
  if (spec.kind == HEADRACE_STRING) return Value::string(length == 0 ? "" : "text " + std::to_string(number));
  Value value = Value::empty(spec.dtype, made_up_shape(spec, number, length), spec.layout);
  auto* bytes = static_cast<std::uint8_t*>(value.c().data);
  std::uint32_t state = number * 2654435761U + 1;
  for (std::size_t i = 0; i < value.byte_count(); ++i) {
    state = state * 1664525U + 1013904223U;
    bytes[i] = static_cast<std::uint8_t>(state >> 24U);
  }
  // Any bits make an integer, but not every bits make a number that one computes with.
  for (std::size_t i = 0; spec.dtype == HEADRACE_FLOAT32 && i < value.element_count(); ++i) {
    reinterpret_cast<float*>(bytes)[i] = static_cast<float>(i % 7) / 4.0F;
  }
  if (spec.dtype == HEADRACE_BOOL) {
    for (std::size_t i = 0; i < value.byte_count(); ++i) bytes[i] &= 1U;
  }
  return value;
}

}  // namespace

NodeText made_up_node(const headrace_plugin& plugin, const OpTable& table) {
  NodeText node;
  node.op = table.op.name;
  for (const headrace_param_spec& spec : table.params) {
    if ((spec.flags & HEADRACE_PARAM_REQUIRED) == 0) continue;
    std::string text = made_up_scalar(plugin, spec);
    if ((spec.flags & HEADRACE_PARAM_LIST) != 0) {
      std::string list = "[" + text;
      for (std::uint32_t i = 1; i < spec.list_min; ++i) list += ", " + text;
      text = list + "]";
    }
    node.with.emplace(spec.name, std::move(text));
  }
  return node;
}

std::optional<std::vector<Schema>> made_up_inputs(const headrace_plugin& plugin, const OpTable& table,
                                                  const NodeText& node) {
  if (table.op.rate == HEADRACE_SOURCE) {
    if (!OpBench(plugin, node).declare({}).ok()) return std::nullopt;
    return std::vector<Schema>();
  }
  const bool is_many = table.op.rate == HEADRACE_JOIN || table.op.rate == HEADRACE_MERGE;
  for (unsigned i = 0; i <= kCandidates; ++i) {
    // Without a field of its own choice first; then with one that rides along, which an op that takes
    // whatever comes may need.
    std::vector<Schema> inputs(is_many ? std::max(table.op.min_inputs, 2U) : 1);
    for (Schema& schema : inputs) {
      if (i > 0 || is_many) schema.emplace_back(candidate("x", i > 0 ? i - 1 : 4));
    }
    OpBench bench(plugin, node);
    if (complete(bench, inputs)) return inputs;
  }
  return std::nullopt;
}

Record made_up_record(const Schema& schema, unsigned number, std::int64_t length) {
  Record record;
  for (const FieldSpec& field : schema) record.set(field.name(), made_up_value(field.c(), number, length));
  return record;
}

}  // namespace headrace::testing
