// SPDX-License-Identifier: Apache-2.0
//
// headrace plan: what will run, for people or as JSON. Main thread.
#include <memory>

#include "command.h"

namespace headrace::cli {
namespace {

struct Arguments : GraphArguments {
  bool json = false;
};

int plan(const Arguments& arguments, Screen& screen) {
  screen.set_log_level(arguments.least);
  const Graph graph = load_or_say(arguments, screen);
  if (!graph) return kFault;
  std::string text =
      arguments.json ? headrace_graph_plan_json(graph.get()) : headrace_graph_plan(graph.get());
  if (!text.ends_with('\n')) text += '\n';
  return print(text, screen);
}

}  // namespace

void add_plan(CLI::App& app, Chosen& chosen) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("plan", "Show what will run: fields, fusion, tokens, memory");
  arguments->add_to(*command);
  command->add_flag("--json", arguments->json, "As JSON");
  command->callback([arguments, &chosen] {
    chosen = [arguments](Screen& screen, Interrupt&) { return plan(*arguments, screen); };
  });
}

}  // namespace headrace::cli
