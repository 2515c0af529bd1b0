// SPDX-License-Identifier: Apache-2.0
//
// The ops this process knows, by name. Filled while plugins are loaded or a table is handed in from the
// program's own memory, then read by check, fuse and the flow. A Registry is filled by one thread; once
// filled it is read by any number. It may be moved: what find() gave stays where it is.

#pragma once

#include <headrace/plugin.h>

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/status.h"

namespace headrace {

struct RegisteredOp;

/// A plugin that was accepted.
struct LoadedPlugin {
  std::string name;
  std::string version;
  std::string doc;
  std::string path;  ///< of its library, or what add() was told for a table in memory
  std::uint32_t abi_major = 0;
  std::uint32_t abi_min_minor = 0;
  std::vector<const RegisteredOp*> ops;  ///< in the order of its table

  /// The op of that full name, or null.
  const RegisteredOp* find(std::string_view op) const;
};

/// An op as the runtime calls it: a copy of the plugin's table, filled up with zeros where the plugin was
/// built with headers that ended earlier, so that every member may be looked at.
struct RegisteredOp {
  headrace_op table{};
  std::vector<headrace_param_spec> params;              ///< likewise; table.params points here
  std::vector<const headrace_param_spec*> param_specs;  ///< at each of params, as headrace_node wants them
  const LoadedPlugin* plugin = nullptr;
};

/// A library that was found and refused.
struct RefusedPlugin {
  std::string name;  ///< by its file name
  std::string path;
  std::string reason;
};

class Registry {
 public:
  Registry() = default;
  Registry(Registry&&) = default;
  Registry& operator=(Registry&&) = default;
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  /// Takes the ops of a plugin table. Refuses, with the whole reason: another ABI major, a minor this host
  /// lacks, a table that breaks the rules (missing function for its rate, name without the plugin's prefix,
  /// an op name twice, a default that cannot be read ...). The text is the end of a sentence that begins with
  /// the library's path. On refusal nothing was added. `plugin` and what it points at must outlive the
  /// registry.
  Status add(const headrace_plugin* plugin, std::string path);

  /// The op "image.decode", or null.
  const RegisteredOp* find(std::string_view op) const;
  /// The plugin of that name, or null.
  const LoadedPlugin* find_plugin(std::string_view name) const;
  /// Remembers a library that was found and refused, so that whoever misses its ops can say why they are
  /// missing.
  void refuse(RefusedPlugin plugin);
  /// The refused library that should have held the op "image.decode", or null.
  const RefusedPlugin* refused(std::string_view op) const;
  /// Every op name, sorted; for "did you mean" and inspect.
  std::vector<std::string> op_names() const;
  /// In the order in which they were added.
  const std::deque<LoadedPlugin>& plugins() const { return plugins_; }

 private:
  std::deque<LoadedPlugin> plugins_;
  std::vector<RefusedPlugin> refused_;
  std::deque<RegisteredOp> storage_;
  std::map<std::string, const RegisteredOp*, std::less<>> ops_;
};

}  // namespace headrace
