// SPDX-License-Identifier: Apache-2.0
//
// Of YAML, what parameters are written in: null, booleans, numbers, sizes, durations, plain and quoted text,
// flow lists of these, and flow maps for ops.

#include "parameters.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace headrace::testing {
namespace {

struct Word {
  std::string text;
  bool quoted = false;
};

[[noreturn]] void fault(const std::string& text) { throw std::invalid_argument(text); }

void skip_spaces(std::string_view& text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\n')) text.remove_prefix(1);
}

/// Takes one scalar off the front; a plain one ends before any of `ends`.
Word take_word(std::string_view& text, std::string_view ends) {
  skip_spaces(text);
  Word word;
  if (!text.empty() && (text.front() == '\'' || text.front() == '"')) {
    const char quote = text.front();
    const std::size_t end = text.find(quote, 1);
    if (end == std::string_view::npos) fault("a quote that never ends");
    word = {std::string(text.substr(1, end - 1)), true};
    text.remove_prefix(end + 1);
  } else {
    const std::size_t end = std::min(text.find_first_of(ends), text.size());
    word.text = text.substr(0, end);
    while (!word.text.empty() && word.text.back() == ' ') word.text.pop_back();
    text.remove_prefix(end);
  }
  skip_spaces(text);
  return word;
}

std::vector<Word> take_list(std::string_view text) {
  std::vector<Word> words;
  text.remove_prefix(1);
  skip_spaces(text);
  while (!text.empty() && text.front() != ']') {
    words.push_back(take_word(text, ",]"));
    if (!text.empty() && text.front() == ',') text.remove_prefix(1);
  }
  if (text != "]") fault("a list that does not end in ]");
  return words;
}

/// Where the bracket at the front of `text` is closed, or its size. Commas between, outside of inner brackets
/// and quotes, are noted.
std::size_t closing(std::string_view text, std::vector<std::size_t>& commas) {
  std::size_t depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\'' || c == '"') i = std::min(text.find(c, i + 1), text.size());
    if (c == '[' || c == '{') ++depth;
    if ((c == ']' || c == '}') && --depth == 0) return i;
    if (c == ',' && depth == 1) commas.push_back(i);
  }
  return text.size();
}

/// What stands between the commas of `[...]` or `{...}`; lists and maps within are left whole.
std::vector<std::string_view> pieces(std::string_view text, char open, char close) {
  skip_spaces(text);
  if (text.empty() || text.front() != open) fault(std::string("does not begin with ") + open);
  std::vector<std::size_t> ends;
  const std::size_t end = closing(text, ends);
  if (end == text.size() || text[end] != close) fault(std::string("does not end in ") + close);
  ends.push_back(end);
  std::vector<std::string_view> found;
  std::size_t begin = 1;
  for (const std::size_t at : ends) {
    std::string_view piece = text.substr(begin, at - begin);
    skip_spaces(piece);
    if (!piece.empty()) found.push_back(piece);
    begin = at + 1;
  }
  return found;
}

/// `{key: value, ...}`, values as they are written.
std::map<std::string, std::string> entries(std::string_view text) {
  std::map<std::string, std::string> map;
  for (std::string_view piece : pieces(text, '{', '}')) {
    const Word key = take_word(piece, ":");
    if (piece.empty()) fault("has a key without a value");
    piece.remove_prefix(1);
    skip_spaces(piece);
    map.emplace(key.text, piece);
  }
  return map;
}

template <class T>
std::optional<T> number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

