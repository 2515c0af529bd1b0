// SPDX-License-Identifier: Apache-2.0
//
// Builds Values from yaml-cpp's events. Events instead of YAML::Node: only they tell quoted from plain
// scalars, show duplicate keys, and let aliases be counted before they are expanded.

#include "runtime/graph/document.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <sstream>
#include <unordered_map>

#include "runtime/graph/document_text.h"
#include "runtime/graph/scalar.h"

namespace headrace {
namespace {

/// Ends the walk through yaml-cpp after a fault that has been reported.
struct Abandoned {};

constexpr std::string_view kTagPrefix = "tag:yaml.org,2002:";

/// What makes two keys equal: type and value, so that 16 and 0x10 are one key and "16" is another.
std::string key_identity(const Value& key) {
  if (const auto whole = key.as_integer()) return fmt::format("i{}", *whole);
  if (const auto real = key.as_real()) return fmt::format("r{}", *real);
  if (const auto truth = key.as_boolean()) return *truth ? "b1" : "b0";
  return key.is_null() ? std::string("n") : "s" + key.text();
}

class Builder final : public YAML::EventHandler {
 public:
  Builder(const DocumentText& text, bool is_setting, Diagnostics& diagnostics)
      : text_(text), is_setting_(is_setting), diagnostics_(diagnostics) {}

  Value take() { return root_ ? std::move(*root_) : Value::null(text_.at(0, 0), {}); }

  /// The innermost list or map that is still open, as "[", "{" or "" for block style, with its place.
  std::string_view open_bracket() const { return open_.empty() ? std::string_view() : open_.back().bracket; }
  Location open_where() const { return open_.empty() ? Location() : open_.back().value.where(); }
  bool open_is_map() const { return !open_.empty() && open_.back().value.is_map(); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ == 1) return;
    const bool marked = text_.starts_with(mark.line, mark.column, "---");
    fail(mark, marked
                   ? "a graph file holds one document (remove this '---' and what follows, or make it a file "
                     "of its own)"
                   : "what stands here belongs to nothing above (check the indentation)");
    throw Abandoned();
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const Location where = place(mark);
    const bool is_element = !open_.empty() && (open_.back().value.is_list() || !open_.back().key);
    if (is_element && text_.starts_with(mark.line, mark.column, ",")) {
      diagnostics_.error(where, "an element is missing before this comma");
    }
    const bool tilde = text_.starts_with(mark.line, mark.column, "~");
    const bool word = text_.starts_with_word(mark.line, mark.column, "null");
    complete(Value::null(where, tilde ? "~" : word ? "null" : ""), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) {
      fail(mark, "an alias cannot stand inside the value that its anchor names");
      complete(Value::broken(place(mark)), YAML::NullAnchor);
      return;
    }
    count_aliased(found->second.size, mark);
    if (open_.size() + found->second.depth > kMaxDocumentDepth) refuse_depth(place(mark));
    complete(found->second.value, YAML::NullAnchor, false, found->second.depth);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    const Location where = place(mark);
    if (const auto quote = text_.unclosed_quote(mark.line, mark.column)) {
      diagnostics_.error(*quote, "this quote is never closed");
      throw Abandoned();
    }
    if (value.find('\0') != std::string::npos) fail(mark, "a text cannot hold the character \\0");
    const bool plain = tag == "?";
    if (!plain && tag != "!" && tag != std::string(kTagPrefix) + "str") {
      refuse_tag(mark, tag);
      complete(Value::broken(where), anchor);
    } else if (!plain) {
      complete(Value::string(value, where), anchor);
    } else if (is_setting_) {
      complete(untyped_scalar(value, where), anchor, true);
    } else {
      complete(plain_scalar(value, where, diagnostics_), anchor, true);
    }
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    if (tag != "?" && tag != "!" && tag != std::string(kTagPrefix) + "seq") refuse_tag(mark, tag);
    open(Value::list({}, place(mark)), text_.starts_with(mark.line, mark.column, "[") ? "[" : "", anchor);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    if (tag != "?" && tag != "!" && tag != std::string(kTagPrefix) + "map") refuse_tag(mark, tag);
    open(Value::map({}, place(mark)), text_.starts_with(mark.line, mark.column, "{") ? "{" : "", anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    Value value;  ///< the list or map so far
    std::string_view bracket;
    YAML::anchor_t anchor = YAML::NullAnchor;
    std::size_t depth = 1;
    std::optional<Value> key;  ///< of a map: the key whose value comes next
    bool key_is_merge = false;
    std::unordered_map<std::string, Location> seen;  ///< of a map: its keys
    std::optional<Value> merged;                     ///< of a map: what `<<` names
  };

