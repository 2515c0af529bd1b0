// SPDX-License-Identifier: Apache-2.0
//
// The plan for programs.

#include <nlohmann/json.hpp>

#include <string>

#include "runtime/graph/field_text.h"
#include "runtime/graph/plan.h"
#include "runtime/graph/seek.h"
#include "runtime/graph/segments.h"
#include "runtime/plugin/op_words.h"

namespace headrace {
namespace {

using Json = nlohmann::ordered_json;

Json optional_size(std::int64_t bytes) { return bytes >= 0 ? Json(bytes) : Json(nullptr); }

Json field_json(const Field& field) {
  Json dims = Json::array();
  for (std::size_t i = 0; i < field.dims.size(); ++i) {
    const bool is_known = field.dims[i] >= 0;
    dims.push_back(is_known                     ? Json(field.dims[i])
                   : field.dim_names[i].empty() ? Json(nullptr)
                                                : Json(field.dim_names[i]));
  }
  Json out = {{"name", field.name}, {"kind", kind_name(field.kind)}};
  if (field.kind == HEADRACE_TENSOR) {
    out["dtype"] = dtype_name(field.dtype);
    out["shape"] = dims;
    out["layout"] = layout_name(field.layout);
  }
  out["device"] = device_name(field.device);
  out["bound_bytes"] = optional_size(field.bound_bytes);
  out["origin"] = field.origin;
  out["live"] = field.live;
  out["text"] = field.to_string();
  return out;
}

Json value_json(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::boolean:
      return *value.as_boolean();
    case Value::Kind::integer:
      return *value.as_integer();
    case Value::Kind::real:
      return *value.as_real();
    case Value::Kind::string:
      return value.text();
    case Value::Kind::list: {
      Json out = Json::array();
      for (const Value& item : value.items()) out.push_back(value_json(item));
      return out;
    }
    case Value::Kind::map: {
      Json out = Json::object();
      for (const Value::Entry& entry : value.entries()) out[entry.key.text()] = value_json(entry.value);
      return out;
    }
    default:
      return nullptr;
  }
}

const char* action_name(ErrorAction action) {
  switch (action) {
    case ErrorAction::skip:
      return "skip";
    case ErrorAction::mask:
      return "mask";
    default:
      return "fail";
  }
}

const Value* given_params(const Plan& plan, const std::string& node) {
  for (const NodeSpec& spec : plan.spec.nodes) {
    if (spec.name == node) return &spec.with;
  }
  return nullptr;
}

Json node_json(const Plan& plan, const PlanNode& node) {
  Json from = Json::array();
  for (const std::size_t input : node.from) from.push_back(plan.nodes[input].name);
  Json fields = Json::array();
  for (const Field& field : node.schema) fields.push_back(field_json(field));
  const Value* with = given_params(plan, node.name);
  Json out = {{"name", node.name},
              {"op", node.op->table.name},
              {"rate", rate_name(node.op->table.rate)},
              {"from", from},
              {"with", with ? value_json(*with) : Json::object()},
              {"runs", runs_name(node.runs)},
              {"serial", node.serial},
              {"ordered", node.ordered},
              {"concurrency", node.concurrency ? Json(*node.concurrency) : Json(nullptr)},
              {"on_error", action_name(node.on_error.action)},
              {"fields", fields}};
  if (node.batch_size > 0) out["batch_size"] = node.batch_size;
  if (node.window > 0) out["window"] = node.window;
  if (node.op->table.rate == HEADRACE_SOURCE) out["multiple"] = node.count.multiple;
  return out;
}

Json frame_json(const Plan& plan, const PlanFrame& frame) {
  Json members = Json::array();
  for (const std::size_t member : frame.members) members.push_back(plan.nodes[member].name);
  return {{"members", members},
          {"segment", frame.segment},
          {"exchange", frame.is_exchange},
          {"not_fused", frame.not_fused}};
}

Json segment_json(const Plan& plan, const PlanSegment& segment) {
  const auto name = [&](std::size_t frame) { return first_node(plan, plan.frames[frame]).name; };
  Json frames = Json::array();
  for (const std::size_t frame : segment.frames) frames.push_back(name(frame));
  Json ends = Json::array();
  for (const std::size_t frame : segment.ends) ends.push_back(name(frame));
  return {{"exchange", name(segment.exchange)},
          {"frames", frames},
          {"ends", ends},
          {"cap_items", segment.cap_items},
          {"cap_bytes", segment.cap_bytes},
          {"item_bytes", optional_size(segment.item_bytes)},
          {"items_given", segment.explicit_items},
          {"bytes_given", segment.explicit_bytes}};
}

Json row_json(const Plan& plan, const PlanRow& row) {
  Json out = {{"reduce", first_node(plan, plan.frames[row.reduce]).name},
              {"field", row.field},
              {"in_place", row.in_place}};
  if (row.in_place) {
    out["writer"] = last_node(plan, plan.frames[row.writer]).name;
  } else {
    out["why_not"] = row.why_not;
  }
  return out;
}

}  // namespace

std::string plan_json(const Plan& plan) {
  Json out = {{"name", plan.spec.name}};
  out["nodes"] = Json::array();
  for (const PlanNode& node : plan.nodes) out["nodes"].push_back(node_json(plan, node));
  out["frames"] = Json::array();
  for (const PlanFrame& frame : plan.frames) out["frames"].push_back(frame_json(plan, frame));
  out["segments"] = Json::array();
  for (const PlanSegment& segment : plan.segments) out["segments"].push_back(segment_json(plan, segment));
  out["rows"] = Json::array();
  for (const PlanRow& row : plan.rows) out["rows"].push_back(row_json(plan, row));
  out["outputs"] = Json::array();
  for (const PlanOutput& output : plan.outputs) {
    out["outputs"].push_back({{"name", output.name},
                              {"from", plan.nodes[output.from].name},
                              {"fields", output.fields},
                              {"prefetch", output.prefetch}});
  }
  out["resume"] = resume_text(plan);
  out["runtime"] = {
      {"threads", plan.threads},
      {"io_threads", plan.io_threads},
      {"seed", plan.seed},
      {"memory_bytes", plan.memory_bytes},
      {"order", plan.strict ? "strict" : "any"},
      {"fuse", plan.fuse},
      {"stage_timeout_seconds", plan.stage_timeout_s > 0 ? Json(plan.stage_timeout_s) : Json()},
      {"rank", plan.ranks.rank},
      {"world", plan.ranks.world},
      {"ranks_from", plan.spec.ranks.origin}};
  return out.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace headrace
