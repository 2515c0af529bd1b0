// SPDX-License-Identifier: Apache-2.0
//
// The types of scalars written without quotes, by the YAML 1.2 core schema (yaml.org/spec/1.2.2, 10.3.2):
// yes, no, on, off and 1_000 are text. Called while a document is read and where text comes from outside a
// document. Pure.

#pragma once

#include <string>
#include <string_view>

#include "runtime/graph/diagnostics.h"
#include "runtime/graph/value.h"

namespace headrace {

/// Types `text`, a plain scalar of a graph file. Reported, with a broken value as the result: integers with
/// leading zeros (YAML 1.1 and 1.2 disagree on what 010 is), integers beyond 64 bits, reals beyond a double.
Value plain_scalar(std::string_view text, const Location& where, Diagnostics& diagnostics);

/// Types `text` by its looks where no quotes can be written; what plain_scalar() refuses is text. The result
/// is marked untyped, so that its text can be had whatever it looks like.
Value untyped_scalar(std::string_view text, const Location& where);

}  // namespace headrace
