// SPDX-License-Identifier: Apache-2.0

#include "runtime/graph/identity.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/graph/bind_params.h"
#include "runtime/state/philox.h"

namespace headrace {

namespace {

std::string text_of(headrace_text text) { return {text.data, text.size}; }

/// Every value with its length or a mark behind it, so that no two lists of parameters give the same text.
void append_value(std::string& text, const headrace_param_value& value);

void append_params(std::string& text, const headrace_node& node, std::int64_t batch_size) {
  for (std::uint32_t i = 0; i < node.param_count; ++i) {
    const headrace_param_value& value = node.params[i];
    const bool is_size = batch_size > 0 && value.type == HEADRACE_PARAM_INT && value.is_list == 0 &&
                         value.integer == batch_size;
    if (is_size) continue;
    text += fmt::format("{}=", node.param_specs[i]->name);
    append_value(text, value);
  }
}

void append_value(std::string& text, const headrace_param_value& value) {
  if (value.given == 0) {
    text += "-;";
    return;
  }
  if (value.is_list != 0) {
    text += fmt::format("[{}:", value.count);
    for (std::uint32_t i = 0; i < value.count; ++i) append_value(text, value.items[i]);
    text += "];";
    return;
  }
  switch (value.type) {
    case HEADRACE_PARAM_BOOL:
      text += fmt::format("b{};", value.boolean);
      break;
    case HEADRACE_PARAM_INT:
    case HEADRACE_PARAM_BYTES:
      text += fmt::format("i{};", value.integer);
      break;
    case HEADRACE_PARAM_FLOAT:
    case HEADRACE_PARAM_SECONDS:
      text += fmt::format("f{:a};", value.number);
      break;
    case HEADRACE_PARAM_OP:
      text += fmt::format("{}@{}(", value.node->op, value.node->op_version);
      append_params(text, *value.node, 0);
      text += ");";
      break;
    default:
      text += fmt::format("s{}:{};", value.string.size, text_of(value.string));
  }
}

void append_sampling(std::string& text, const SamplingSpec& sampling) {
  text += fmt::format("repeat={};replacement={};", sampling.repeat, sampling.replacement);
  if (sampling.range) text += fmt::format("range={}..{};", sampling.range->first, sampling.range->last);
  if (sampling.fraction) text += fmt::format("fraction={:a};", *sampling.fraction);
  if (sampling.indices_file) text += fmt::format("indices={};", sampling.indices_file->name);
  if (sampling.weights_file) text += fmt::format("weights={};", sampling.weights_file->name);
  if (sampling.num_samples) text += fmt::format("samples={};", *sampling.num_samples);
}

std::string short_hash(const std::string& text) {
  return fmt::format("{:08x}", static_cast<std::uint32_t>(word_of(text)));
}

std::string hash_node(const Plan& plan, const PlanNode& node, std::uint32_t world, bool lists) {
  std::string text = fmt::format("{}@{};", node.c.op, node.c.op_version);
  for (const std::size_t input : node.from) text += fmt::format("<{};", plan.nodes[input].name);
  if (!lists) append_params(text, node.c, node.batch_size);
  text += fmt::format("on_error={};shuffle={};", static_cast<int>(node.on_error.action), node.shuffle);
  if (node.sampling) append_sampling(text, *node.sampling);
  if (node.batch_size > 0) {
    text += fmt::format("global_batch={};last={};", node.batch_size * static_cast<std::int64_t>(world),
                        node.last);
  }
  return short_hash(text);
}

}  // namespace

std::map<std::string, std::string> identify_nodes(const Plan& plan, std::uint32_t world,
                                                  const std::function<bool(const PlanNode&)>& lists) {
  std::map<std::string, std::string> out;
  for (const PlanNode& node : plan.nodes) out[node.name] = hash_node(plan, node, world, lists(node));
  for (const PlanOutput& output : plan.outputs) {
    const PlanNode& node = plan.nodes[output.from];
    std::string text = node.name;
    for (const std::string& name : output.fields) {
      const auto field = std::find_if(node.schema.begin(), node.schema.end(),
                                      [&](const Field& each) { return each.name == name; });
      // The host's own: it comes and goes with the number of ranks.
      if (field == node.schema.end() || !field->is_mask) text += fmt::format(";{}", name);
    }
    out["output " + output.name] = short_hash(text);
  }
  return out;
}

}  // namespace headrace
