// SPDX-License-Identifier: Apache-2.0
//
// What is wrong with a graph, and where: parse, check and plan collect every fault here before anybody is
// told, so that one run of lint shows them all. Used by the thread that reads the graph; not synchronised.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace headrace {

/// A place in a graph file. Line and column count from 1, columns in characters (a tab is one); 0 is unknown.
/// For what the command line sets, `file` is "--set a.b" and the numbers are 0.
struct Location {
  std::string file;
  int line = 0;
  int column = 0;

  bool operator==(const Location&) const = default;
};

/// "graph.yaml:10:9", "graph.yaml" when the line is unknown, "" when nothing is known.
std::string to_string(const Location& where);

enum class Severity { error, warning, note };

struct Diagnostic {
  Location where;
  Severity severity = Severity::error;
  std::string text;  ///< one sentence, no full stop at its end: cause, then the remedy in brackets

  bool operator==(const Diagnostic&) const = default;
};

/// "graph.yaml:10:9: error: unknown key 'scael' in crop.with (did you mean 'scale'?)", without a newline at
/// its end; printable() but for line breaks within the text.
std::string to_string(const Diagnostic& diagnostic);

class Diagnostics {
 public:
  /// Equal diagnostics (same place, severity and text) are kept once.
  void add(Diagnostic diagnostic);
  void error(Location where, std::string text);
  void warning(Location where, std::string text);
  void note(Location where, std::string text);

  bool has_errors() const { return error_count_ > 0; }
  std::size_t error_count() const { return error_count_; }
  bool empty() const { return entries_.empty(); }

  /// By file, line and column; those at one place in the order in which they were added.
  std::vector<Diagnostic> sorted() const;

  /// One diagnostic a line, sorted, each line ended by a newline.
  std::string render() const;

 private:
  std::vector<Diagnostic> entries_;
  std::unordered_set<std::string> rendered_;
  std::size_t error_count_ = 0;
};

/// Edit distance in which an insertion, a deletion, a substitution and a swap of two neighbours cost 1 each
/// and no part is edited twice (optimal string alignment, the restricted Damerau-Levenshtein distance), in
/// bytes.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate that `word` is probably a typo of: distance at most a third of the longer one's length (at
/// least 1), letter case counting nothing; the first of the nearest. Nothing for an empty word or when all
/// are too far.
std::optional<std::string> nearest_name(std::string_view word, const std::vector<std::string>& candidates);

/// " (did you mean 'scale'?)", to be appended to a message, or "" when nothing is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

/// did_you_mean(), or " (allowed: a, b, c)" when nothing is near and the candidates are at most twelve.
std::string did_you_mean_or_allowed(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace headrace
