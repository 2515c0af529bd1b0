// SPDX-License-Identifier: Apache-2.0
//
// See references.h.
#include "references.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <fstream>
#include <iterator>
#include <sstream>

namespace headrace::image::testing {
namespace {

constexpr const char* kFolder = "tests/plugins/image/";

}  // namespace

std::vector<std::vector<std::string>> reference_rows(const std::string& name) {
  std::ifstream file(kFolder + ("references/" + name));
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    rows.emplace_back(std::istream_iterator<std::string>(words), std::istream_iterator<std::string>());
  }
  EXPECT_FALSE(rows.empty()) << name << " has no rows";
  return rows;
}

std::vector<std::uint8_t> read_file(const std::string& name) {
  std::ifstream file(kFolder + name, std::ios::binary);
  std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  EXPECT_FALSE(bytes.empty()) << name << " cannot be read";
  return bytes;
}

std::vector<std::uint8_t> picture_pattern(std::size_t count, std::uint64_t seed) {
  std::vector<std::uint8_t> bytes(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t z = i + seed * 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    const auto noise = static_cast<std::uint8_t>(z ^ (z >> 31));
    bytes[i] = seed % 2 == 0 ? noise : noise >= 128 ? 255 : 0;
  }
  return bytes;
}

std::uint32_t crc(const std::vector<std::uint8_t>& bytes) {
  return static_cast<std::uint32_t>(crc32(0, bytes.data(), static_cast<uInt>(bytes.size())));
}

}  // namespace headrace::image::testing