  struct Anchored {
    Value value;
    std::size_t size = 0;
    std::size_t depth = 0;
  };

  Location place(const YAML::Mark& mark) const { return text_.at(mark.line, mark.column); }
  void fail(const YAML::Mark& mark, std::string text) { diagnostics_.error(place(mark), std::move(text)); }

  void refuse_tag(const YAML::Mark& mark, const std::string& tag) {
    const bool standard = tag.compare(0, kTagPrefix.size(), kTagPrefix) == 0;
    const std::string shown = standard ? "!!" + tag.substr(kTagPrefix.size()) : tag;
    fail(mark, fmt::format("the tag {} has no meaning in a graph file (remove it)", shown));
  }

  [[noreturn]] void refuse_depth(const Location& where) {
    diagnostics_.error(where, fmt::format("nested deeper than {} levels", kMaxDocumentDepth));
    throw Abandoned();
  }

  void count_aliased(std::size_t values, const YAML::Mark& mark) {
    aliased_ += values;
    if (aliased_ <= kMaxAliasedValues) return;
    fail(mark, fmt::format("aliases expand to more than {} values", kMaxAliasedValues));
    throw Abandoned();
  }

  void open(Value value, std::string_view bracket, YAML::anchor_t anchor) {
    if (open_.size() >= kMaxDocumentDepth) refuse_depth(value.where());
    Open frame;
    frame.value = std::move(value);
    frame.bracket = bracket;
    frame.anchor = anchor;
    open_.push_back(std::move(frame));
  }

  void close() {
    Open frame = std::move(open_.back());
    open_.pop_back();
    if (frame.merged) merge(frame);
    complete(std::move(frame.value), frame.anchor, false, frame.depth);
  }

  void complete(Value value, YAML::anchor_t anchor, bool plain = false, std::size_t depth = 0) {
    if (anchor != YAML::NullAnchor) anchors_[anchor] = Anchored{value, value.node_count(), depth};
    if (open_.empty()) {
      root_ = std::move(value);
      return;
    }
    Open& parent = open_.back();
    parent.depth = std::max(parent.depth, depth + 1);
    if (parent.value.is_list()) {
      parent.value.items().push_back(std::move(value));
    } else if (!parent.key) {
      take_key(parent, std::move(value), plain);
    } else {
      take_entry(parent, std::move(value));
    }
  }

  void take_key(Open& map, Value key, bool plain) {
    map.key_is_merge = plain && key.is_string() && key.text() == "<<";
    if (key.is_list() || key.is_map()) {
      diagnostics_.error(key.where(), fmt::format("a key must be a name, not {}", key.describe()));
      key = Value::broken(key.where());
    }
    map.key = std::move(key);
  }

  void take_entry(Open& map, Value value) {
    Value key = std::move(*map.key);
    map.key.reset();
    if (key.is_broken()) return;
    const auto [first, is_new] = map.seen.emplace(key_identity(key), key.where());
    if (!is_new) {
      diagnostics_.error(key.where(), fmt::format("duplicate key '{}' (first given at {})", key.text(),
                                                  to_string(first->second)));
    } else if (map.key_is_merge) {
      map.merged = std::move(value);
    } else {
      map.value.entries().push_back({std::move(key), std::move(value)});
    }
  }

  void merge(Open& map) {
    Value::List sources;
    if (map.merged->is_list()) {
      sources = std::move(map.merged->items());
    } else {
      sources.push_back(std::move(*map.merged));
    }
    Value::Map merged;
    for (Value& source : sources) {
      if (source.is_broken()) continue;
      if (!source.is_map()) {
        diagnostics_.error(source.where(),
                           fmt::format("'<<' merges a map or a list of maps, not {}", source.describe()));
        continue;
      }
      for (Value::Entry& entry : source.entries()) {
        if (map.seen.emplace(key_identity(entry.key), entry.key.where()).second)
          merged.push_back(std::move(entry));
      }
    }
    Value::Map& own = map.value.entries();
    own.insert(own.begin(), std::make_move_iterator(merged.begin()), std::make_move_iterator(merged.end()));
  }

