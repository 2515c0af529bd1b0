// SPDX-License-Identifier: Apache-2.0
//
// Ops that declare like real ones and never run, in a plugin named `fake`, and a graph planned with them: for
// the tests of the plan.

#pragma once

#include <optional>
#include <string>

#include "runtime/graph/bind_params.h"
#include "runtime/graph/parse.h"
#include "runtime/graph/plan.h"
#include "runtime/plugin/registry.h"

namespace headrace {

/// The ops of fake_ops.cpp:
///   fake.files    source, indexed: path string, label int64; shuffle
///   fake.read     blocking map: path -> bytes, at most `bound` bytes
///   fake.decode   map: `field` (bytes) -> image uint8[?, ?, 3]; absorbs fake.crop and fake.norm
///   fake.crop     map: image -> image uint8[size, size, 3]; size is required
///   fake.flip     map in place: image -> image; nobody absorbs it
///   fake.norm     map: image -> image float32, CHW
///   fake.boxes    map: image -> boxes float32[4]
///   fake.only     map: removes every field but `field`
///   fake.keep     map: reads `field`, gives it under `as`
///   fake.serial   map, one at a time
///   fake.expand   expand: image -> image
///   fake.batch    reduce by groups: all fields; size, last, slots fixed|by_size|none, groups, memory
///   fake.stack    the same without groups
///   fake.filter   map that drops
///   fake.shuffle  window
///   fake.zip      join; suffixes _0, _1, ... where names meet
///   fake.mix      merge
///   fake.upload   map that is an exchange: moves tensors to cuda:0
///   fake.params   source with a parameter of every kind
///   fake.holds    map: image -> image; its parameters `parts` and `last` are ops
///   fake.broken   map that breaks the ABI's rules in the way `how` says
const Registry& fake_registry();

inline constexpr Machine kFakeMachine{4, std::int64_t{8} << 30};

struct Planned {
  std::optional<Plan> plan;
  std::string errors;

  /// The frame that a node lies in, by the names of its members joined by '+'.
  std::string frame_of(const std::string& node) const;
  const PlanFrame& frame(const std::string& node) const;
  const PlanNode& node(const std::string& name) const;
  const PlanSegment& segment(const std::string& exchange) const;
  const PlanRow& row(const std::string& reduce, const std::string& field) const;
  /// "label: int64; image: uint8[2, 2, 3] HWC", dead fields in brackets.
  std::string schema(const std::string& node) const;
};

/// Parses and plans a graph named g.yaml.
Planned plan_text(const std::string& text, const Machine& machine = kFakeMachine);

/// The same of `nodes:`, given as lines without their indentation, and one output of all fields from
/// `output`, after `head` (lines such as "runtime: {threads: 1}"). The first node stands in line 2 + lines of
/// head, column 3.
Planned plan_nodes(const std::string& nodes, const std::string& output, const std::string& head = "");

}  // namespace headrace
