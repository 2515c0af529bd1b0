// SPDX-License-Identifier: Apache-2.0
//
// A node's `with` and its op's parameter specs -> the values that the op receives. Called by check.cpp for
// every node. Pure.

#pragma once

#include <headrace/op.h>

#include <deque>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/graph/diagnostics.h"
#include "runtime/graph/spec.h"
#include "runtime/plugin/registry.h"

namespace headrace {

/// Values aligned with the op's specs, and all that they point at. Stays where it is, so that headrace_node
/// may point into it.
class BoundParams {
 public:
  BoundParams();
  ~BoundParams();
  BoundParams(const BoundParams&) = delete;
  BoundParams& operator=(const BoundParams&) = delete;

  const headrace_param_value* data() const { return values_.data(); }
  std::size_t size() const { return values_.size(); }

  /// Where the graph gives the parameter ("bits", "transforms[1].with.bits"; or the part of it that is
  /// given), or `otherwise`.
  Location where(std::string_view param, const Location& otherwise) const;
  /// Where the graph gives a string parameter that is `text` or a list that holds it, or `otherwise`.
  Location where_text(std::string_view text, const Location& otherwise) const;

 private:
  friend class ParamBinder;

  struct Place {
    std::string param;
    std::size_t index = 0;  ///< of its value
    Location where;
  };
  struct Part;

  std::vector<headrace_param_value> values_;
  std::deque<std::vector<headrace_param_value>> lists_;
  std::deque<std::string> texts_;
  std::list<Part> parts_;
  std::vector<Place> places_;                             ///< of what the graph gives
  std::vector<std::pair<std::string, Location>> within_;  ///< the same within parts, by their whole path
};

/// What a parameter of kind OP points at.
struct BoundParams::Part {
  headrace_node node{};
  BoundParams params;
};

/// A node, or a part of one, as an op sees it; points at all three.
headrace_node view_of(const char* name, const RegisteredOp& op, const BoundParams& params);

/// Compares `node.with` with the op's parameters: unknown names, wrong types, ranges, choices, lengths of
/// lists and missing required ones are reported. Null when there is any; the node's op then cannot be asked
/// to declare.
std::unique_ptr<BoundParams> bind_params(const NodeSpec& node, const RegisteredOp& op,
                                         Diagnostics& diagnostics);

/// What a parameter takes, as the end of a sentence that begins "must be": "an integer of at least 1
/// (pixels)", "bilinear or bicubic", "a list of 2 numbers, each from 0 to 1", "a number or a list of
/// numbers". For messages, inspect and the docs.
std::string param_takes(const headrace_param_spec& spec);

}  // namespace headrace
