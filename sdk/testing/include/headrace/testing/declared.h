// SPDX-License-Identifier: Apache-2.0
//
// What an op declares, asked without a graph. Values; the functions are pure but for the op's own declare().
#pragma once

#include <headrace/plugin.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "value.h"

namespace headrace::testing {

/// A field spec that owns its texts.
class FieldSpec {
 public:
  explicit FieldSpec(const headrace_field_spec& spec);
  const headrace_field_spec& c() const& { return texts_->spec; }
  const headrace_field_spec& c() && = delete;  // its texts would be gone
  std::string name() const { return texts_->name; }
  /// The spec of a value: every axis known, written by a node called "test".
  static FieldSpec of(const std::string& name, const Value& value);
  /// The same with that axis unknown, with that origin, on that device.
  FieldSpec with_any(std::int32_t axis, const char* symbol = nullptr) const;
  FieldSpec written_by(const std::string& node) const;
  FieldSpec on(headrace_device device) const;
  /// "image: float32[3, H, ?] CHW on cuda:0"
  std::string to_string() const;
  /// Bytes of one value when every axis is known, else -1. `first_axis` 1 leaves out axis 0: of a row of a
  /// batch.
  std::int64_t known_bytes(std::int32_t first_axis = 0) const;

 private:
  struct Texts {
    std::string name;
    std::string origin;
    std::string dims[HEADRACE_MAX_DIMS];
    headrace_field_spec spec;
  };
  std::shared_ptr<const Texts> texts_;
};

using Schema = std::vector<FieldSpec>;

struct Declared {
  struct Fault {
    std::string param;  ///< "" for the node
    std::string text;
  };
  struct Read {
    std::uint32_t input;
    std::string field;
    const headrace_allocator* memory = nullptr;
  };
  struct Write {
    FieldSpec spec;
    std::int32_t in_place = -1;
    const headrace_allocator* memory = nullptr;
  };
  struct Take {
    std::uint32_t input;
    std::string field;
    std::string as;
  };

  headrace_status status = HEADRACE_OK;
  std::vector<Fault> faults;  ///< reported by the op
  std::vector<Read> missing;  ///< fields it asked for that no input has
  std::vector<Read> reads;    ///< by port
  std::vector<Write> writes;  ///< by port
  std::vector<std::string> removes;
  std::vector<Take> takes;
  headrace_runs runs = 0;
  bool serial = false;
  bool ordered = false;
  bool exchange = false;
  bool indexed = false;
  bool shuffle = false;
  bool drops = false;
  std::int64_t batch_size = 0;
  headrace_slots slots = 0;
  headrace_last last = 0;
  std::int64_t groups = 0;
  std::int64_t window = 0;
  headrace_ends ends = 0;

  bool ok() const { return status == HEADRACE_OK && faults.empty() && missing.empty(); }
  /// Everything wrong, a line each: "size: must be even", "there is no field 'image'".
  std::string fault_text() const;
  /// All of it, a line each; equal texts mean equal declarations.
  std::string to_string() const;
};

/// Calls declare(). `node` is the op's node; `inputs` the fields of each edge.
Declared declare(const headrace_op& op, const headrace_host* host, const headrace_node& node,
                 const std::vector<Schema>& inputs);

}  // namespace headrace::testing
