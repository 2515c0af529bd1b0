// SPDX-License-Identifier: Apache-2.0
//
// Collecting and printing what is wrong with a graph, and guessing what a misspelt name was meant to be.

#include "runtime/graph/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "runtime/printable.h"

namespace headrace {
namespace {

constexpr std::size_t kMaxListedNames = 12;
constexpr std::size_t kMaxComparedBytes = 256;
constexpr std::string_view kLineBreaks = "\n\t";  // of texts with several lines, as a deadlock's

std::string_view severity_name(Severity severity) {
  switch (severity) {
    case Severity::error:
      return "error";
    case Severity::warning:
      return "warning";
    case Severity::note:
      return "note";
  }
  return "error";
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

}  // namespace

std::string to_string(const Location& where) {
  if (where.line <= 0) return where.file;
  if (where.column <= 0) return fmt::format("{}:{}", where.file, where.line);
  return fmt::format("{}:{}:{}", where.file, where.line, where.column);
}

std::string to_string(const Diagnostic& diagnostic) {
  const std::string place = to_string(diagnostic.where);
  const std::string_view kind = severity_name(diagnostic.severity);
  const std::string text = place.empty() ? fmt::format("{}: {}", kind, diagnostic.text)
                                         : fmt::format("{}: {}: {}", place, kind, diagnostic.text);
  return printable(text, kLineBreaks);
}

void Diagnostics::add(Diagnostic diagnostic) {
  if (!rendered_.insert(to_string(diagnostic)).second) return;
  if (diagnostic.severity == Severity::error) ++error_count_;
  entries_.push_back(std::move(diagnostic));
}

void Diagnostics::error(Location where, std::string text) {
  add({std::move(where), Severity::error, std::move(text)});
}

void Diagnostics::warning(Location where, std::string text) {
  add({std::move(where), Severity::warning, std::move(text)});
}

void Diagnostics::note(Location where, std::string text) {
  add({std::move(where), Severity::note, std::move(text)});
}

std::vector<Diagnostic> Diagnostics::sorted() const {
  std::vector<Diagnostic> out = entries_;
  std::stable_sort(out.begin(), out.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::tie(a.where.file, a.where.line, a.where.column) <
           std::tie(b.where.file, b.where.line, b.where.column);
  });
  return out;
}

std::string Diagnostics::render() const {
  std::string out;
  for (const Diagnostic& diagnostic : sorted()) {
    out += to_string(diagnostic);
    out += '\n';
  }
  return out;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

std::optional<std::string> nearest_name(std::string_view word, const std::vector<std::string>& candidates) {
  if (word.empty() || word.size() > kMaxComparedBytes) return std::nullopt;
  const std::string folded = lower(word);
  std::optional<std::string> nearest;
  std::size_t nearest_distance = 0;
  for (const std::string& candidate : candidates) {
    if (candidate.empty() || candidate.size() > kMaxComparedBytes || candidate == word) continue;
    const std::size_t bound = std::max<std::size_t>(1, std::max(word.size(), candidate.size()) / 3);
    const std::size_t distance = edit_distance(folded, lower(candidate));
    // A one-letter name is within 1 of every other one: only its other case is worth naming.
    const bool too_short = std::min(word.size(), candidate.size()) == 1 && distance > 0;
    if (distance > bound || too_short) continue;
    if (!nearest || distance < nearest_distance) {
      nearest = candidate;
      nearest_distance = distance;
    }
  }
  return nearest;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const std::optional<std::string> nearest = nearest_name(word, candidates);
  return nearest ? fmt::format(" (did you mean '{}'?)", *nearest) : std::string();
}

std::string did_you_mean_or_allowed(std::string_view word, const std::vector<std::string>& candidates) {
  std::string hint = did_you_mean(word, candidates);
  if (!hint.empty() || candidates.empty() || candidates.size() > kMaxListedNames) return hint;
  return fmt::format(" (allowed: {})", fmt::join(candidates, ", "));
}

}  // namespace headrace
