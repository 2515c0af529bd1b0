// SPDX-License-Identifier: Apache-2.0
//
// Resolving names. A name that is probably a typo counts as a use of what it was meant to be, so that one
// mistake is not reported twice.

#include "runtime/graph/links.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace headrace {
namespace {

class Linking {
 public:
  Linking(const GraphSpec& spec, const Registry& registry, Diagnostics& diagnostics)
      : spec_(spec), registry_(registry), diagnostics_(diagnostics) {
    for (std::size_t i = 0; i < spec.nodes.size(); ++i) {
      numbers_[spec.nodes[i].name] = i;
      names_.push_back(spec.nodes[i].name);
    }
    out_.nodes.resize(spec.nodes.size());
    is_read_.resize(spec.nodes.size());
  }

  Links link() {
    for (std::size_t i = 0; i < spec_.nodes.size(); ++i) {
      find_op(spec_.nodes[i], out_.nodes[i]);
      find_inputs(spec_.nodes[i], out_.nodes[i]);
    }
    for (const OutputSpec& output : spec_.outputs) out_.outputs.push_back(find_node(output.from));
    sort();
    report_circles();
    report_unread();
    return std::move(out_);
  }

 private:
  void find_op(const NodeSpec& node, NodeLink& link) {
    const std::string& name = node.op.name;
    link.op = name.empty() ? nullptr : registry_.find(name);
    link.is_sound = link.op != nullptr;
    if (link.op || name.empty()) return;
    diagnostics_.error(node.op.where, missing_op(name));
  }

  std::string missing_op(const std::string& name) const {
    if (const RefusedPlugin* refused = registry_.refused(name)) {
      return fmt::format("there is no op '{}': the plugin {} was refused: {}", name, refused->path,
                         refused->reason);
    }
    const std::vector<std::string> ops = registry_.op_names();
    const std::string hint = did_you_mean(name, ops);
    if (!hint.empty()) return fmt::format("there is no op '{}'{}", name, hint);
    const std::size_t dot = name.find('.');
    if (dot == std::string::npos) return fmt::format("there is no op '{}'{}", name, by_last_part(name, ops));
    const std::string plugin = name.substr(0, dot);
    if (is_listed(plugin)) {
      return fmt::format("there is no op '{}', since the plugin '{}' could not be loaded", name, plugin);
    }
    if (!registry_.find_plugin(plugin)) {
      return fmt::format("there is no op '{}', since no plugin '{}' is loaded (list it under plugins)", name,
                         plugin);
    }
    std::vector<std::string> of_plugin;
    for (const std::string& op : ops) {
      if (op.compare(0, dot + 1, plugin + ".") == 0) of_plugin.push_back(op);
    }
    return fmt::format("there is no op '{}'{}", name, did_you_mean_or_allowed(name, of_plugin));
  }

  /// Whether the graph lists a plugin of that name which is not there all the same.
  bool is_listed(const std::string& plugin) const {
    return registry_.find_plugin(plugin) == nullptr &&
           std::any_of(spec_.plugins.begin(), spec_.plugins.end(), [&](const LocatedName& listed) {
             return std::filesystem::path(listed.name).stem() == plugin;
           });
  }

  /// " (did you mean 'image.decode'?)" for "decode".
  static std::string by_last_part(const std::string& name, const std::vector<std::string>& ops) {
    for (const std::string& op : ops) {
      if (op.substr(op.find('.') + 1) == name) return fmt::format(" (did you mean '{}'?)", op);
    }
    return " (an op is named plugin.op, such as image.decode)";
  }

  void find_inputs(const NodeSpec& node, NodeLink& link) {
    if (node.from_is_broken) {
      link.is_sound = false;
      has_unknown_reads_ = true;
      return;
    }
    for (const LocatedName& name : node.from) {
      if (const auto found = find_node(name)) {
        link.from.push_back(*found);
      } else {
        link.is_sound = false;
      }
    }
    if (link.op) check_input_count(node, link);
  }

  void check_input_count(const NodeSpec& node, NodeLink& link) {
    const headrace_op& op = link.op->table;
    const std::size_t count = node.from.size();
    if (op.rate == HEADRACE_SOURCE) {
      if (count == 0) return;
      diagnostics_.error(node.from_where,
                         fmt::format("{} is a source and reads no node (remove from)", op.name));
    } else if (count < op.min_inputs || (op.max_inputs != 0 && count > op.max_inputs)) {
      const bool is_range = op.max_inputs != op.min_inputs;
      const bool is_plural = op.min_inputs != 1 || is_range;
      diagnostics_.error(
          node.from_where,
          fmt::format("{} reads {}{} node{}, not {}{}", op.name, is_range ? "at least " : "", op.min_inputs,
                      is_plural ? "s" : "", count, count == 0 ? " (write from)" : ""));
    } else {
      return;
    }
    link.is_sound = false;
  }

