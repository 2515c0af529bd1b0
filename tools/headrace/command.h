// SPDX-License-Identifier: Apache-2.0
//
// What the subcommands share: the arguments that all of them take, exit codes, the loading and opening of a
// graph. Each subcommand is a file of its own with one function, which adds it to the command line; main()
// then runs the one that was chosen. Main thread.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <functional>
#include <string>
#include <vector>

#include "handles.h"
#include "interrupt.h"
#include "screen.h"

namespace headrace::cli {

inline constexpr int kDone = 0;
inline constexpr int kFault = 1;  ///< the graph, a plugin or the data
inline constexpr int kUsage = 2;

/// --log-level and -v
struct LogArguments {
  headrace_log_level least = HEADRACE_LOG_INFO;
  void add_to(CLI::App& command);
};

/// GRAPH, --set, --profile and the log's.
struct GraphArguments : LogArguments {
  std::string path;
  std::vector<std::string> sets;
  std::string profile;

  /// With GRAPH as a required argument.
  void add_to(CLI::App& command);
  /// With `--graph GRAPH`.
  void add_optional_to(CLI::App& command);

 private:
  void add_others_to(CLI::App& command);
};

/// Reads, checks and plans. The handle holds what is wrong when `status` is not OK.
struct LoadedGraph {
  Graph graph;
  headrace_status status;
};
LoadedGraph load(const GraphArguments& arguments);
/// The same, with errors and warnings put on the screen; null when there was an error.
Graph load_or_say(const GraphArguments& arguments, Screen& screen);

/// How a pipeline is to be opened.
struct OpenArguments {
  headrace_ownership ownership = HEADRACE_OWN;
  std::int64_t epochs = 1;
  std::vector<std::string> checkpoints = {};  ///< texts; none: from the beginning
  bool ignores_difference = false;
  headrace_text only = {};  ///< a ledger that the run is confined to; null data: none
};

/// Opens a pipeline, or says why not and gives null. When it takes long the status line says how far it is; a
/// signal ends it, and then nothing is said.
Pipeline open_or_say(const Graph& graph, const OpenArguments& arguments, Screen& screen,
                     Interrupt& interrupt);
/// What a run failed of, said on the screen; nothing when it was stopped.
void say_failure(const Pipeline& pipeline, Screen& screen);

/// Writes `text` to standard output; an error (a full disk) is said and gives kFault, otherwise kDone. A
/// reader that went away early (`| head`) has what it wanted: that is no error.
int print(std::string_view text, Screen& screen);
/// The same into a file, which is then there whole or not at all, "-" being standard output.
int write_file(const std::string& path, std::string_view text, Screen& screen);

/// The subcommand that was chosen, ready to run; gives the exit code.
using Chosen = std::function<int(Screen& screen, Interrupt& interrupt)>;

void add_run(CLI::App& app, Chosen& chosen);
void add_lint(CLI::App& app, Chosen& chosen);
void add_plan(CLI::App& app, Chosen& chosen);
void add_graph(CLI::App& app, Chosen& chosen);
void add_peek(CLI::App& app, Chosen& chosen);
void add_inspect(CLI::App& app, Chosen& chosen);
void add_plugins(CLI::App& app, Chosen& chosen);

}  // namespace headrace::cli