struct Unit {
  std::string_view name;
  double factor;
};
constexpr Unit kSizes[] = {{"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}, {"kB", 1e3},
                           {"MB", 1e6},     {"GB", 1e9},     {"TB", 1e12},    {"B", 1}};
constexpr Unit kDurations[] = {{"us", 1e-6}, {"ms", 1e-3}, {"min", 60}, {"s", 1}, {"h", 3600}};

template <std::size_t N>
std::optional<double> quantity(std::string_view text, const Unit (&units)[N]) {
  for (const Unit& unit : units) {
    if (!text.ends_with(unit.name)) continue;
    const auto count = number<double>(text.substr(0, text.size() - unit.name.size()));
    return count ? std::optional(*count * unit.factor) : std::nullopt;
  }
  return number<double>(text);
}

void check_range(const headrace_param_spec& spec, double value) {
  const bool small = (spec.has_range & 1U) != 0 &&
                     ((spec.has_range & 4U) != 0 ? value <= spec.minimum : value < spec.minimum);
  if (small || ((spec.has_range & 2U) != 0 && value > spec.maximum)) fault("is out of range");
}

void check_choice(const headrace_param_spec& spec, const std::string& text) {
  const char* const* end = spec.choices + spec.choice_count;
  if (spec.choice_count > 0 &&
      std::none_of(spec.choices, end, [&](const char* choice) { return text == choice; })) {
    fault("is none of the choices");
  }
}

bool has(const headrace_param_spec& spec, std::uint32_t flag) { return (spec.flags & flag) != 0; }

headrace_param_type type_by_looks(const std::string& text, bool quoted) {
  if (quoted) return HEADRACE_PARAM_STRING;
  if (text == "true" || text == "false") return HEADRACE_PARAM_BOOL;
  if (number<std::int64_t>(text)) return HEADRACE_PARAM_INT;
  return number<double>(text) ? HEADRACE_PARAM_FLOAT : HEADRACE_PARAM_STRING;
}

/// Fills in what `text` says, by the value's type: an integer, a number, a size or a duration.
void measure(const std::string& text, headrace_param_value& value) {
  if (value.type == HEADRACE_PARAM_INT) {
    const auto whole = number<std::int64_t>(text);
    if (!whole) fault("is no integer");
    value.integer = *whole;
    value.number = static_cast<double>(*whole);
    return;
  }
  const auto measured = value.type == HEADRACE_PARAM_BYTES     ? quantity(text, kSizes)
                        : value.type == HEADRACE_PARAM_SECONDS ? quantity(text, kDurations)
                                                               : number<double>(text);
  if (!measured) fault("is no number, size or duration");
  value.number = *measured;
  if (value.type == HEADRACE_PARAM_BYTES) value.integer = static_cast<std::int64_t>(*measured);
}

}  // namespace

Parameters::Part::Part(OpTable op, std::string where, const std::map<std::string, std::string>& with,
                       const headrace_plugin* plugin)
    : table(std::move(op)),
      name(std::move(where)),
      params(std::make_unique<Parameters>(table.op.name, table.params, with, plugin)) {
  for (const headrace_param_spec& spec : table.params) specs.push_back(&spec);
  node.size = sizeof(node);
  node.op_version = table.op.version;
  node.name = name.c_str();
  node.op = table.op.name;
  node.params = params->values();
  node.param_specs = specs.data();
  node.param_count = static_cast<std::uint32_t>(specs.size());
}

Parameters::Parameters(const char* op, const std::vector<headrace_param_spec>& specs,
                       const std::map<std::string, std::string>& with, const headrace_plugin* plugin)
    : plugin_(plugin) {
  const auto begin = [&](const std::string& name) { return "parameter '" + name + "' of " + op + " "; };
  for (const auto& entry : with) {
    const auto same = [&](const headrace_param_spec& spec) { return entry.first == spec.name; };
    if (std::none_of(specs.begin(), specs.end(), same)) fault(begin(entry.first) + "does not exist");
  }
  for (const headrace_param_spec& spec : specs) {
    const auto given = with.find(spec.name);
    if (given == with.end() && has(spec, HEADRACE_PARAM_REQUIRED)) fault(begin(spec.name) + "is required");
    const std::string text = given != with.end()            ? given->second
                             : spec.default_yaml != nullptr ? spec.default_yaml
                                                            : "null";
    const bool nothing = text == "null" && (given == with.end() || has(spec, HEADRACE_PARAM_NULLABLE));
    try {
      headrace_param_value value{};
      value.size = sizeof(value);
      values_.push_back(nothing ? value : bind(spec, text));
    } catch (const std::invalid_argument& problem) {
      fault(begin(spec.name) + "cannot be '" + text + "': it " + problem.what());
    }
  }
}

