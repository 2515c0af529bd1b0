// SPDX-License-Identifier: Apache-2.0
//
// See nearest.h.
#include "nearest.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace headrace::cli {
namespace {

std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (const char c : a) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (c == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, replaced});
    }
  }
  return row.back();
}

}  // namespace

std::string did_you_mean(std::string_view word, const std::vector<std::string>& names) {
  constexpr std::size_t kLongestWord = 64;
  if (word.size() > kLongestWord) return {};
  const std::string* nearest = nullptr;
  std::size_t least = 0;
  for (const std::string& name : names) {
    const std::size_t bound = std::max<std::size_t>(1, std::max(word.size(), name.size()) / 3);
    const std::size_t d = distance(word, name);
    if (d > bound || (nearest != nullptr && d >= least)) continue;
    nearest = &name;
    least = d;
  }
  return nearest == nullptr ? "" : " (did you mean '" + *nearest + "'?)";
}

}  // namespace headrace::cli
