// SPDX-License-Identifier: Apache-2.0
//
// The names of what the C headers number, as plans and messages write them. Pure.

#pragma once

#include <headrace/tensor.h>

#include <string>
#include <string_view>

namespace headrace {

/// "float32"; "unknown" for a number that is no dtype.
std::string_view dtype_name(headrace_dtype dtype);
/// "tensor", "bytes", "string", "list of bytes", "list of strings"; "unknown".
std::string_view kind_name(headrace_kind kind);
/// "CHW"; "" for none and for what is not known.
std::string_view layout_name(headrace_layout layout);
/// "cpu", "cuda:0", "page-locked".
std::string device_name(headrace_device device);

}  // namespace headrace
