// SPDX-License-Identifier: Apache-2.0
//
// Questions that the digest, the contact sheet and the .npz writer ask of a field of a batch. Pure; any
// thread.
#pragma once

#include <headrace/headrace.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headrace::cli {

/// Name and value of each field.
using Fields = std::vector<std::pair<std::string_view, const headrace_value*>>;
/// Valid until the batch is released.
Fields fields_of(const headrace_batch* batch);

inline bool is_list(const headrace_value& value) {
  return value.kind == HEADRACE_BYTES_LIST || value.kind == HEADRACE_STRING_LIST;
}

/// Bytes of what `data` points at; not of lists.
std::size_t value_bytes(const headrace_value& value);

/// Elements of a list, or the one of bytes or a text.
std::vector<std::string_view> list_elements(const headrace_value& value);

/// Throws std::runtime_error that says what to do when the field lies on a device; otherwise waits until it
/// is ready.
void require_host_memory(std::string_view name, const headrace_value& value);

/// "float32[64, 3, 224, 224] NCHW", "64 strings"
std::string describe(const headrace_value& value);

/// The element at `index` as a number, whatever the dtype.
double number_at(const headrace_value& value, std::size_t index);

}  // namespace headrace::cli
