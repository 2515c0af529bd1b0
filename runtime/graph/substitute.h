// SPDX-License-Identifier: Apache-2.0
//
// ${...} in the texts of a graph: ${vars.a.b}, ${env:NAME}, ${env:NAME:-default}, ${graph_dir}; $${ is the
// text ${. Called by parse.cpp once everything is laid over everything. Pure but for the environment it is
// lent.

#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/graph/diagnostics.h"
#include "runtime/graph/value.h"

namespace headrace {

/// Values that substitutions may make in one graph, and bytes of one text.
inline constexpr std::size_t kMaxSubstitutedValues = 100'000;
inline constexpr std::size_t kMaxSubstitutedBytes = std::size_t{1} << 20;

/// A scalar that is one whole ${...} becomes what it names, a list or map too, with its type, the place where
/// it is used and an origin that says where it was given; texts from the environment and defaults are
/// untyped_scalar()s. Within a longer text, scalars alone can be named, and stand as they were written. A
/// default may hold ${...} again; it counts when the variable is unset or empty. What a substitution gives is
/// not searched again.
class Substitution {
 public:
  struct Environment {
    std::function<std::optional<std::string>(const std::string&)> getenv;
    /// Directory of the file that a value stands in, by Location::file: what ${graph_dir} gives.
    std::function<std::string(const std::string&)> directory_of;
  };

  /// `vars` is the graph's merged `vars` map, not yet substituted; it must outlive this.
  Substitution(const Value& vars, Environment environment, Diagnostics& diagnostics);

  /// The value with everything substituted; what cannot be is reported and broken, the rest of the value
  /// stays.
  Value apply(const Value& value);

  /// The value of the top-level var `key` with everything substituted, at its own place; null when there is
  /// none.
  Value var(const std::string& key);

 private:
  Value apply_text(const Value& value);
  /// What stands between ${ and }.
  Value evaluate(std::string_view expression, const Location& where);
  Value evaluate_var(std::string_view path, const Location& where);
  Value evaluate_env(std::string_view expression, const Location& where);
  Value resolve(const std::string& path, const Value& raw);
  /// A text of which only parts are ${...}.
  Value interpolate(std::string_view text, const Location& where);
  /// The scalar that the ${...} at the front of `text` names.
  Value evaluate_part(std::string_view text, const Location& where);
  Value fault(const Location& where, std::string text);

  const Value& vars_;
  Environment environment_;
  Diagnostics& diagnostics_;
  std::map<std::string, Value, std::less<>> resolved_;
  std::vector<std::string> resolving_;  ///< the vars being resolved, outermost first
  std::size_t values_ = 0;
};

}  // namespace headrace
