// SPDX-License-Identifier: Apache-2.0
//
// See command.h.
#include "command.h"

#include <cerrno>
#include <cstdio>
#include <exception>
#include <map>
#include <system_error>

#include "opening.h"
#include "whole_file.h"

namespace headrace::cli {

void LogArguments::add_to(CLI::App& command) {
  static const std::map<std::string, headrace_log_level> levels{{"debug", HEADRACE_LOG_DEBUG},
                                                                {"info", HEADRACE_LOG_INFO},
                                                                {"warning", HEADRACE_LOG_WARNING},
                                                                {"error", HEADRACE_LOG_ERROR}};
  command
      .add_option_function<std::string>(
          "--log-level", [this](const std::string& name) { least = levels.at(name); },
          "Least important message to show: debug, info, warning, error (default: info)")
      ->type_name("LEVEL")
      ->check(CLI::IsMember(std::vector<std::string>{"debug", "info", "warning", "error"}));
  command.add_flag_callback(
      "-v,--verbose", [this] { least = HEADRACE_LOG_DEBUG; }, "The same as --log-level debug");
}

void GraphArguments::add_to(CLI::App& command) {
  command.add_option("graph", path, "The graph file")->required()->type_name("GRAPH");
  add_others_to(command);
}

void GraphArguments::add_optional_to(CLI::App& command) {
  command.add_option("--graph", path, "Take the plugins of this graph file too")->type_name("GRAPH");
  add_others_to(command);
}

void GraphArguments::add_others_to(CLI::App& command) {
  command
      .add_option("--set", sets,
                  "Set a key of the graph, as in --set vars.batch=64; may be given several times")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->take_all();
  command.add_option("--profile", profile, "Lay this profile of the graph over it")->type_name("NAME");
  LogArguments::add_to(command);
}

LoadedGraph load(const GraphArguments& arguments) {
  std::vector<const char*> sets;
  for (const std::string& set : arguments.sets) sets.push_back(set.c_str());
  headrace_graph_options options{};
  options.size = sizeof options;
  options.path = arguments.path.c_str();
  options.profile = arguments.profile.empty() ? nullptr : arguments.profile.c_str();
  options.sets = sets.data();
  options.set_count = static_cast<std::uint32_t>(sets.size());
  headrace_graph* graph = nullptr;
  const headrace_status status = headrace_graph_load(&options, &graph);
  return {Graph(graph), status};
}

Graph load_or_say(const GraphArguments& arguments, Screen& screen) {
  LoadedGraph loaded = load(arguments);
  if (loaded.graph) {
    screen.lines(headrace_graph_error(loaded.graph.get()));
  } else {
    screen.error("out of memory while reading " + arguments.path);
  }
  return loaded.status == HEADRACE_OK ? std::move(loaded.graph) : nullptr;
}

Pipeline open_or_say(const Graph& graph, const OpenArguments& arguments, Screen& screen,
                     Interrupt& interrupt) {
  std::vector<headrace_text> checkpoints;
  for (const std::string& text : arguments.checkpoints) checkpoints.push_back({text.data(), text.size()});
  headrace_pipeline* opened = nullptr;
  headrace_status status = HEADRACE_OK;
  {
    const Opening opening(screen, interrupt);
    headrace_open_options options{};
    options.size = sizeof options;
    options.ownership = arguments.ownership;
    options.epochs = arguments.epochs;
    options.progress = &opening;
    options.checkpoints = checkpoints.data();
    options.checkpoint_count = static_cast<std::uint32_t>(checkpoints.size());
    options.ignore_difference = arguments.ignores_difference ? 1 : 0;
    options.only = arguments.only;
    status = headrace_open(graph.get(), &options, &opened);
  }
  Pipeline pipeline(opened);
  if (status == HEADRACE_OK) return pipeline;
  if (pipeline) {
    say_failure(pipeline, screen);
  } else {
    screen.error("out of memory while opening the graph");
  }
  return nullptr;
}

void say_failure(const Pipeline& pipeline, Screen& screen) {
  screen.lines(headrace_pipeline_error(pipeline.get()));
}

int print(std::string_view text, Screen& screen) {
  errno = 0;
  const bool written =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (written || errno == EPIPE) return kDone;
  screen.error("cannot write to standard output: " +
               (errno == EBADF ? "it is closed" : std::generic_category().message(errno)));
  return kFault;
}

int write_file(const std::string& path, std::string_view text, Screen& screen) {
  if (path == "-") return print(text, screen);
  try {
    WholeFile file(path);
    file.write(text);
    file.commit();
    return kDone;
  } catch (const std::exception& fault) {
    screen.error(fault.what());
    return kFault;
  }
}

}  // namespace headrace::cli
