// SPDX-License-Identifier: Apache-2.0
//
// One map of the graph's fixed structure while it is read: each key is asked for once, what nobody asked for
// is a typo. Used by spec.cpp and load.cpp. Lives for one call.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/graph/diagnostics.h"
#include "runtime/graph/spec.h"
#include "runtime/graph/value.h"

namespace headrace {

/// Whether `value` is a map. Anything else is reported as what "`name` must be", except a broken value.
bool require_map(const Value& value, const std::string& name, Diagnostics& diagnostics);

class Section {
 public:
  /// `value` must be a map, or it is reported as one that "`name` must be" and read as if empty. `name` is
  /// how messages call it: "runtime", "crop.tokens"; the top of the file is "". Broken values are read in
  /// silence. Both are borrowed.
  Section(const Value& value, std::string name, Diagnostics& diagnostics);
  Section(const Section&) = delete;
  Section& operator=(const Section&) = delete;

  /// The value of a key that may be there, or null when it is not, or is null, which means the same.
  const Value* find(std::string_view key);

  // The value of `key` when it is there and right. A wrong one is reported, and nothing comes back.
  std::optional<bool> boolean(std::string_view key);
  std::optional<Located<std::int64_t>> integer(std::string_view key, std::int64_t minimum,
                                               std::int64_t maximum);
  /// The same, where the word `auto` means 0.
  std::optional<Located<std::int64_t>> integer_or_auto(std::string_view key, std::int64_t minimum,
                                                       std::int64_t maximum);
  /// The same, where the word `auto` means that nothing is given.
  std::optional<Located<std::int64_t>> integer_unless_auto(std::string_view key, std::int64_t minimum,
                                                           std::int64_t maximum);
  std::optional<double> real(std::string_view key, double minimum, double maximum);
  std::optional<Located<std::int64_t>> size(std::string_view key);
  /// A duration, in seconds.
  std::optional<double> seconds(std::string_view key, double minimum, double maximum);
  std::optional<LocatedName> name(std::string_view key);
  /// The index of the word among `choices`.
  std::optional<std::size_t> choice(std::string_view key, const std::vector<std::string>& choices);
  /// A list of names, or one name.
  std::optional<std::vector<LocatedName>> names(std::string_view key);

  /// "crop.tokens.items": how messages call a key of this section.
  std::string path(std::string_view key) const;
  /// Reports "crop.tokens must be `wanted`, not ...", unless `value` is broken.
  void must_be(std::string_view key, std::string_view wanted, const Value& value);

  /// Reports the keys that nothing above asked for.
  void refuse_other_keys();

 private:
  std::optional<Located<std::int64_t>> auto_or_integer(std::string_view key, std::int64_t minimum,
                                                       std::int64_t maximum, bool& is_auto);

  const Value& value_;
  std::string name_;
  Diagnostics& diagnostics_;
  std::vector<std::string> asked_;
};

/// Whether `name` can name a node, an output or a var: letters, digits, '_' and '-', not beginning with a
/// digit or '-'.
bool is_name(std::string_view name);

}  // namespace headrace
