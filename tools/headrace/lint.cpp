// SPDX-License-Identifier: Apache-2.0
//
// headrace lint: every error and warning of a graph at once; with --data also what opening its data finds.
// Main thread.
#include <memory>

#include "command.h"
#include "opening.h"

namespace headrace::cli {
namespace {

struct Arguments : GraphArguments {
  bool data = false;
  bool json = false;
};

int lint(const Arguments& arguments, Screen& screen, Interrupt& interrupt) {
  screen.set_log_level(arguments.least);
  LoadedGraph loaded = load(arguments);
  if (!loaded.graph) {
    screen.error("out of memory while reading " + arguments.path);
    return kFault;
  }
  headrace_graph* graph = loaded.graph.get();
  if (loaded.status == HEADRACE_OK && arguments.data) {
    const Opening opening(screen, interrupt);
    loaded.status = headrace_graph_check_data(graph, &opening);
  }
  if (interrupt.exit_code() != 0) return interrupt.exit_code();
  const int exit_code = loaded.status == HEADRACE_OK ? kDone : kFault;
  if (arguments.json) {
    const int written = print(std::string(headrace_graph_diagnostics(graph)) + "\n", screen);
    return exit_code == kDone ? written : exit_code;
  }
  screen.lines(headrace_graph_error(graph));
  return exit_code == kDone ? print(arguments.path + ": ok\n", screen) : exit_code;
}

}  // namespace

void add_lint(CLI::App& app, Chosen& chosen) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("lint", "Say everything that is wrong with a graph");
  arguments->add_to(*command);
  command->add_flag("--data", arguments->data, "Look at the data too: open every node, run nothing");
  command->add_flag("--json", arguments->json,
                    "A JSON list on standard output: file, line, column, severity, text");
  command->callback([arguments, &chosen] {
    chosen = [arguments](Screen& screen, Interrupt& interrupt) {
      return lint(*arguments, screen, interrupt);
    };
  });
}

}  // namespace headrace::cli
