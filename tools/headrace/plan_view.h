// SPDX-License-Identifier: Apache-2.0
//
// The plan's JSON as structs: the one place of the command that knows its keys. Read by `graph` and `peek`.
// Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace headrace::cli {

struct FieldView {
  std::string name;
  std::string what;  ///< "float32[3, 224, 224] CHW"
  bool live = true;  ///< somebody reads it
};

// nlohmann's json checks its invariants as it moves, which the check takes for throwing.
struct NodeView {  // NOLINT(bugprone-exception-escape)
  std::string name;
  std::string op;
  std::vector<std::size_t> from;    ///< nodes
  nlohmann::json params;            ///< name: value, as given
  std::vector<std::string> writes;  ///< names of fields
  std::vector<FieldView> fields;    ///< of what it gives
};

struct FrameView {
  std::vector<std::size_t> nodes;  ///< what runs as one
  std::size_t segment = 0;
};

struct SegmentView {
  std::vector<std::size_t> frames;
  std::int64_t cap_items = 0;
  std::int64_t cap_bytes = 0;
};

/// How a field gets into its batch.
struct RowView {
  std::size_t batch = 0;  ///< node
  std::string field;
  bool in_place = false;  ///< written straight into the batch
};

struct OutputView {
  std::string name;
  std::size_t from = 0;  ///< node
  std::vector<std::string> fields;
  std::int64_t prefetch = 0;
};

struct PlanView {
  std::string name;
  std::vector<NodeView> nodes;  ///< in topological order
  std::vector<FrameView> frames;
  std::vector<SegmentView> segments;
  std::vector<RowView> rows;
  std::vector<OutputView> outputs;

  /// The node of that name; throws std::out_of_range.
  std::size_t node(const std::string& wanted) const;
  /// The frame that holds the node.
  std::size_t frame_of(std::size_t wanted) const;
};

/// Throws nlohmann::json::exception or std::out_of_range when this is no plan.
PlanView read_plan(const nlohmann::json& plan);

}  // namespace headrace::cli
