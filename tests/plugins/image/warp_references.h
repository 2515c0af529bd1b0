// SPDX-License-Identifier: Apache-2.0
//
// How make_warp_references.py writes lists of numbers and pixels, read. Used by the tests of the warps.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include "references.h"

namespace headrace::image::testing {

/// "1.0,2.5"; "-" is no number at all.
inline std::vector<double> numbers_of(const std::string& text) {
  std::vector<double> numbers;
  std::istringstream words(text == "-" ? "" : text);
  for (std::string word; std::getline(words, word, ',');) numbers.push_back(std::stod(word));
  return numbers;
}

template <class T>
std::vector<T> elements_of(const std::string& hexadecimal) {
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i + 1 < hexadecimal.size(); i += 2)
    bytes.push_back(static_cast<std::uint8_t>(std::stoi(hexadecimal.substr(i, 2), nullptr, 16)));
  std::vector<T> elements(bytes.size() / sizeof(T));
  std::memcpy(elements.data(), bytes.data(), elements.size() * sizeof(T));
  return elements;
}

/// picture() of make_warp_references.py, in HWC order.
template <class T>
std::vector<T> pattern_of(std::size_t count, std::uint64_t seed) {
  std::vector<T> elements;
  for (const std::uint8_t byte : picture_pattern(count, seed)) {
    if constexpr (sizeof(T) == 1) {
      elements.push_back(byte);
    } else {
      elements.push_back(static_cast<T>(byte) / 255);
    }
  }
  return elements;
}

/// HWC to CHW, and back with the roles of the numbers exchanged.
template <class T>
std::vector<T> planes(const std::vector<T>& pixels, std::size_t channels) {
  const std::size_t count = pixels.size() / channels;
  std::vector<T> out(pixels.size());
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t c = 0; c < channels; ++c) out[c * count + i] = pixels[i * channels + c];
  }
  return out;
}

}  // namespace headrace::image::testing
