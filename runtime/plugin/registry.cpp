// SPDX-License-Identifier: Apache-2.0
//
// A table is copied and judged as a whole before anything of it is kept. Called by the thread that loads
// plugins.

#include "runtime/plugin/registry.h"

#include <algorithm>
#include <cstddef>

#include "runtime/plugin/table_rules.h"
#include "runtime/version.h"

namespace headrace {
namespace {

constexpr std::size_t kPrefixBytes =
    offsetof(headrace_plugin, abi_min_minor) + sizeof(headrace_plugin::abi_min_minor);

std::string this_host() {
  return "headrace " + std::string(kVersion) + " speaks plugin ABI " + std::to_string(HEADRACE_ABI_MAJOR) +
         "." + std::to_string(HEADRACE_ABI_MINOR);
}

Status check_version(const headrace_plugin& plugin) {
  if (plugin.size < kPrefixBytes) {
    return {Code::invalid_argument, "its plugin table says that it is " + std::to_string(plugin.size) +
                                        " bytes long, which no version's is"};
  }
  if (plugin.abi_major != HEADRACE_ABI_MAJOR) {
    const char* remedy = plugin.abi_major < HEADRACE_ABI_MAJOR
                             ? "rebuild the plugin with this version's headers"
                             : "use the headrace that it was built for, or rebuild it";
    return {Code::abi_mismatch, "it is built for plugin ABI " + std::to_string(plugin.abi_major) + ", but " +
                                    this_host() + " (" + remedy + ")"};
  }
  if (plugin.abi_min_minor > HEADRACE_ABI_MINOR) {
    return {Code::abi_mismatch, "it needs plugin ABI " + std::to_string(plugin.abi_major) + "." +
                                    std::to_string(plugin.abi_min_minor) + " or a later minor, but " +
                                    this_host() + " (use a newer headrace)"};
  }
  if (!HEADRACE_HAS(&plugin, ops)) {
    return {Code::invalid_argument, "its plugin table says that it is " + std::to_string(plugin.size) +
                                        " bytes long, which no version's is"};
  }
  return {};
}

void check_plugin(const headrace_plugin& plugin, std::vector<std::string>& broken) {
  if (plugin.name == nullptr || !is_plain_name(plugin.name)) {
    broken.emplace_back("the plugin has no name of lower-case letters, digits and underscores");
  }
  if (plugin.version == nullptr || *plugin.version == '\0') broken.emplace_back("the plugin has no version");
  if (plugin.doc == nullptr || *plugin.doc == '\0') broken.emplace_back("the plugin has no doc");
  if (plugin.op_count == 0 || plugin.ops == nullptr) broken.emplace_back("the plugin has no op");
}

std::vector<OpCopy> copy_ops(const headrace_plugin& plugin, std::vector<std::string>& broken) {
  std::vector<OpCopy> ops;
  for (std::uint32_t i = 0; plugin.ops != nullptr && i < plugin.op_count; ++i) {
    if (plugin.ops[i] == nullptr) {
      broken.push_back("op number " + std::to_string(i) + " is not there");
      continue;
    }
    Result<OpCopy> op = copy_op(*plugin.ops[i]);
    if (!op.ok()) {
      broken.push_back(op.status().message());
      continue;
    }
    const auto same = [&](const OpCopy& other) {
      return std::string_view(other.table.name) == op->table.name;
    };
    if (std::any_of(ops.begin(), ops.end(), same)) {
      broken.push_back("it has two ops '" + std::string(op->table.name) + "'");
    }
    check_op(*op, plugin.name == nullptr ? "" : plugin.name, broken);
    ops.push_back(std::move(*op));
  }
  return ops;
}

/// The ops that a parameter of kind OP may name must be this plugin's.
void check_parts(const std::vector<OpCopy>& ops, std::vector<std::string>& broken) {
  const auto is_op = [&](std::string_view name) {
    return std::any_of(ops.begin(), ops.end(), [&](const OpCopy& op) { return name == op.table.name; });
  };
  for (const OpCopy& op : ops) {
    for (const headrace_param_spec& spec : op.params) {
      for (std::uint32_t i = 0; spec.type == HEADRACE_PARAM_OP && i < spec.choice_count; ++i) {
        if (spec.choices == nullptr || spec.choices[i] == nullptr || is_op(spec.choices[i])) continue;
        broken.push_back("parameter '" + std::string(spec.name) + "' of '" + op.table.name +
                         "' takes the op '" + spec.choices[i] + "', which the plugin has not");
      }
    }
  }
}

std::string joined(const std::vector<std::string>& sentences) {
  std::string all;
  for (const std::string& sentence : sentences) all += (all.empty() ? "" : "; ") + sentence;
  return all;
}

}  // namespace

const RegisteredOp* LoadedPlugin::find(std::string_view op) const {
  const auto same = [&](const RegisteredOp* other) { return op == other->table.name; };
  const auto found = std::find_if(ops.begin(), ops.end(), same);
  return found == ops.end() ? nullptr : *found;
}

Status Registry::add(const headrace_plugin* plugin, std::string path) {
  if (plugin == nullptr) return {Code::invalid_argument, "it handed out no plugin table"};
  if (Status status = check_version(*plugin); !status.ok()) return status;
  std::vector<std::string> broken;
  check_plugin(*plugin, broken);
  std::vector<OpCopy> ops = copy_ops(*plugin, broken);
  check_parts(ops, broken);
  if (!broken.empty())
    return {Code::invalid_argument, "it breaks the rules of the plugin ABI: " + joined(broken)};
  if (const LoadedPlugin* other = find_plugin(plugin->name)) {
    return {Code::invalid_argument, "a plugin named '" + other->name + "' is there already, from " +
                                        other->path + " (rename one, or take one away)"};
  }

  plugins_.push_back({plugin->name,
                      plugin->version,
                      plugin->doc,
                      std::move(path),
                      plugin->abi_major,
                      plugin->abi_min_minor,
                      {}});
  for (OpCopy& op : ops) {
    RegisteredOp& stored = storage_.emplace_back();
    stored.table = op.table;
    stored.params = std::move(op.params);
    stored.table.params = stored.params.empty() ? nullptr : stored.params.data();
    for (const headrace_param_spec& spec : stored.params) stored.param_specs.push_back(&spec);
    stored.plugin = &plugins_.back();
    ops_.emplace(stored.table.name, &stored);
    plugins_.back().ops.push_back(&stored);
  }
  return {};
}

const RegisteredOp* Registry::find(std::string_view op) const {
  const auto found = ops_.find(op);
  return found == ops_.end() ? nullptr : found->second;
}

const LoadedPlugin* Registry::find_plugin(std::string_view name) const {
  const auto same = [&](const LoadedPlugin& plugin) { return plugin.name == name; };
  const auto found = std::find_if(plugins_.begin(), plugins_.end(), same);
  return found == plugins_.end() ? nullptr : &*found;
}

void Registry::refuse(RefusedPlugin plugin) { refused_.push_back(std::move(plugin)); }

const RefusedPlugin* Registry::refused(std::string_view op) const {
  const std::string_view name = op.substr(0, op.find('.'));
  const auto same = [&](const RefusedPlugin& plugin) { return plugin.name == name; };
  const auto found = std::find_if(refused_.begin(), refused_.end(), same);
  return found == refused_.end() ? nullptr : &*found;
}

std::vector<std::string> Registry::op_names() const {
  std::vector<std::string> names;
  for (const auto& [name, op] : ops_) names.push_back(name);
  return names;
}

}  // namespace headrace
