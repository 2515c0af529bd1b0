// SPDX-License-Identifier: Apache-2.0
//
// See plan_view.h.
#include "plan_view.h"

#include <stdexcept>

namespace headrace::cli {
namespace {

using nlohmann::json;

NodeView read_node(const json& node, const PlanView& plan) {
  NodeView view;
  view.name = node.at("name").get<std::string>();
  view.op = node.at("op").get<std::string>();
  view.params = node.at("with");
  for (const json& from : node.at("from")) view.from.push_back(plan.node(from.get<std::string>()));
  for (const json& field : node.at("fields")) {
    view.fields.push_back({field.at("name").get<std::string>(), field.at("text").get<std::string>(),
                           field.at("live").get<bool>()});
    if (field.at("origin") == view.name) view.writes.push_back(view.fields.back().name);
  }
  return view;
}

}  // namespace

std::size_t PlanView::node(const std::string& wanted) const {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].name == wanted) return i;
  }
  throw std::out_of_range("the plan has no node '" + wanted + "'");
}

std::size_t PlanView::frame_of(std::size_t wanted) const {
  for (std::size_t i = 0; i < frames.size(); ++i) {
    for (const std::size_t member : frames[i].nodes) {
      if (member == wanted) return i;
    }
  }
  throw std::out_of_range("the plan has a node in no frame");
}

PlanView read_plan(const json& plan) {
  PlanView view;
  view.name = plan.at("name").get<std::string>();
  for (const json& node : plan.at("nodes")) view.nodes.push_back(read_node(node, view));
  for (const json& frame : plan.at("frames")) {
    FrameView& f = view.frames.emplace_back();
    for (const json& member : frame.at("members")) f.nodes.push_back(view.node(member.get<std::string>()));
    f.segment = frame.at("segment").get<std::size_t>();
  }
  for (const json& segment : plan.at("segments")) {
    SegmentView& s = view.segments.emplace_back();
    for (const json& frame : segment.at("frames"))
      s.frames.push_back(view.frame_of(view.node(frame.get<std::string>())));
    s.cap_items = segment.at("cap_items").get<std::int64_t>();
    s.cap_bytes = segment.at("cap_bytes").get<std::int64_t>();
  }
  for (const json& row : plan.at("rows")) {
    view.rows.push_back({view.node(row.at("reduce").get<std::string>()), row.at("field").get<std::string>(),
                         row.at("in_place").get<bool>()});
  }
  for (const json& output : plan.at("outputs")) {
    view.outputs.push_back(
        {output.at("name").get<std::string>(), view.node(output.at("from").get<std::string>()),
         output.at("fields").get<std::vector<std::string>>(), output.at("prefetch").get<std::int64_t>()});
  }
  return view;
}

}  // namespace headrace::cli
