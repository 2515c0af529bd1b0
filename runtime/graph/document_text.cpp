// SPDX-License-Identifier: Apache-2.0
//
// The characters of one YAML document and their places.

#include "runtime/graph/document_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "runtime/graph/document.h"

namespace headrace {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

/// Well-formed UTF-8 by its first byte: how long the sequence is and what its second byte may be; the bytes
/// after it are any continuation (RFC 3629, section 4).
struct Sequence {
  unsigned first_low;
  unsigned first_high;
  std::size_t length;
  unsigned second_low;
  unsigned second_high;
};

constexpr std::array<Sequence, 9> kSequences{{{0x00, 0x7F, 1, 0x00, 0x00},
                                              {0xC2, 0xDF, 2, 0x80, 0xBF},
                                              {0xE0, 0xE0, 3, 0xA0, 0xBF},
                                              {0xE1, 0xEC, 3, 0x80, 0xBF},
                                              {0xED, 0xED, 3, 0x80, 0x9F},
                                              {0xEE, 0xEF, 3, 0x80, 0xBF},
                                              {0xF0, 0xF0, 4, 0x90, 0xBF},
                                              {0xF1, 0xF3, 4, 0x80, 0xBF},
                                              {0xF4, 0xF4, 4, 0x80, 0x8F}}};

/// Length of the well-formed UTF-8 sequence at the front of `text`, 0 when it is none.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(text[i])); };
  for (const Sequence& sequence : kSequences) {
    if (byte(0) < sequence.first_low || byte(0) > sequence.first_high) continue;
    if (text.size() < sequence.length) return 0;
    if (sequence.length == 1) return 1;
    if (byte(1) < sequence.second_low || byte(1) > sequence.second_high) return 0;
    const std::string_view rest = text.substr(2, sequence.length - 2);
    return std::all_of(rest.begin(), rest.end(), is_continuation) ? sequence.length : 0;
  }
  return 0;
}

/// Position after the quoted scalar at the front of `text`, or npos when its quote is never closed.
std::size_t quoted_length(std::string_view text) {
  const char quote = text.front();
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (quote == '"' && text[i] == '\\') {
      ++i;
    } else if (text[i] == quote) {
      const bool is_doubled = quote == '\'' && text.substr(i + 1, 1) == "'";
      if (!is_doubled) return i + 1;
      ++i;
    }
  }
  return std::string_view::npos;
}

}  // namespace

DocumentText::DocumentText(std::string_view text, std::string name, Places places)
    : name_(std::move(name)), places_(places) {
  if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark) text.remove_prefix(kByteOrderMark.size());
  text_ = text;
  if (text_.empty() || text_.back() != '\n') text_ += '\n';
  line_begins_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') line_begins_.push_back(i + 1);
  }
}

bool DocumentText::check(Diagnostics& diagnostics) const {
  if (text_.size() > kMaxDocumentBytes) {
    diagnostics.error({name_, 0, 0}, fmt::format("the file is larger than {} MiB", kMaxDocumentBytes >> 20));
    return false;
  }
  const std::string_view text = text_;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = sequence_length(text.substr(i));
    const auto byte = static_cast<unsigned char>(text[i]);
    if (length == 0) {
      diagnostics.error(at_offset(i),
                        fmt::format("byte 0x{:02x} is no UTF-8 (save the file as UTF-8)", byte));
      return false;
    }
    const bool lone_return = byte == '\r' && text.substr(i + 1, 1) != "\n";
    if (lone_return || byte == 0x7F || (byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r')) {
      diagnostics.error(at_offset(i), fmt::format("control character 0x{:02x} (remove it)", byte));
      return false;
    }
    i += length;
  }
  return true;
}

std::size_t DocumentText::offset(int line, int byte_column) const {
  const auto row = static_cast<std::size_t>(std::max(line, 0));
  if (row >= line_begins_.size()) return text_.size();
  return std::min(line_begins_[row] + static_cast<std::size_t>(std::max(byte_column, 0)), text_.size());
}

Location DocumentText::at(int line, int byte_column) const { return at_offset(offset(line, byte_column)); }

Location DocumentText::at_offset(std::size_t offset) const {
  if (places_ == Places::none) return {name_, 0, 0};
  const auto next = std::upper_bound(line_begins_.begin(), line_begins_.end(), offset);
  const std::size_t begin = *(next - 1);
  int column = 1;
  for (std::size_t i = begin; i < offset; ++i) column += is_continuation(text_[i]) ? 0 : 1;
  return {name_, static_cast<int>(next - line_begins_.begin()), column};
}

bool DocumentText::starts_with(int line, int byte_column, std::string_view what) const {
  return std::string_view(text_).substr(offset(line, byte_column), what.size()) == what;
}

bool DocumentText::starts_with_word(int line, int byte_column, std::string_view lower_case) const {
  const std::string_view there = std::string_view(text_).substr(offset(line, byte_column), lower_case.size());
  return std::equal(there.begin(), there.end(), lower_case.begin(), lower_case.end(),
                    [](char a, char b) { return a == b || (a >= 'A' && a <= 'Z' && a - 'A' + 'a' == b); });
}

std::optional<Location> DocumentText::unclosed_quote(int line, int byte_column) const {
  const std::string_view text = text_;
  std::size_t at = offset(line, byte_column);
  while (at < text.size() && (text[at] == '&' || text[at] == '!')) {
    at = std::min(text.find_first_of(" \t\r\n", at), text.size());
    at = std::min(text.find_first_not_of(" \t\r\n", at), text.size());
  }
  if (at == text.size() || (text[at] != '"' && text[at] != '\'')) return std::nullopt;
  if (quoted_length(text.substr(at)) != std::string_view::npos) return std::nullopt;
  return at_offset(at);
}

bool DocumentText::is_at_end(int line, int byte_column) const {
  return text_.find_first_not_of(" \t\r\n", offset(line, byte_column)) == std::string::npos;
}

std::optional<Location> DocumentText::indenting_tab(int line) const {
  for (std::size_t at = offset(line, 0); at < text_.size(); ++at) {
    if (text_[at] == '\t') return at_offset(at);
    if (text_[at] != ' ') break;
  }
  return std::nullopt;
}

}  // namespace headrace
