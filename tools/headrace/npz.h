// SPDX-License-Identifier: Apache-2.0
//
// A batch as numpy's .npz: a zip archive of .npy members (numpy.lib.format, version 1.0), stored and not
// compressed. Main thread.
#pragma once

#include <string>

#include "field.h"

namespace headrace::cli {

/// Writes a key a field:
///   tensors as they are, bfloat16 widened to float32 (numpy has none);
///   texts as '<U' arrays: a list has shape [n], one text is a scalar; bytes that are no UTF-8 are escaped as
///   Python does it for the names of files (PEP 383);
///   bytes as uint8: one value has shape [n]; a list is laid end to end, with the int64 key NAME.offsets, [n
///   + 1], of where each begins.
/// The same batch gives the same file, which is there whole or not at all. Throws std::runtime_error: cannot
/// write, a field lies on a device.
void write_npz(const std::string& path, const Fields& fields);

}  // namespace headrace::cli
