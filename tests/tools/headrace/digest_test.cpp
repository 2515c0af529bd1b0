// SPDX-License-Identifier: Apache-2.0
//
// The digest against xxHash's own one-shot function over bytes laid out by hand as digest.h says.
#include "digest.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <xxhash.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "values.h"

namespace headrace::cli {
namespace {

template <class Number>
std::string little_endian(Number number) {
  std::string bytes;
  for (std::size_t i = 0; i < sizeof number; ++i) {
    bytes += static_cast<char>((static_cast<std::uint64_t>(number) >> (8 * i)) & 0xffU);
  }
  return bytes;
}

std::string hash(const std::string& bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

std::string header(const std::string& name, int kind, int dtype, std::initializer_list<std::int64_t> axes) {
  std::string bytes = name + std::string(1, '\0') + little_endian(kind) + little_endian(dtype) +
                      little_endian(static_cast<int>(axes.size()));
  for (const std::int64_t axis : axes) bytes += little_endian(axis);
  return bytes;
}

TEST(Digest, HashesFieldsInTheOrderOfTheirNames) {
  std::vector<std::int64_t> labels{3, -1};
  std::vector<std::uint8_t> pixels{1, 2, 3, 4};
  const headrace_value label = tensor(labels, HEADRACE_INT64, {2});
  const headrace_value image = tensor(pixels, HEADRACE_UINT8, {2, 2});
  const std::string expected = header("image", 1, 2, {2, 2}) + std::string("\1\2\3\4") +
                               header("label", 1, 9, {2}) + little_endian(std::int64_t{3}) +
                               little_endian(std::int64_t{-1});
  EXPECT_EQ(digest({{"image", &image}, {"label", &label}}), hash(expected));
  EXPECT_EQ(digest({{"label", &label}, {"image", &image}}), hash(expected));
}

TEST(Digest, TellsListsApartThatHaveTheSameBytes) {
  const ListValue one({"ab", "c"}, HEADRACE_STRING_LIST);
  const ListValue other({"a", "bc"}, HEADRACE_STRING_LIST);
  const std::string expected = header("path", 5, 2, {2}) + little_endian(std::uint64_t{2}) + "ab" +
                               little_endian(std::uint64_t{1}) + "c";
  EXPECT_EQ(digest({{"path", &one}}), hash(expected));
  EXPECT_NE(digest({{"path", &one}}), digest({{"path", &other}}));
}

TEST(Digest, TellsShapesApartThatHaveTheSameBytes) {
  std::vector<std::uint8_t> pixels{1, 2, 3, 4};
  const headrace_value flat = tensor(pixels, HEADRACE_UINT8, {4});
  const headrace_value square = tensor(pixels, HEADRACE_UINT8, {2, 2});
  EXPECT_NE(digest({{"x", &flat}}), digest({{"x", &square}}));
}

TEST(Digest, OfNothingIsTheHashOfNothing) { EXPECT_EQ(digest({}), "99aa06d3014798d86001c324468d497f"); }

TEST(Digest, RefusesMemoryOfADevice) {
  std::vector<std::uint8_t> pixels{1};
  headrace_value value = tensor(pixels, HEADRACE_UINT8, {1});
  value.device = {HEADRACE_CUDA, 0};
  EXPECT_THROW(digest({{"x", &value}}), std::runtime_error);
}

}  // namespace
}  // namespace headrace::cli
