// SPDX-License-Identifier: Apache-2.0
//
// A picture in memory: dots, letters, and a PNG file of it. Made by the contact sheet. Main thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headrace::cli {

using Color = std::array<std::uint8_t, 3>;

/// RGB, row by row from the top.
class Picture {
 public:
  Picture(int width, int height, Color background);
  int width() const { return width_; }
  int height() const { return height_; }
  const std::uint8_t* row(int y) const { return dots_.data() + static_cast<std::size_t>(y) * row_bytes(); }
  std::size_t row_bytes() const { return static_cast<std::size_t>(width_) * 3; }
  /// What lies outside is not drawn.
  void set(int x, int y, Color color);

 private:
  int width_;
  int height_;
  std::vector<std::uint8_t> dots_;
};

/// Width and height in dots of one line of text; `scale` dots a dot of the face.
int text_width(std::string_view text, int scale);
int text_height(int scale);
/// UTF-8; characters beyond ASCII come out as question marks. (x, y) is the upper left corner.
void draw_text(Picture& picture, int x, int y, std::string_view text, Color color, int scale);

/// 8 bits RGB; the file is there whole or not at all. Throws std::runtime_error when it cannot be written.
void write_png(const std::string& path, const Picture& picture);

}  // namespace headrace::cli
