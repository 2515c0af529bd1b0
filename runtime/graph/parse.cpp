// SPDX-License-Identifier: Apache-2.0
//
// The walk from a file's text to its spec.

#include "runtime/graph/parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <utility>

#include "runtime/graph/load.h"
#include "runtime/graph/overlay.h"
#include "runtime/graph/ranks.h"
#include "runtime/graph/read_spec.h"
#include "runtime/graph/section.h"
#include "runtime/graph/substitute.h"

namespace headrace {
namespace {

constexpr std::array<std::string_view, 6> kProfileKeys{"name",    "vars",  "plugins",
                                                       "runtime", "nodes", "outputs"};

std::optional<std::string> process_getenv(const std::string& name) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): parse.h says what the caller needs
  const char* value = std::getenv(name.c_str());
  return value ? std::optional<std::string>(value) : std::nullopt;
}

ParseOptions with_defaults(ParseOptions options) {
  if (!options.getenv) options.getenv = &process_getenv;
  if (!options.read_file) options.read_file = &read_graph_file;
  return options;
}

void put(Value& map, std::string_view key, Value value) {
  if (Value* there = map.find(key)) *there = std::move(value);
}

/// Texts with ${...} become broken: what a profile that nobody chose may leave open.
Value without_substitutions(Value value) {
  if (value.is_string() && value.text().find("${") != std::string::npos) return Value::broken(value.where());
  if (value.is_list()) {
    for (Value& item : value.items()) item = without_substitutions(std::move(item));
  } else if (value.is_map()) {
    for (Value::Entry& entry : value.entries()) entry.value = without_substitutions(std::move(entry.value));
  }
  return value;
}

class Parsing {
 public:
  Parsing(const ParseOptions& options, GraphFiles& files, Diagnostics& diagnostics)
      : options_(options), files_(files), diagnostics_(diagnostics) {}

  std::optional<GraphSpec> finish(Value document, const std::string& name) {
    if (!document.is_map()) return std::nullopt;
    default_name_ = std::filesystem::path(name).stem().string();
    const Value profiles = document.take("profiles");
    if (profiles.is_null() || !require_map(profiles, "profiles", diagnostics_)) {
      if (!options_.profile.empty() && !profiles.is_broken()) refuse_profile(document.where(), {});
    } else {
      if (!profiles.find(options_.profile) && !options_.profile.empty()) {
        refuse_profile(profiles.where(), profiles.key_names());
      }
      for (const Value::Entry& profile : profiles.entries()) read_profile(document, profile);
      if (const Value* chosen = profiles.find(options_.profile)) {
        document = overlay(std::move(document), what_counts(*chosen));
      }
    }
    for (const std::string& setting : options_.sets) apply_setting(document, setting, diagnostics_);
    substitute(document);
    GraphSpec spec = read_spec(document, default_name_, diagnostics_);
    spec.ranks = find_ranks(spec.runtime, spec.where, options_.getenv, diagnostics_);
    return spec;
  }

 private:
  void refuse_profile(const Location& where, const std::vector<std::string>& names) {
    diagnostics_.error(where, fmt::format("the graph has no profile '{}'{}", options_.profile,
                                          did_you_mean_or_allowed(options_.profile, names)));
  }

  /// The part of a profile that may be laid over the graph. The rest is reported by read_profile().
  static Value what_counts(const Value& profile) {
    Value out = Value::map({}, profile.where());
    if (!profile.is_map()) return out;
    for (const Value::Entry& entry : profile.entries()) {
      const bool is_known =
          std::find(kProfileKeys.begin(), kProfileKeys.end(), entry.key.text()) != kProfileKeys.end();
      if (is_known && !entry.value.is_null()) out.entries().push_back(entry);
    }
    return out;
  }

  /// Reports what is wrong with one profile, chosen or not.
  void read_profile(const Value& document, const Value::Entry& profile) {
    if (!profile.key.is_string() || !is_name(profile.key.text())) {
      diagnostics_.error(profile.key.where(), fmt::format("'{}' cannot name a profile", profile.key.text()));
    }
    const std::string name = "profiles." + profile.key.text();
    if (profile.value.is_null() || !require_map(profile.value, name, diagnostics_)) return;
    Section section(profile.value, name, diagnostics_);
    for (const std::string_view key : kProfileKeys) section.find(key);
    if (const Value* vars = profile.value.find("vars")) warn_of_new_vars(document, *vars, name);
    section.refuse_other_keys();
    if (profile.key.text() == options_.profile) return;
    // The profiles left out are seen through the same reader, in a collection of their own: what the graph
    // lacks without the profile that was chosen is no fault of the graph.
    Diagnostics faults;
    Value laid = without_substitutions(overlay(document, what_counts(profile.value)));
    read_spec(laid, default_name_, faults);
    std::set<std::string> places;
    collect_places(profile.value, places);
    for (const Diagnostic& fault : faults.sorted()) {
      if (places.contains(to_string(fault.where))) diagnostics_.add(fault);
    }
  }

  static void collect_places(const Value& value, std::set<std::string>& places) {
    places.insert(to_string(value.where()));
    if (value.is_list()) {
      for (const Value& item : value.items()) collect_places(item, places);
    } else if (value.is_map()) {
      for (const Value::Entry& entry : value.entries()) {
        places.insert(to_string(entry.key.where()));
        collect_places(entry.value, places);
      }
    }
  }

  void warn_of_new_vars(const Value& document, const Value& vars, const std::string& profile) {
    const Value* known = document.find("vars");
    if (!vars.is_map() || !known || !known->is_map()) return;
    for (const Value::Entry& entry : vars.entries()) {
      if (known->find(entry.key.text())) continue;
      const std::string hint = did_you_mean(entry.key.text(), known->key_names());
      diagnostics_.warning(entry.key.where(),
                           fmt::format("{} sets the var '{}', which the graph does not have{}", profile,
                                       entry.key.text(), hint));
    }
  }

  void substitute(Value& document) {
    const Value* given = document.find("vars");
    Value vars = given ? *given : Value::map({}, document.where());
    if (vars.is_null()) vars = Value::map({}, vars.where());
    if (!require_map(vars, "vars", diagnostics_)) vars = Value::broken(vars.where());
    const auto directory = [this](const std::string& file) { return files_.directory_of(file); };
    Substitution substitution(vars, {options_.getenv, directory}, diagnostics_);
    // Not the whole at once: a var is resolved with its name known, so that a circle is found.
    Value resolved = vars;
    if (resolved.is_map()) {
      for (Value::Entry& entry : resolved.entries()) entry.value = substitution.var(entry.key.text());
    }
    Value rest = document;
    put(rest, "vars", Value());
    rest = substitution.apply(rest);
    put(rest, "vars", std::move(resolved));
    document = std::move(rest);
  }

  const ParseOptions& options_;
  GraphFiles& files_;
  Diagnostics& diagnostics_;
  std::string default_name_;
};

}  // namespace

std::optional<GraphSpec> parse_file(const std::string& path, const ParseOptions& options,
                                    Diagnostics& diagnostics) {
  const ParseOptions complete = with_defaults(options);
  GraphFiles files(complete.read_file, complete.getenv, diagnostics);
  return Parsing(complete, files, diagnostics).finish(files.load(path), path);
}

std::optional<GraphSpec> parse_text(std::string_view text, const std::string& name,
                                    const ParseOptions& options, Diagnostics& diagnostics) {
  const ParseOptions complete = with_defaults(options);
  GraphFiles files(complete.read_file, complete.getenv, diagnostics);
  return Parsing(complete, files, diagnostics).finish(files.load_text(text, name), name);
}

}  // namespace headrace
