// SPDX-License-Identifier: Apache-2.0
//
// Text as JSON for describe(): names of files and classes come from disks and may hold anything. [pure]
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "utf8.hpp"

namespace headrace {

/// `text` as a JSON string, quotes included. Bytes that are no UTF-8 become U+FFFD, one each.
inline std::string json_text(std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string json = "\"";
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
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
