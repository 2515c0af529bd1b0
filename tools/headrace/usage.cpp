// SPDX-License-Identifier: Apache-2.0
//
// See usage.h.
#include "usage.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "command.h"
#include "nearest.h"

namespace headrace::cli {
namespace {

/// The command and its subcommands as far as they were recognised, outermost first.
std::vector<const CLI::App*> recognised(const CLI::App& app) {
  std::vector<const CLI::App*> chain{&app};
  while (!chain.back()->get_subcommands().empty()) chain.push_back(chain.back()->get_subcommands().front());
  return chain;
}

std::string name_of(const std::vector<const CLI::App*>& chain) {
  std::string name;
  for (const CLI::App* app : chain) name += (name.empty() ? "" : " ") + app->get_name();
  return name;
}

std::vector<std::string> subcommands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(sub->get_name());
  return names;
}

std::vector<std::string> options_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

bool is_option(const std::string& word) { return word.size() > 1 && word.starts_with('-') && word != "--"; }

/// About the first word that nobody took, options before others, since what follows an unknown option is
/// often its value.
std::optional<std::string> unknown_word(const std::vector<const CLI::App*>& chain) {
  for (const CLI::App* app : chain) {
    for (const std::string& word : app->remaining()) {
      if (!is_option(word)) continue;
      const std::string name = word.substr(0, word.find('='));
      return fmt::format("unknown option '{}'{}", name, did_you_mean(name, options_of(*app)));
    }
  }
  for (const CLI::App* app : chain) {
    for (const std::string& word : app->remaining()) {
      if (word == "--") continue;
      const std::vector<std::string> subcommands = subcommands_of(*app);
      if (subcommands.empty()) return fmt::format("unexpected word '{}'", word);
      const std::string hint = did_you_mean(word, subcommands);
      return fmt::format("there is no subcommand '{}'{}", word,
                         hint.empty() ? fmt::format(" (there are {})", fmt::join(subcommands, ", ")) : hint);
    }
  }
  return std::nullopt;
}

std::string wrong_with(const std::vector<const CLI::App*>& chain, const CLI::ParseError& error) {
  const bool is_missing = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  if (is_missing || dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    if (std::optional<std::string> unknown = unknown_word(chain)) return *unknown;
  }
  const std::vector<std::string> subcommands = subcommands_of(*chain.back());
  if (is_missing && !subcommands.empty())
    return fmt::format("a subcommand is missing (there are {})", fmt::join(subcommands, ", "));
  std::string text = error.what();
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr && text.ends_with(" missing"))
    return text.substr(0, text.find(':')) + " needs a value";
  return text;
}

}  // namespace

int conclude_usage(const CLI::App& app, const CLI::ParseError& ended_by, Screen& screen) {
  if (dynamic_cast<const CLI::CallForHelp*>(&ended_by) != nullptr) return print(app.help(), screen);
  if (dynamic_cast<const CLI::CallForVersion*>(&ended_by) != nullptr)
    return print(std::string(ended_by.what()) + "\n", screen);
  const std::vector<const CLI::App*> chain = recognised(app);
  const std::string name = name_of(chain);
  screen.error(fmt::format("{}: {}; '{} --help' says more", name, wrong_with(chain, ended_by), name));
  return kUsage;
}

}  // namespace headrace::cli
