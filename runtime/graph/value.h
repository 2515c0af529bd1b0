// SPDX-License-Identifier: Apache-2.0
//
// A piece of the graph file with its type, its place and the text as it was written. Made by document.h,
// changed by overlay.h and substitute.h, read by parse.cpp and, for the parameters of ops, by check. A value
// type, not synchronised.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/graph/diagnostics.h"

namespace headrace {

class Value {
 public:
  enum class Kind { null, boolean, integer, real, string, list, map, broken };

  struct Entry;
  using List = std::vector<Value>;
  using Map = std::vector<Entry>;  ///< in the order of the file; no two equal keys

  /// Null, nowhere.
  Value() = default;

  static Value null(Location where, std::string text);
  static Value boolean(bool value, Location where, std::string text);
  static Value integer(std::int64_t value, Location where, std::string text);
  static Value real(double value, Location where, std::string text);
  static Value string(std::string value, Location where);
  static Value list(List items, Location where);
  static Value map(Map entries, Location where);
  /// Stands where something was that has been reported already: whoever meets it stays silent.
  static Value broken(Location where);

  Kind kind() const;
  bool is_null() const { return kind() == Kind::null; }
  bool is_string() const { return kind() == Kind::string; }
  bool is_list() const { return kind() == Kind::list; }
  bool is_map() const { return kind() == Kind::map; }
  bool is_broken() const { return kind() == Kind::broken; }
  bool is_scalar() const { return !is_list() && !is_map() && !is_broken(); }

  const Location& where() const { return where_; }

  /// A scalar as it was written, without quotes: "0x10" for the integer 16. Empty for lists and maps.
  const std::string& text() const { return text_; }

  std::optional<bool> as_boolean() const;
  std::optional<std::int64_t> as_integer() const;
  /// A real, or an integer that a double holds exactly.
  std::optional<double> as_real() const;
  /// A string; of an untyped scalar its text, whatever type it looks like.
  std::optional<std::string_view> as_string() const;
  /// Programmer's mistake unless is_list().
  const List& items() const;
  List& items();
  /// Programmer's mistake unless is_map().
  const Map& entries() const;
  Map& entries();

  /// The value at the string key `key` of a map, or null when there is none or this is no map.
  const Value* find(std::string_view key) const;
  Value* find(std::string_view key);
  /// The texts of a map's keys; none for anything else.
  std::vector<std::string> key_names() const;
  /// Takes the value at a string key out of a map; null when there is none.
  Value take(std::string_view key);

  /// True for a scalar that came from where quotes cannot be written (an environment variable, --set): its
  /// type is only what its text looks like, so that as_string() takes "2012" as well as as_integer() does.
  bool is_untyped() const { return untyped_; }
  void mark_untyped() { untyped_ = true; }

  /// Where a substituted value came from: "${vars.batch}, given at graph.yaml:4:9". Empty for what was
  /// written in place.
  const std::string& origin() const { return origin_; }
  void set_origin(std::string origin) { origin_ = std::move(origin); }
  void set_where(Location where) { where_ = std::move(where); }

  /// Number of values in this tree, itself and the keys included.
  std::size_t node_count() const;
  /// Lists and maps within each other: 0 for a scalar, 1 for a flat list.
  std::size_t depth() const;

  /// For messages: "the text 'abc'", "the integer 5", "a list", "nothing", with the origin when there is one.
  std::string describe() const;

 private:
  struct Broken {};
  /// In the order of Kind.
  using State = std::variant<std::monostate, bool, std::int64_t, double, std::string, List, Map, Broken>;

  State state_;
  Location where_;
  std::string text_;
  std::string origin_;
  bool untyped_ = false;
};

struct Value::Entry {
  Value key;
  Value value;
};

}  // namespace headrace
