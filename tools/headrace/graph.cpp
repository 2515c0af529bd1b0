// SPDX-License-Identifier: Apache-2.0
//
// headrace graph: a picture of what will run. Main thread.
#include <memory>
#include <string>

#include "command.h"
#include "dot.h"
#include "plan_view.h"

namespace headrace::cli {
namespace {

struct Arguments : GraphArguments {
  std::string format;
  std::string file = "-";
};

std::string format_of(const Arguments& arguments) {
  if (!arguments.format.empty()) return arguments.format;
  return arguments.file.ends_with(".svg") ? "svg" : "dot";
}

int graph(const Arguments& arguments, Screen& screen) {
  screen.set_log_level(arguments.least);
  const Graph graph = load_or_say(arguments, screen);
  if (!graph) return kFault;
  try {
    const PlanView plan = read_plan(nlohmann::json::parse(headrace_graph_plan_json(graph.get())));
    const std::string dot = to_dot(plan);
    return write_file(arguments.file, format_of(arguments) == "svg" ? to_svg(dot) : dot, screen);
  } catch (const std::exception& fault) {
    screen.error(fault.what());
    return kFault;
  }
}

}  // namespace

void add_graph(CLI::App& app, Chosen& chosen) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      app.add_subcommand("graph", "Draw the graph: nodes, fusion, segments with their tokens, fields");
  arguments->add_to(*command);
  command
      ->add_option("-f,--format", arguments->format,
                   "dot (text) or svg (drawn by Graphviz); by default as the file is called, else dot")
      ->check(CLI::IsMember(std::vector<std::string>{"dot", "svg"}))
      ->type_name("FORMAT");
  command->add_option("-o", arguments->file, "Where to write (default: standard output)")->type_name("FILE");
  command->callback([arguments, &chosen] {
    chosen = [arguments](Screen& screen, Interrupt&) { return graph(*arguments, screen); };
  });
}

}  // namespace headrace::cli
