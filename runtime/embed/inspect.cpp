// SPDX-License-Identifier: Apache-2.0
//
// See inspect.h.
#include "runtime/embed/inspect.h"

#include <fmt/format.h>

#include "runtime/embed/sample_fields.h"
#include "runtime/graph/diagnostics.h"
#include "runtime/plugin/op_words.h"

namespace headrace {
namespace {

using Json = nlohmann::ordered_json;

Json text_or_null(const char* text) { return text == nullptr ? Json(nullptr) : Json(text); }

const char* type_name(headrace_param_type type) {
  switch (type) {
    case HEADRACE_PARAM_BOOL:
      return "bool";
    case HEADRACE_PARAM_INT:
      return "int";
    case HEADRACE_PARAM_FLOAT:
      return "float";
    case HEADRACE_PARAM_STRING:
      return "string";
    case HEADRACE_PARAM_BYTES:
      return "bytes";
    case HEADRACE_PARAM_SECONDS:
      return "seconds";
    case HEADRACE_PARAM_OP:
      return "op";
    default:
      return "scalar";
  }
}

Json choices(const headrace_param_spec& spec) {
  if (spec.choices == nullptr) return nullptr;
  Json list = Json::array();
  for (std::uint32_t i = 0; i < spec.choice_count; ++i) list.push_back(spec.choices[i]);
  return list;
}

Json param(const headrace_param_spec& spec) {
  const auto has = [&](std::uint32_t flag) { return (spec.flags & flag) != 0; };
  const auto in_range = [&](std::uint32_t bits, double value) {
    return (spec.has_range & bits) != 0 ? Json(value) : Json(nullptr);
  };
  Json json;
  json["name"] = spec.name;
  json["type"] = type_name(spec.type);
  json["list"] = has(HEADRACE_PARAM_LIST);
  json["one_or_list"] = has(HEADRACE_PARAM_ONE_OR_LIST);
  json["required"] = has(HEADRACE_PARAM_REQUIRED);
  json["nullable"] = has(HEADRACE_PARAM_NULLABLE);
  json["default"] = text_or_null(spec.default_yaml);
  json["unit"] = text_or_null(spec.unit);
  json["minimum"] = in_range(1U | 4U, spec.minimum);
  json["maximum"] = in_range(2U, spec.maximum);
  json["above"] = (spec.has_range & 4U) != 0;
  json["choices"] = choices(spec);
  json["list_min"] = spec.list_min;
  json["list_max"] = spec.list_max == 0 ? Json(nullptr) : Json(spec.list_max);
  json["doc"] = text_or_null(spec.doc);
  return json;
}

Json describe(const RegisteredOp& op) {
  Json json;
  json["name"] = op.table.name;
  json["plugin"] = op.plugin->name;
  json["plugin_version"] = op.plugin->version;
  json["version"] = op.table.version;
  json["doc"] = text_or_null(op.table.doc);
  json["rate"] = rate_name(op.table.rate);
  json["runs"] = runs_name(op.table.runs);
  json["serial"] = op.table.serial != 0;
  json["ordered"] = op.table.ordered != 0;
  json["absorbs"] = op.table.absorb != nullptr;
  const bool unbounded = op.table.max_inputs == 0 && op.table.rate != HEADRACE_SOURCE;
  json["inputs"] = {{"min", op.table.min_inputs},
                    {"max", unbounded ? Json(nullptr) : Json(op.table.max_inputs)}};
  const std::optional<SampleFields> fields = sample_fields(op);
  json["reads"] = fields ? Json(fields->reads) : Json(nullptr);
  json["writes"] = fields ? Json(fields->writes) : Json(nullptr);
  json["params"] = Json::array();
  for (const headrace_param_spec& spec : op.params) json["params"].push_back(param(spec));
  return json;
}

}  // namespace

Result<Json> inspect_all(const Registry& registry) {
  Json ops = Json::array();
  for (const std::string& name : registry.op_names()) ops.push_back(describe(*registry.find(name)));
  return Json{{"ops", std::move(ops)}};
}

Result<Json> inspect_op(const Registry& registry, std::string_view name) {
  const RegisteredOp* op = registry.find(name);
  if (op != nullptr) return describe(*op);
  if (const RefusedPlugin* refused = registry.refused(name)) {
    return Status(Code::not_found,
                  fmt::format("there is no op '{}': {} {}", name, refused->path, refused->reason));
  }
  return Status(Code::not_found,
                fmt::format("there is no op '{}'{}", name, did_you_mean(name, registry.op_names())));
}

}  // namespace headrace