  const DocumentText& text_;
  const bool is_setting_;
  Diagnostics& diagnostics_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Anchored> anchors_;
  std::optional<Value> root_;
  std::size_t aliased_ = 0;
  int documents_ = 0;
};

struct Explanation {
  std::string_view theirs;
  std::string_view ours;
};

constexpr std::array<Explanation, 5> kExplanations{{
    {"illegal map value",
     "a ': ' cannot stand here (check the indentation; text that holds one needs quotes)"},
    {"illegal flow end", "this bracket closes nothing"},
    {"illegal block entry", "a list element cannot stand here (begin it on a line of its own)"},
    {"unknown token", "text cannot begin with this character (put it in quotes)"},
    {"the referenced anchor is not defined",
     "this alias names no anchor above it (text that begins with '*' needs quotes)"},
}};

/// yaml-cpp's message in the words of somebody who wrote a graph, and at the place that has to be mended.
Diagnostic explain(const YAML::Exception& error, const Builder& builder, const DocumentText& text) {
  const int line = std::max(error.mark.line, 0);
  const Location where = text.at(line, std::max(error.mark.column, 0));
  const std::string& message = error.msg;
  if (const auto tab = text.indenting_tab(line)) {
    return {*tab, Severity::error, "a tab cannot indent (use spaces)"};
  }
  const Location opened = builder.open_where();
  const std::string_view bracket = builder.open_bracket();
  if (message.find("flow not found") != std::string::npos && !bracket.empty()) {
    // Without a token left yaml-cpp has no place to give, and gives the first.
    const bool is_nowhere = std::pair(where.line, where.column) <= std::pair(opened.line, opened.column);
    const bool at_end = is_nowhere || text.is_at_end(line, error.mark.column);
    if (at_end) return {opened, Severity::error, fmt::format("this '{}' is never closed", bracket)};
    return {where, Severity::error,
            fmt::format("expected ',' or '{}' (the '{}' is at {})", bracket == "[" ? "]" : "}", bracket,
                        to_string(opened))};
  }
  if (message == "illegal flow end" && !bracket.empty()) {
    return {where, Severity::error,
            fmt::format("this bracket does not close the '{}' at {}", bracket, to_string(opened))};
  }
  if (message == "end of map not found" || message == "end of sequence not found") {
    return {
        where, Severity::error,
        fmt::format("expected {} as in the lines above, which begin at {} (check the indentation and quotes)",
                    builder.open_is_map() ? "'key: value'" : "'- element'", to_string(opened))};
  }
  for (const Explanation& explanation : kExplanations) {
    if (message == explanation.theirs) return {where, Severity::error, std::string(explanation.ours)};
  }
  return {where, Severity::error, message};
}

Diagnostic explain_setting(const DocumentText& text) {
  const std::string_view line = std::string_view(text.str()).substr(0, text.str().find('\n'));
  const Location where = text.at(0, 0);
  return {
      where, Severity::error,
      fmt::format("cannot read '{}' as a value (for text, quote it: {}='\"{}\"')", line, where.file, line)};
}

Value read(const DocumentText& text, bool is_setting, Diagnostics& diagnostics) {
  Builder builder(text, is_setting, diagnostics);
  try {
    std::istringstream stream(text.str());
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
    return builder.take();
  } catch (const Abandoned&) {
  } catch (const YAML::Exception& error) {
    diagnostics.add(is_setting ? explain_setting(text) : explain(error, builder, text));
  }
  return Value::broken(text.at(0, 0));
}

}  // namespace

Value read_document(std::string_view text, const std::string& file, Diagnostics& diagnostics) {
  const DocumentText document(text, file, DocumentText::Places::lines);
  if (!document.check(diagnostics)) return Value::broken(document.at(0, 0));
  return read(document, false, diagnostics);
}

Value read_setting(std::string_view text, const std::string& source, Diagnostics& diagnostics) {
  const DocumentText document(text, source, DocumentText::Places::none);
  if (!document.check(diagnostics)) return Value::broken(document.at(0, 0));
  return read(document, true, diagnostics);
}

}  // namespace headrace
