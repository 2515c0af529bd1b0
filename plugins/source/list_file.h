// SPDX-License-Identifier: Apache-2.0
//
// A file that lists samples, one a line. Called in open() of source.files by one thread. Errors are thrown as
// headrace::Error and name the file and the line.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "listing.h"

namespace headrace::source {

/// Fills an empty listing with the file's lines and finishes it: `path<TAB>label`, or `path label` with a
/// whole number as label, or, without labels, `path` (what follows a TAB is ignored). A byte order mark, a
/// carriage return before the line's end and empty lines count nothing. `cancelled` is told how many samples
/// were added since it was asked last. Throws NOT_FOUND, IO_ERROR, DATA_ERROR or CANCELLED.
void read_list_file(const std::string& file, bool labels, const std::function<bool(std::uint64_t)>& cancelled,
                    Listing& listing);

}  // namespace headrace::source
