// SPDX-License-Identifier: Apache-2.0
//
// Reads what make_references.py wrote: tables of words, files, and the test picture that both sides can make.
// Paths are from the project's root, where tests run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace headrace::image::testing {

/// The rows of tests/plugins/image/references/`name`, split at spaces; comments left out. Fails the test when
/// there are none.
std::vector<std::vector<std::string>> reference_rows(const std::string& name);

/// A file below tests/plugins/image. Fails the test when it cannot be read.
std::vector<std::uint8_t> read_file(const std::string& name);

/// pattern() of make_references.py.
std::vector<std::uint8_t> picture_pattern(std::size_t count, std::uint64_t seed);

/// CRC-32 as zlib's.
std::uint32_t crc(const std::vector<std::uint8_t>& bytes);

}  // namespace headrace::image::testing
