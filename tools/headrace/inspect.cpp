// SPDX-License-Identifier: Apache-2.0
//
// headrace inspect: ops as their plugins declare them, all in a list or one in full. Main thread.
#include <memory>
#include <string>
#include <vector>

#include "command.h"
#include "table.h"

namespace headrace::cli {
namespace {

using json = nlohmann::ordered_json;

struct Arguments : GraphArguments {
  std::string op;
  bool as_json = false;
};

std::string joined(const json& texts, const std::string& between) {
  std::string all;
  for (const json& text : texts) all += (all.empty() ? "" : between) + text.get<std::string>();
  return all;
}

std::string number(const json& value) {
  std::string text = value.dump();
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

bool takes_ops(const json& param) { return param.at("type") == "op"; }

/// "list of float, 0 to 1"
std::string type_text(const json& param) {
  std::string text = param.at("type").get<std::string>();
  if (param.at("one_or_list").get<bool>()) {
    text += ", or a list of it";
  } else if (param.at("list").get<bool>()) {
    text = "list of " + text;
  }
  if (param.at("nullable").get<bool>()) text += " or null";
  if (param.at("choices").is_array() && !takes_ops(param)) return joined(param.at("choices"), " | ");
  const json& least = param.at("minimum");
  const json& most = param.at("maximum");
  const std::string from = param.at("above").get<bool>() ? ", above " : ", from ";
  if (!least.is_null()) text += from + number(least);
  if (!most.is_null()) text += (least.is_null() ? ", at most " : " to ") + number(most);
  if (!param.at("unit").is_null()) text += " " + param.at("unit").get<std::string>();
  return text;
}

std::string default_text(const json& param) {
  if (param.at("required").get<bool>()) return "required";
  return param.at("default").is_null() ? "" : param.at("default").get<std::string>();
}

std::string text_of(const json& value) { return value.is_null() ? std::string() : value.get<std::string>(); }

std::string one(const json& op) {
  std::string text = op.at("name").get<std::string>() + "  " + text_of(op.at("doc")) + "\n\n";
  text += "plugin   " + op.at("plugin").get<std::string>() + " " +
          op.at("plugin_version").get<std::string>() + ", version " +
          std::to_string(op.at("version").get<int>()) + " of the op\n";
  text += "rate     " + op.at("rate").get<std::string>() + "\n";
  text += "runs     " + op.at("runs").get<std::string>() +
          (op.at("ordered").get<bool>()  ? ", one call at a time in the stream's order"
           : op.at("serial").get<bool>() ? ", one call at a time"
                                         : "") +
          "\n";
  const json& most = op.at("inputs").at("max");
  const std::string least = std::to_string(op.at("inputs").at("min").get<int>());
  text += "inputs   " +
          (most.is_null()                      ? least + " or more"
           : most == op.at("inputs").at("min") ? least
                                               : least + " to " + most.dump()) +
          "\n";
  if (op.at("absorbs").get<bool>()) text += "fusion   may take over the nodes that follow it\n";
  for (const char* side : {"reads", "writes"}) {
    if (!op.contains(side) || op.at(side).empty()) continue;
    text += std::string(side) + std::string(9 - std::string(side).size(), ' ') +
            joined(op.at(side), "\n         ") + "\n";
  }
  if (op.at("params").empty()) return text;
  Table table({"parameter", "type", "default", "meaning"}, Table::Align::left);
  for (const json& param : op.at("params")) {
    table.add({param.at("name").get<std::string>(), type_text(param), default_text(param),
               text_of(param.at("doc"))});
  }
  text += "\n" + table.text();
  for (const json& param : op.at("params")) {
    if (!takes_ops(param)) continue;
    text += "\nops for " + param.at("name").get<std::string>() + "\n  " +
            joined(param.at("choices"), "\n  ") + "\n";
  }
  return text;
}

std::string all(const json& ops) {
  Table table({"op", "rate", "plugin", "what it does"}, Table::Align::left);
  for (const json& op : ops) {
    const std::string doc = text_of(op.at("doc"));
    table.add({op.at("name").get<std::string>(), op.at("rate").get<std::string>(),
               op.at("plugin").get<std::string>() + " " + op.at("plugin_version").get<std::string>(),
               doc.substr(0, doc.find('\n'))});
  }
  return table.text();
}

int inspect(const Arguments& arguments, Screen& screen) {
  screen.set_log_level(arguments.least);
  Graph graph;
  if (!arguments.path.empty()) {
    graph = load_or_say(arguments, screen);
    if (!graph) return kFault;
  }
  headrace_status status = HEADRACE_OK;
  const json found = ask_json([&](const headrace_sink* sink) {
    status = headrace_inspect(graph.get(), arguments.op.empty() ? nullptr : arguments.op.c_str(), sink);
  });
  if (status != HEADRACE_OK) {
    screen.error(found.is_object() ? found.value("error", "the ops cannot be listed")
                                   : "the ops cannot be listed");
    return kFault;
  }
  if (arguments.as_json) return print(found.dump(2) + "\n", screen);
  return print(arguments.op.empty() ? all(found.at("ops")) : one(found), screen);
}

}  // namespace

void add_inspect(CLI::App& app, Chosen& chosen) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      app.add_subcommand("inspect", "List the ops, or show one: parameters, fields, how it runs");
  command->add_option("op", arguments->op, "The op, as in image.decode; all of them when it is left out")
      ->type_name("OP");
  arguments->add_optional_to(*command);
  command->add_flag("--json", arguments->as_json, "As JSON");
  command->callback([arguments, &chosen] {
    chosen = [arguments](Screen& screen, Interrupt&) { return inspect(*arguments, screen); };
  });
}

}  // namespace headrace::cli
