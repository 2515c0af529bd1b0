// SPDX-License-Identifier: Apache-2.0
//
// How make_warp_references.py writes lists of numbers and pixels, read. Used by the tests of the warps.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
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

/// The largest distance between the sample's distribution and that of the reference, which is given by evenly
/// spaced quantiles (Kolmogorov and Smirnov's statistic).
inline double distance(std::vector<double> sample, const std::vector<double>& quantiles) {
  std::sort(sample.begin(), sample.end());
  double most = 0;
  for (std::size_t i = 0; i < quantiles.size(); ++i) {
    // Where quantiles repeat, the reference jumps: it is compared before and behind the jump.
    const auto [low, high] = std::equal_range(quantiles.begin(), quantiles.end(), quantiles[i]);
    const auto level = [&](auto at) {
      return static_cast<double>(at - quantiles.begin()) / static_cast<double>(quantiles.size() - 1);
    };
    const auto [below, upto] = std::equal_range(sample.begin(), sample.end(), quantiles[i]);
    const auto part = [&](auto at) {
      return static_cast<double>(at - sample.begin()) / static_cast<double>(sample.size());
    };
    // Each side's jump covers the other's when they overlap.
    most = std::max({most, part(below) - level(high - 1), level(low) - part(upto)});
  }
  return most;
}

}  // namespace headrace::image::testing
