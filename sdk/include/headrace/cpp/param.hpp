// SPDX-License-Identifier: Apache-2.0
//
// Parameters for plugin authors: a spec is written as one expression, a value is read by name with its C++
// type. Used at compile time (specs) and in declare(), absorb() and constructors (values). Header-only,
// C++20.
#pragma once

#include <headrace/op.h>

#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace headrace {

/// One parameter's spec; each function returns a changed copy:
/// `Param::number("p", "Chance of a flip.").range(0, 1).otherwise("0.5")`. Texts must be literals.
struct Param : headrace_param_spec {
  static constexpr Param boolean(const char* name, const char* doc) {
    return make(HEADRACE_PARAM_BOOL, name, doc);
  }
  static constexpr Param integer(const char* name, const char* doc) {
    return make(HEADRACE_PARAM_INT, name, doc);
  }
  static constexpr Param number(const char* name, const char* doc) {
    return make(HEADRACE_PARAM_FLOAT, name, doc);
  }
  static constexpr Param string(const char* name, const char* doc) {
    return make(HEADRACE_PARAM_STRING, name, doc);
  }
  static constexpr Param bytes(const char* name, const char* doc) {
    return make(HEADRACE_PARAM_BYTES, name, doc);
  }
  static constexpr Param seconds(const char* name, const char* doc) {
    return make(HEADRACE_PARAM_SECONDS, name, doc);
  }
  static constexpr Param scalar(const char* name, const char* doc) {
    return make(HEADRACE_PARAM_SCALAR, name, doc);
  }
  /// A string out of a fixed set; `choices` must have static storage.
  template <std::size_t N>
  static constexpr Param choice(const char* name, const char* doc, const char* const (&choices)[N]) {
    Param p = make(HEADRACE_PARAM_STRING, name, doc);
    p.choices = choices;
    p.choice_count = N;
    return p;
  }

  /// Another op of the same plugin as a part of this one; `choices`, which must have static storage, are the
  /// ops that may be named.
  template <std::size_t N>
  static constexpr Param op(const char* name, const char* doc, const char* const (&choices)[N]) {
    Param p = make(HEADRACE_PARAM_OP, name, doc);
    p.choices = choices;
    p.choice_count = N;
    return p;
  }

  constexpr Param required() const { return with_flag(HEADRACE_PARAM_REQUIRED); }
  constexpr Param nullable() const { return with_flag(HEADRACE_PARAM_NULLABLE); }
  /// A list of `least` to `most` elements; most 0: no bound.
  constexpr Param list(std::uint32_t least = 0, std::uint32_t most = 0) const {
    Param p = with_flag(HEADRACE_PARAM_LIST);
    p.list_min = least;
    p.list_max = most;
    return p;
  }
  /// As list(), and a single value counts as a list of one.
  constexpr Param one_or_list(std::uint32_t least = 1, std::uint32_t most = 0) const {
    return list(least, most).with_flag(HEADRACE_PARAM_ONE_OR_LIST);
  }
  /// The default, as it would be written in a graph file.
  constexpr Param otherwise(const char* yaml) const {
    Param p = *this;
    p.default_yaml = yaml;
    return p;
  }
  constexpr Param unit_of(const char* unit_name) const {
    Param p = *this;
    p.unit = unit_name;
    return p;
  }
  constexpr Param at_least(double low) const {
    Param p = *this;
    p.minimum = low;
    p.has_range |= 1u;
    return p;
  }
  constexpr Param above(double low) const {
    Param p = at_least(low);
    p.has_range |= 4u;
    return p;
  }
  constexpr Param at_most(double high) const {
    Param p = *this;
    p.maximum = high;
    p.has_range |= 2u;
    return p;
  }
  constexpr Param range(double low, double high) const { return at_least(low).at_most(high); }

 private:
  static constexpr Param make(headrace_param_type type, const char* name, const char* doc) {
    Param p{};
    p.size = sizeof(headrace_param_spec);
    p.type = type;
    p.name = name;
    p.doc = doc;
    return p;
  }
  constexpr Param with_flag(std::uint32_t flag) const {
    Param p = *this;
    p.flags |= flag;
    return p;
  }
};

inline std::string_view view(headrace_text text) { return {text.data, text.size}; }
inline headrace_text text(std::string_view s) { return {s.data(), s.size()}; }

class Node;

/// The parameters of one node, by name. Asking for a name the op does not have is the author's mistake and
/// throws.
class Params {
 public:
  explicit Params(const headrace_node& node) : node_(&node) {}

  const headrace_param_value& operator[](std::string_view name) const {
    for (std::uint32_t i = 0; i < node_->param_count; ++i) {
      if (name == node_->param_specs[i]->name) return node_->params[i];
    }
    throw std::logic_error("op " + std::string(node_->op) + " has no parameter " + std::string(name));
  }
  bool given(std::string_view name) const { return (*this)[name].given != 0; }
  bool boolean(std::string_view name) const { return (*this)[name].boolean != 0; }
  std::int64_t integer(std::string_view name) const { return (*this)[name].integer; }
  double number(std::string_view name) const { return (*this)[name].number; }
  std::string string(std::string_view name) const { return std::string(view((*this)[name].string)); }
  std::vector<std::int64_t> integers(std::string_view name) const {
    return list<std::int64_t>(name, [](const headrace_param_value& v) { return v.integer; });
  }
  std::vector<double> numbers(std::string_view name) const {
    return list<double>(name, [](const headrace_param_value& v) { return v.number; });
  }
  std::vector<std::string> strings(std::string_view name) const {
    return list<std::string>(name, [](const headrace_param_value& v) { return std::string(view(v.string)); });
  }
  /// The parts of a list of ops.
  std::vector<Node> ops(std::string_view name) const;

 private:
  template <class T, class Get>
  std::vector<T> list(std::string_view name, Get get) const {
    const headrace_param_value& value = (*this)[name];
    std::vector<T> out;
    for (std::uint32_t i = 0; value.given != 0 && i < value.count; ++i) out.push_back(get(value.items[i]));
    return out;
  }

  const headrace_node* node_;
};

/// One node of a frame, or an op that is a part of a node: its name, op and parameters.
class Node {
 public:
  explicit Node(const headrace_node& node) : node_(&node) {}
  std::string_view name() const { return node_->name; }
  std::string_view op() const { return node_->op; }
  std::uint32_t op_version() const { return node_->op_version; }
  Params params() const { return Params(*node_); }

 private:
  const headrace_node* node_;
};

inline std::vector<Node> Params::ops(std::string_view name) const {
  return list<Node>(name, [](const headrace_param_value& v) { return Node(*v.node); });
}

/// What an instance is made from. Valid until the instance is destroyed.
class Config {
 public:
  explicit Config(const headrace_config& config) : config_(&config) {}
  Node node() const { return Node(*config_->members[0]); }
  Params params() const { return node().params(); }
  std::uint32_t member_count() const { return config_->member_count; }
  Node member(std::uint32_t i) const { return Node(*config_->members[i]); }
  /// What input and output ports hold, as declared; in constructors only.
  std::uint32_t input_count() const { return config_->input_count; }
  const headrace_field_spec& input(std::uint32_t port) const { return *config_->inputs[port]; }
  std::uint32_t output_count() const { return config_->output_count; }
  const headrace_field_spec& output(std::uint32_t port) const { return *config_->outputs[port]; }
  const headrace_host* host() const { return config_->context.host; }
  const headrace_config& c() const { return *config_; }

 private:
  const headrace_config* config_;
};

}  // namespace headrace
