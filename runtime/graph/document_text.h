// SPDX-License-Identifier: Apache-2.0
//
// The characters of one YAML document: checked before the parser sees them, and the source of 1-based places
// in characters from the parser's 0-based ones in bytes. Used by document.cpp alone.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/graph/diagnostics.h"

namespace headrace {

class DocumentText {
 public:
  enum class Places { lines, none };  ///< none: every place is the name alone

  /// Copies the text, without the byte order mark that it may begin with.
  DocumentText(std::string_view text, std::string name, Places places);

  /// Reports what no graph file may hold: more than kMaxDocumentBytes, invalid UTF-8 (RFC 3629), control
  /// characters other than tab and line ends (yaml-cpp takes 0x04 for the end of the file), a carriage return
  /// without a newline. False when there is any.
  bool check(Diagnostics& diagnostics) const;

  /// The text, ending in a newline.
  const std::string& str() const { return text_; }

  /// The place of the 0-based line and byte column.
  Location at(int line, int byte_column) const;

  bool starts_with(int line, int byte_column, std::string_view what) const;
  /// The same for a word of letters in either case.
  bool starts_with_word(int line, int byte_column, std::string_view lower_case) const;

  /// Where the scalar that begins there has a quote that is never closed, or nothing. yaml-cpp takes the end
  /// of the file for the closing quote. The scalar's anchor and tag are passed over.
  std::optional<Location> unclosed_quote(int line, int byte_column) const;

  /// Whether only blanks follow.
  bool is_at_end(int line, int byte_column) const;

  /// The first tab in the indentation of a line, or nothing.
  std::optional<Location> indenting_tab(int line) const;

 private:
  std::size_t offset(int line, int byte_column) const;
  Location at_offset(std::size_t offset) const;

  std::string text_;
  std::string name_;
  Places places_;
  std::vector<std::size_t> line_begins_;
};

}  // namespace headrace
