// SPDX-License-Identifier: Apache-2.0
//
// Schemas between the runtime, where they own their texts, and the C ABI, where they are borrowed. Used by
// declare.cpp.

#pragma once

#include <headrace/record.h>

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/graph/plan.h"
#include "runtime/status.h"

namespace headrace {

/// A headrace_schema that looks into a Schema, which must outlive it and stay as it is.
class SchemaView {
 public:
  explicit SchemaView(const Schema& schema);
  SchemaView(const SchemaView&) = delete;
  SchemaView& operator=(const SchemaView&) = delete;

  const headrace_schema* c() const { return &c_; }
  /// Null when there is no such field.
  const headrace_field_spec* find(std::string_view name) const;

 private:
  std::deque<headrace_field_spec> specs_;
  std::vector<const headrace_field_spec*> pointers_;
  headrace_schema c_{};
};

/// The field that a spec describes, written by `origin`. Fails with the end of a sentence such as "op x.y
/// writes a field
/// ..." when the spec breaks the rules of record.h.
Result<Field> field_of(const headrace_field_spec& spec, const std::string& origin);

const Field* find_field(const Schema& schema, std::string_view name);
std::vector<std::string> field_names(const Schema& schema);

}  // namespace headrace
