// SPDX-License-Identifier: Apache-2.0
//
// Where UTF-8 ends and other bytes begin: names of files come from disks and may hold anything. [pure]
#pragma once

#include <cstddef>
#include <string_view>

namespace headrace {

namespace detail {

/// A lead byte's range, what its second byte may be, and the length of the sequence: RFC 3629, which has no
/// overlong form and no surrogate.
struct Utf8Form {
  unsigned lead_low, lead_high, second_low, second_high;
  std::size_t length;
};
inline constexpr Utf8Form kUtf8Forms[] = {
    {0x00, 0x7F, 0, 0, 1},       {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3},
    {0xE1, 0xEC, 0x80, 0xBF, 3}, {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3},
    {0xF0, 0xF0, 0x90, 0xBF, 4}, {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4}};

}  // namespace detail

/// Bytes of the UTF-8 sequence at the front of `text`, 0 when there is none.
inline std::size_t utf8_length(std::string_view text) {
  const auto is_within = [&](std::size_t i, unsigned low, unsigned high) {
    const auto byte = static_cast<unsigned char>(text[i]);
    return byte >= low && byte <= high;
  };
  for (const detail::Utf8Form& form : detail::kUtf8Forms) {
    if (text.size() < form.length || !is_within(0, form.lead_low, form.lead_high)) continue;
    bool is_whole = form.length == 1 || is_within(1, form.second_low, form.second_high);
    for (std::size_t i = 2; i < form.length; ++i) is_whole = is_whole && is_within(i, 0x80, 0xBF);
    return is_whole ? form.length : 0;
  }
  return 0;
}

}  // namespace headrace
