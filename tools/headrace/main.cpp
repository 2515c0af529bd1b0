// SPDX-License-Identifier: Apache-2.0
//
// The headrace command: reads the command line and runs the subcommand that was chosen. Links the embedding
// API alone, so it can do nothing that another program could not.
#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>

#include "command.h"
#include "standard_streams.h"
#include "usage.h"

namespace headrace::cli {
namespace {

std::string versions() {
  const nlohmann::ordered_json json = nlohmann::ordered_json::parse(headrace_version_json());
  std::string text = "headrace " + json.at("version").get<std::string>() + "\nABI " +
                     std::to_string(json.at("abi").at("major").get<int>()) + "." +
                     std::to_string(json.at("abi").at("minor").get<int>()) + "\n";
  for (const auto& [name, version] : json.at("libraries").items())
    text += name + " " + version.get<std::string>() + "\n";
  text.pop_back();
  return text;
}

int run_command_line(int argc, char** argv, Screen& screen, Interrupt& interrupt) {
  CLI::App app("Training data from files to batches: run, check and look at graphs.", "headrace");
  app.set_version_flag("--version", versions, "Versions of headrace, its ABI and its libraries");
  app.set_help_flag("-h,--help", "This text");
  app.require_subcommand(1);
  Chosen chosen;
  add_run(app, chosen);
  add_lint(app, chosen);
  add_plan(app, chosen);
  add_graph(app, chosen);
  add_peek(app, chosen);
  add_inspect(app, chosen);
  add_plugins(app, chosen);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& ended_by) {
    return conclude_usage(app, ended_by, screen);
  }
  return chosen(screen, interrupt);
}

}  // namespace
}  // namespace headrace::cli

int main(int argc, char** argv) {
  headrace::cli::hold_standard_streams();
  try {
    headrace::cli::Screen screen;
    headrace::cli::Interrupt interrupt(screen);
    return headrace::cli::run_command_line(argc, argv, screen, interrupt);
  } catch (const std::exception& unexpected) {
    std::fprintf(stderr, "error: %s\n", unexpected.what());
    return headrace::cli::kFault;
  }
}
