// SPDX-License-Identifier: Apache-2.0

#include "zip.h"

#include <map>
#include <string_view>
#include <vector>

namespace headrace::flow {
namespace {

struct Source {
  std::uint32_t input;
  const headrace_field_spec* field;
};

/// A field with the inputs that have it.
struct Group {
  std::string name;
  std::vector<Source> sources;
};

std::vector<Group> by_name(const Declaration& d) {
  std::vector<Group> groups;
  std::map<std::string_view, std::size_t> known;
  for (std::uint32_t input = 0; input < d.input_count(); ++input) {
    for (std::uint32_t i = 0; i < d.input(input).count; ++i) {
      const headrace_field_spec* field = d.input(input).fields[i];
      const auto [at, is_new] = known.emplace(field->name, groups.size());
      if (is_new) groups.push_back({field->name, {}});
      groups[at->second].sources.push_back({input, field});
    }
  }
  return groups;
}

/// Written by one node and not changed since: in records of one sample it is the same value.
bool are_same(const std::vector<Source>& sources) {
  const char* origin = sources.front().field->origin;
  for (const Source& source : sources) {
    const char* other = source.field->origin;
    if (origin == nullptr || other == nullptr || std::string_view(origin) != other) return false;
  }
  return true;
}

std::vector<std::string> suffixes_of(const Declaration& d) {
  std::vector<std::string> suffixes = d.params().strings("suffixes");
  for (std::uint32_t input = 0; !d.params().given("suffixes") && input < d.input_count(); ++input) {
    suffixes.push_back("_" + std::to_string(input));
  }
  return suffixes;
}

}  // namespace

void Zip::declare(Declaration& d) {
  const std::vector<std::string> suffixes = suffixes_of(d);
  if (suffixes.size() != d.input_count()) {
    d.error("suffixes", "there are " + std::to_string(suffixes.size()) + " suffixes for " +
                            std::to_string(d.input_count()) + " inputs");
    return;
  }
  std::map<std::string, std::string, std::less<>> taken;  // to the field it was before
  const auto take = [&](const Source& source, const std::string& as) {
    const std::string before =
        "'" + std::string(source.field->name) + "' of input " + std::to_string(source.input + 1);
    const auto [other, is_new] = taken.emplace(as, before);
    if (!is_new) {
      d.error("suffixes", "the output would have two fields '" + as + "': " + other->second + " and " +
                              before + " (choose other suffixes)");
      return;
    }
    d.take(source.input, source.field->name, as);
  };
  for (const Group& group : by_name(d)) {
    if (group.sources.size() == 1 || are_same(group.sources)) {
      take(group.sources.front(), group.name);
      continue;
    }
    for (const Source& source : group.sources) take(source, group.name + suffixes[source.input]);
  }
}

}  // namespace headrace::flow
