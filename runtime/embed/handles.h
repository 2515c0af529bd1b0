// SPDX-License-Identifier: Apache-2.0
//
// What is behind the C API's handles. Each knows the process that made it, since after fork() the child has
// the memory but none of the threads. Threads: as headrace.h says for each handle.
#pragma once

#include <headrace/headrace.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "runtime/flow/pipeline.h"
#include "runtime/graph/diagnostics.h"
#include "runtime/graph/plan.h"
#include "runtime/plugin/registry.h"

namespace headrace {

/// A plan and the ops it points at. Shared by a graph and what was opened from it: each may outlive the
/// others.
struct LoadedGraph {
  Registry registry;
  std::optional<Plan> plan;  ///< none: the graph has errors
};

/// The place of the node that a message begins with ("node 'crop': ..."), else the graph file.
Location place_of(const Plan& plan, std::string_view message);

}  // namespace headrace

struct headrace_graph {
  pid_t owner = getpid();
  std::string path;
  std::shared_ptr<headrace::LoadedGraph> loaded = std::make_shared<headrace::LoadedGraph>();
  headrace::Diagnostics diagnostics;
  std::string error_text;  ///< the diagnostics, one a line
  std::string diagnostics_json;
  std::string plan_text;
  std::string plan_json;

  bool is_usable() const { return loaded->plan.has_value(); }
};

struct headrace_pipeline {
  pid_t owner = getpid();
  std::shared_ptr<const headrace::Plan> plan;
  std::unique_ptr<headrace::Pipeline> pipeline;  ///< null: opening failed; once `is_open` it stays
  std::atomic<bool> is_open{false};
  std::atomic<bool> is_stopped{false};
  mutable std::mutex error_mutex;
  mutable std::string error_text;  ///< set once
};

struct headrace_batch {
  pid_t owner = getpid();
  std::shared_ptr<const headrace::Plan> plan;  ///< holds the names of the fields
  std::size_t output = 0;
  std::unique_ptr<headrace::Delivered> delivered;
};
