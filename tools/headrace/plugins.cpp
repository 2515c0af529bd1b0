// SPDX-License-Identifier: Apache-2.0
//
// headrace plugins: what was found where, and why one was refused; `plugins check FILE.so` tests one. Main
// thread.
#include <memory>
#include <string>

#include "command.h"
#include "table.h"

namespace headrace::cli {
namespace {

using json = nlohmann::ordered_json;

struct Arguments : LogArguments {
  std::string file;
  bool as_json = false;
};

bool is_sound(const json& plugin) { return plugin.value("ok", false); }

std::string stem(const std::string& path) {
  const std::string file = path.substr(path.rfind('/') + 1);
  return file.ends_with(".so") ? file.substr(0, file.size() - 3) : file;
}

std::string state(const json& plugin) {
  if (!is_sound(plugin)) return "refused";
  return plugin.at("hidden_by").is_null() ? "ok" : "hidden by " + plugin.at("hidden_by").get<std::string>();
}

int list(const Arguments& arguments, Screen& screen) {
  screen.set_log_level(arguments.least);
  const json plugins = ask_json([](const headrace_sink* sink) { headrace_plugins(sink); });
  if (!plugins.is_array()) {
    screen.error("the plugins cannot be listed");
    return kFault;
  }
  if (arguments.as_json) return print(plugins.dump(2) + "\n", screen);
  Table table({"plugin", "version", "ABI", "ops", "state", "path"}, Table::Align::left);
  std::string refusals;
  for (const json& plugin : plugins) {
    const bool sound = is_sound(plugin);
    const std::string path = plugin.at("path").get<std::string>();
    const auto text = [&](const char* key) {
      return sound ? plugin.at(key).get<std::string>() : std::string("-");
    };
    table.add({sound ? text("name") : stem(path), text("version"), text("abi"),
               sound ? std::to_string(plugin.at("ops").size()) : "-", state(plugin), path});
    if (!sound) refusals += path + ": " + plugin.at("reason").get<std::string>() + "\n";
  }
  return print(table.text() + (refusals.empty() ? "" : "\n" + refusals), screen);
}

int check(const Arguments& arguments, Screen& screen) {
  screen.set_log_level(arguments.least);
  headrace_status status = HEADRACE_OK;
  const json plugin = ask_json(
      [&](const headrace_sink* sink) { status = headrace_plugin_check(arguments.file.c_str(), sink); });
  const int exit_code = status == HEADRACE_OK ? kDone : kFault;
  if (!plugin.is_object()) {
    screen.error(arguments.file + ": cannot be checked");
    return kFault;
  }
  if (arguments.as_json) return std::max(print(plugin.dump(2) + "\n", screen), exit_code);
  if (exit_code != kDone) {
    screen.lines(arguments.file + ": error: " + plugin.value("reason", "refused"));
    return kFault;
  }
  Table table({"op", "version", "what it does"}, Table::Align::left);
  for (const json& op : plugin.at("ops")) {
    const std::string doc = op.at("doc").is_string() ? op.at("doc").get<std::string>() : "";
    table.add({op.at("name").get<std::string>(), op.at("version").dump(), doc.substr(0, doc.find('\n'))});
  }
  return print(plugin.at("name").get<std::string>() + " " + plugin.at("version").get<std::string>() +
                   ", ABI " + plugin.at("abi").get<std::string>() + ": sound\n" + table.text(),
               screen);
}

}  // namespace

void add_plugins(CLI::App& app, Chosen& chosen) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("plugins", "List the plugins that were found, or check one");
  arguments->add_to(*command);
  command->add_flag("--json", arguments->as_json, "As JSON");
  command->callback([arguments, command, &chosen] {
    if (command->get_subcommands().empty())
      chosen = [arguments](Screen& screen, Interrupt&) { return list(*arguments, screen); };
  });
  CLI::App* checking = command->add_subcommand(
      "check", "Load one library in a child process and say what it is or what is wrong with it");
  checking->add_option("file", arguments->file, "The library")->required()->type_name("FILE.so");
  checking->add_flag("--json", arguments->as_json, "As JSON");
  checking->callback([arguments, &chosen] {
    chosen = [arguments](Screen& screen, Interrupt&) { return check(*arguments, screen); };
  });
}

}  // namespace headrace::cli
