// SPDX-License-Identifier: Apache-2.0
//
// Fields of a batch made by hand.
#pragma once

#include <headrace/headrace.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace headrace::cli {

/// A view of `data`, which must outlive it.
template <class T>
headrace_value tensor(std::vector<T>& data, headrace_dtype dtype, std::initializer_list<std::int64_t> shape,
                      headrace_layout layout = HEADRACE_LAYOUT_NONE) {
  headrace_value value{};
  value.data = data.data();
  value.kind = HEADRACE_TENSOR;
  value.dtype = dtype;
  value.ndim = static_cast<std::int32_t>(shape.size());
  std::copy(shape.begin(), shape.end(), value.shape);
  value.layout = layout;
  value.device = {HEADRACE_CPU, 0};
  return value;
}

/// Bytes or a text.
inline headrace_value run_of_bytes(std::string& data, headrace_kind kind) {
  headrace_value value{};
  value.data = data.data();
  value.kind = kind;
  value.dtype = HEADRACE_UINT8;
  value.ndim = 1;
  value.shape[0] = static_cast<std::int64_t>(data.size());
  value.device = {HEADRACE_CPU, 0};
  return value;
}

/// A list of bytes or texts and what it points at.
struct ListValue : headrace_value {
  ListValue(std::vector<std::string> given, headrace_kind list_kind)
      : headrace_value{}, texts(std::move(given)) {
    for (const std::string& text : texts) views.push_back({text.data(), text.size()});
    data = views.data();
    kind = list_kind;
    dtype = HEADRACE_UINT8;
    ndim = 1;
    shape[0] = static_cast<std::int64_t>(views.size());
    device = {HEADRACE_CPU, 0};
  }
  ListValue(const ListValue&) = delete;
  ListValue& operator=(const ListValue&) = delete;

  std::vector<std::string> texts;
  std::vector<headrace_text> views;
};

}  // namespace headrace::cli
