// SPDX-License-Identifier: Apache-2.0
//
// Columns of text, aligned: the first to the left, the others as they are told. Used for what people read.
#pragma once

#include <string>
#include <vector>

namespace headrace::cli {

class Table {
 public:
  enum class Align { left, right };

  /// Columns after the first are aligned to `others`.
  explicit Table(std::vector<std::string> titles, Align others = Align::right);
  /// As many cells as there are titles.
  void add(std::vector<std::string> cells);
  /// A line a row, the titles first; no blanks at the ends of lines.
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
  Align others_;
};

}  // namespace headrace::cli
