// SPDX-License-Identifier: Apache-2.0
//
// Text from outside (names of files, what a plugin says) made fit for a message: UTF-8 that steers no
// terminal. Used wherever such text enters a message or the log. Pure; any thread.
#pragma once

#include <headrace/cpp/utf8.hpp>

#include <string>
#include <string_view>

namespace headrace {

/// Bytes that are no UTF-8 and control characters (C0, DEL and C1) as "\xff", byte by byte; those in `kept`
/// stay.
inline std::string printable(std::string_view text, std::string_view kept = {}) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const auto lead = static_cast<unsigned char>(text.front());
    const bool is_c1 = length == 2 && lead == 0xc2 && static_cast<unsigned char>(text[1]) < 0xa0;
    const bool is_control = lead < 0x20 || lead == 0x7f || is_c1;
    const std::string_view character = text.substr(0, length == 0 ? 1 : length);
    if (length > 0 && (!is_control || kept.find(text.front()) != std::string_view::npos)) {
      out += character;
    } else {
      for (const char c : character) {
        const auto byte = static_cast<unsigned char>(c);
        out += {'\\', 'x', kHex[byte >> 4U], kHex[byte & 15U]};
      }
    }
    text.remove_prefix(character.size());
  }
  return out;
}

}  // namespace headrace
