// SPDX-License-Identifier: Apache-2.0
//
// Field specs in words, for messages about fields that should be alike. [pure]
#pragma once

#include <headrace/record.h>

#include <string>

namespace headrace::flow {

/// "float32[3, ?, ?] CHW", "string".
std::string field_text(const headrace_field_spec& spec);

/// Whether records of both can travel on one edge: everything but the lengths of axes agrees.
bool alike(const headrace_field_spec& a, const headrace_field_spec& b);

}  // namespace headrace::flow