headrace_param_value Parameters::part(const headrace_param_spec& spec, std::string_view text,
                                      std::size_t index) {
  std::map<std::string, std::string> map = entries(text);
  const std::string op = map["op"];
  const std::string with = map["with"];
  map.erase("op");
  map.erase("with");
  if (!map.empty()) fault("has a key '" + map.begin()->first + "' beside op and with");
  check_choice(spec, op);
  std::optional<OpTable> table = plugin_ == nullptr ? std::nullopt : find_op(*plugin_, op);
  if (!table) fault("names the op '" + op + "', which is not there");
  std::string name = std::string(spec.name) + "[" + std::to_string(index) + "]";
  const auto within = with.empty() ? std::map<std::string, std::string>() : entries(with);
  try {
    parts_.push_back(std::make_unique<Part>(std::move(*table), std::move(name), within, plugin_));
  } catch (const std::invalid_argument& problem) {
    fault(std::string("has an op whose ") + problem.what());
  }
  headrace_param_value value{};
  value.size = sizeof(value);
  value.given = 1;
  value.type = HEADRACE_PARAM_OP;
  value.node = &parts_.back()->node;
  return value;
}

headrace_param_value Parameters::bind(const headrace_param_spec& spec, const std::string& text) {
  std::string_view rest = text;
  skip_spaces(rest);
  const bool is_list = rest.starts_with('[');
  if (spec.type == HEADRACE_PARAM_OP && !has(spec, HEADRACE_PARAM_LIST)) return part(spec, rest, 0);
  if (!has(spec, HEADRACE_PARAM_LIST)) {
    if (is_list) fault("is a list");
    const Word word = take_word(rest, "");
    return scalar(spec, word.text, word.quoted);
  }
  if (!is_list && !has(spec, HEADRACE_PARAM_ONE_OR_LIST)) fault("is no list");
  std::vector<headrace_param_value>& items = lists_.emplace_back();
  if (spec.type == HEADRACE_PARAM_OP) {
    const auto parts = is_list ? pieces(rest, '[', ']') : std::vector<std::string_view>{rest};
    for (std::size_t i = 0; i < parts.size(); ++i) items.push_back(part(spec, parts[i], i));
  } else {
    const std::vector<Word> words = is_list ? take_list(rest) : std::vector<Word>{take_word(rest, "")};
    for (const Word& word : words) items.push_back(scalar(spec, word.text, word.quoted));
  }
  if (items.size() < spec.list_min || (spec.list_max != 0 && items.size() > spec.list_max))
    fault("has too few or too many elements");
  headrace_param_value value{};
  value.size = sizeof(value);
  value.type = items.empty() ? spec.type : items.front().type;
  value.given = 1;
  value.is_list = 1;
  value.items = items.data();
  value.count = static_cast<std::uint32_t>(items.size());
  return value;
}

headrace_param_value Parameters::scalar(const headrace_param_spec& spec, const std::string& text,
                                        bool quoted) {
  headrace_param_value value{};
  value.size = sizeof(value);
  value.given = 1;
  value.type = spec.type == HEADRACE_PARAM_SCALAR ? type_by_looks(text, quoted) : spec.type;
  if (value.type == HEADRACE_PARAM_BOOL) {
    if (quoted || (text != "true" && text != "false")) fault("is neither true nor false");
    value.boolean = text == "true" ? 1 : 0;
  } else if (value.type == HEADRACE_PARAM_STRING) {
    check_choice(spec, text);
    value.string = {texts_.emplace_back(text).data(), text.size()};
  } else {
    measure(quoted ? "" : text, value);
    check_range(spec, value.number);
  }
  return value;
}

}  // namespace headrace::testing
