// SPDX-License-Identifier: Apache-2.0
//
// Text as JSON for describe(): names of files and classes come from disks and may hold anything. [pure]
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace headrace {

namespace detail {

/// Bytes of the UTF-8 sequence at the front of `text` (RFC 3629: no surrogates, no overlong forms), 0 when
/// there is none.
inline std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto follows = [&](std::size_t i, unsigned low = 0x80, unsigned high = 0xBF) {
    return byte(i) >= low && byte(i) <= high;
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return follows(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    return follows(1, lead == 0xE0 ? 0xA0 : 0x80, lead == 0xED ? 0x9F : 0xBF) && follows(2) ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    return follows(1, lead == 0xF0 ? 0x90 : 0x80, lead == 0xF4 ? 0x8F : 0xBF) && follows(2) && follows(3) ? 4
                                                                                                          : 0;
  }
  return 0;
}

}  // namespace detail

/// `text` as a JSON string, quotes included. Bytes that are no UTF-8 become U+FFFD, one each.
inline std::string json_text(std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string json = "\"";
  while (!text.empty()) {
    const std::size_t length = detail::utf8_length(text);
    const char c = text.front();
    if (length == 0) {
      json += "\xEF\xBF\xBD";
    } else if (c == '"' || c == '\\') {
      json += '\\';
      json += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      json += "\\u00";
      json += kHex[static_cast<unsigned char>(c) >> 4U];
      json += kHex[static_cast<unsigned char>(c) & 15U];
    } else {
      json += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return json + "\"";
}

}  // namespace headrace
