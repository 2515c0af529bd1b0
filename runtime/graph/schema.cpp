// SPDX-License-Identifier: Apache-2.0
//
// Field specs copied in and lent out.

#include "runtime/graph/schema.h"

#include <fmt/format.h>

#include <utility>

namespace headrace {
namespace {

headrace_field_spec view_of(const Field& field) {
  headrace_field_spec out{};
  out.size = sizeof(headrace_field_spec);
  out.kind = field.kind;
  out.name = field.name.c_str();
  out.dtype = field.dtype;
  out.ndim = static_cast<std::int32_t>(field.dims.size());
  for (std::size_t i = 0; i < field.dims.size(); ++i) {
    out.dims[i].size = field.dims[i];
    out.dims[i].name = field.dim_names[i].empty() ? nullptr : field.dim_names[i].c_str();
  }
  out.layout = field.layout;
  out.device = field.device;
  out.bound_bytes = field.bound_bytes;
  out.origin = field.origin.c_str();
  return out;
}

}  // namespace

SchemaView::SchemaView(const Schema& schema) {
  for (const Field& field : schema) {
    specs_.push_back(view_of(field));
    pointers_.push_back(&specs_.back());
  }
  c_.size = sizeof(headrace_schema);
  c_.count = static_cast<std::uint32_t>(pointers_.size());
  c_.fields = pointers_.data();
}

const headrace_field_spec* SchemaView::find(std::string_view name) const {
  for (const headrace_field_spec* spec : pointers_) {
    if (name == spec->name) return spec;
  }
  return nullptr;
}

Result<Field> field_of(const headrace_field_spec& spec, const std::string& origin) {
  if (!HEADRACE_HAS(&spec, device)) return {Code::invalid_argument, "whose spec is too short"};
  if (spec.name == nullptr || *spec.name == '\0') return {Code::invalid_argument, "without a name"};
  const std::string name = spec.name;
  const auto broken = [&](const char* why) {
    return Result<Field>(Code::invalid_argument, fmt::format("'{}' {}", name, why));
  };
  if (spec.kind < HEADRACE_TENSOR || spec.kind > HEADRACE_STRING_LIST)
    return broken("of a kind that is none");
  const bool is_tensor = spec.kind == HEADRACE_TENSOR;
  if (is_tensor && headrace_dtype_bytes(spec.dtype) == 0) return broken("of a dtype that is none");
  if (spec.ndim < 0 || spec.ndim > HEADRACE_MAX_DIMS) return broken("with too many dimensions");
  Field out;
  out.name = name;
  out.kind = spec.kind;
  out.dtype = is_tensor ? spec.dtype : HEADRACE_UINT8;
  out.layout = is_tensor ? spec.layout : HEADRACE_LAYOUT_NONE;
  out.device = spec.device;
  out.origin = origin;
  if (HEADRACE_HAS(&spec, bound_bytes) && spec.bound_bytes >= 0) out.bound_bytes = spec.bound_bytes;
  if (!is_tensor) {
    out.dims = {-1};
    out.dim_names = {""};
    return out;
  }
  for (std::int32_t i = 0; i < spec.ndim; ++i) {
    if (spec.dims[i].size < -1) return broken("with a negative dimension");
    out.dims.push_back(spec.dims[i].size);
    out.dim_names.emplace_back(spec.dims[i].name == nullptr ? "" : spec.dims[i].name);
  }
  return out;
}

const Field* find_field(const Schema& schema, std::string_view name) {
  for (const Field& field : schema) {
    if (field.name == name) return &field;
  }
  return nullptr;
}

std::vector<std::string> field_names(const Schema& schema) {
  std::vector<std::string> out;
  for (const Field& field : schema) out.push_back(field.name);
  return out;
}

}  // namespace headrace