  std::optional<std::size_t> find_node(const LocatedName& name) {
    if (name.name.empty()) {
      has_unknown_reads_ = true;
      return std::nullopt;
    }
    if (const auto found = numbers_.find(name.name); found != numbers_.end()) {
      is_read_[found->second] = true;
      return found->second;
    }
    diagnostics_.error(name.where, fmt::format("there is no node '{}'{}", name.name,
                                               did_you_mean_or_allowed(name.name, names_)));
    if (const auto meant = nearest_name(name.name, names_)) is_read_[numbers_[*meant]] = true;
    return std::nullopt;
  }

  void sort() {
    const std::size_t count = out_.nodes.size();
    std::vector<std::size_t> missing(count);
    std::vector<std::vector<std::size_t>> readers(count);
    std::set<std::pair<bool, std::size_t>> ready;  // sources before others, then as in the file
    const auto is_source = [this](std::size_t node) {
      const RegisteredOp* op = out_.nodes[node].op;
      return op != nullptr && op->table.rate == HEADRACE_SOURCE;
    };
    for (std::size_t node = 0; node < count; ++node) {
      missing[node] = out_.nodes[node].from.size();
      for (const std::size_t input : out_.nodes[node].from) readers[input].push_back(node);
      if (missing[node] == 0) ready.emplace(!is_source(node), node);
    }
    is_sorted_.resize(count);
    while (!ready.empty()) {
      const std::size_t node = ready.begin()->second;
      ready.erase(ready.begin());
      out_.order.push_back(node);
      is_sorted_[node] = true;
      for (const std::size_t reader : readers[node]) {
        if (--missing[reader] == 0) ready.emplace(true, reader);
      }
    }
  }

  void report_circles() {
    constexpr std::size_t kNew = 0;
    std::vector<std::size_t> walk_of(out_.nodes.size(), kNew);
    for (const std::size_t node : out_.order) walk_of[node] = out_.nodes.size() + 1;
    for (std::size_t start = 0; start < out_.nodes.size(); ++start) {
      // Upstream, always by an input that is not sorted: it ends in a circle, or in what an earlier walk has
      // seen.
      std::vector<std::size_t> path;
      std::size_t at = start;
      while (walk_of[at] == kNew) {
        walk_of[at] = start + 1;
        out_.nodes[at].is_sound = false;
        path.push_back(at);
        at = unsorted_input(at);
      }
      if (walk_of[at] == start + 1 && !path.empty()) report_circle(path, at);
    }
  }

  std::size_t unsorted_input(std::size_t node) const {
    for (const std::size_t input : out_.nodes[node].from) {
      if (!is_sorted_[input]) return input;
    }
    return node;
  }

  void report_circle(const std::vector<std::size_t>& path, std::size_t entered_at) {
    std::vector<std::size_t> circle(std::find(path.begin(), path.end(), entered_at), path.end());
    std::rotate(circle.begin(), std::min_element(circle.begin(), circle.end()), circle.end());
    std::reverse(circle.begin() + 1, circle.end());  // the walk went upstream; people read downstream
    std::string text = spec_.nodes[circle.front()].name;
    for (std::size_t i = 1; i < circle.size(); ++i) text += " -> " + spec_.nodes[circle[i]].name;
    text += " -> " + spec_.nodes[circle.front()].name;
    diagnostics_.error(spec_.nodes[circle.front()].from_where,
                       fmt::format("nodes read each other in a circle: {}", text));
  }

  void report_unread() {
    if (has_unknown_reads_ || spec_.outputs.empty()) return;
    for (std::size_t i = 0; i < spec_.nodes.size(); ++i) {
      if (is_read_[i]) continue;
      diagnostics_.error(
          spec_.nodes[i].where,
          fmt::format("nobody reads node '{}' (have a node or an output read it, or remove it)",
                      spec_.nodes[i].name));
    }
  }

  const GraphSpec& spec_;
  const Registry& registry_;
  Diagnostics& diagnostics_;
  std::map<std::string, std::size_t> numbers_;
  std::vector<std::string> names_;
  std::vector<bool> is_read_;
  std::vector<bool> is_sorted_;
  bool has_unknown_reads_ = false;
  Links out_;
};

}  // namespace

Links link_nodes(const GraphSpec& spec, const Registry& registry, Diagnostics& diagnostics) {
  return Linking(spec, registry, diagnostics).link();
}

}  // namespace headrace
