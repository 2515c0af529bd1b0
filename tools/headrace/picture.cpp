// SPDX-License-Identifier: Apache-2.0
//
// See picture.h.
#include "picture.h"

#include <png.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <system_error>

#include "whole_file.h"

namespace headrace::cli {

Picture::Picture(int width, int height, Color background)
    : width_(width),
      height_(height),
      dots_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3) {
  for (std::size_t i = 0; i < dots_.size(); ++i) dots_[i] = background[i % 3];
}

void Picture::set(int x, int y, Color color) {
  if (x < 0 || y < 0 || x >= width_ || y >= height_) return;
  std::copy(color.begin(), color.end(),
            dots_.begin() + static_cast<std::ptrdiff_t>(y) * width_ * 3 + static_cast<std::ptrdiff_t>(x) * 3);
}

void write_png(const std::string& path, const Picture& picture) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(picture.width());
  image.height = static_cast<png_uint_32>(picture.height());
  image.format = PNG_FORMAT_RGB;
  WholeFile file(path);
  errno = 0;
  if (png_image_write_to_stdio(&image, file.stream(), 0, picture.row(0), 0, nullptr) == 0) {
    const std::string why = errno != 0 ? std::generic_category().message(errno) : image.message;
    throw std::runtime_error(path + ": cannot write: " + why);
  }
  file.commit();
}

}  // namespace headrace::cli
