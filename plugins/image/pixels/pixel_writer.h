// SPDX-License-Identifier: Apache-2.0
//
// The last station of a picture's rows: the memory that the host handed out, as bytes or as normalised
// floats, in the layout that was declared. One object a worker, used by the image ops.
#pragma once

#include <vector>

#include "pixels/geometry.h"
#include "pixels/normalize.h"
#include "pixels/rows.h"

namespace headrace::image {

enum class PixelLayout : std::uint8_t { kHwc, kChw };

class PixelWriter final : public RowSink {
 public:
  /// Rows of `size.width` pixels of `channels` bytes go to `out`, height x width x channels of them.
  void begin_bytes(std::uint8_t* out, Size size, int channels, bool mirrored);
  /// They go through `normalization`, which must outlive the picture, to size.height * size.width * channels
  /// floats.
  void begin_floats(float* out, Size size, const Normalization& normalization, PixelLayout layout,
                    bool mirrored);

  void push(const std::uint8_t* rows, std::ptrdiff_t stride, int count) override;
  /// Rows pushed since begin.
  int rows() const { return row_; }

 private:
  void write_row(const std::uint8_t* row);
  const std::uint8_t* reversed(const std::uint8_t* row);

  std::uint8_t* bytes_ = nullptr;
  float* floats_ = nullptr;
  const Normalization* normalization_ = nullptr;
  PixelLayout layout_ = PixelLayout::kHwc;
  Size size_;
  int channels_ = 0;
  bool mirrored_ = false;
  int row_ = 0;
  std::vector<std::uint8_t> reversed_;
};

/// `width` pixels of `pixel_bytes` bytes from last to first. `in` and `out` are apart.
void reverse_pixels(const std::uint8_t* in, int width, std::size_t pixel_bytes, std::uint8_t* out);

/// Pushes `part` of a dense picture in memory that has nothing readable behind its end.
class MemoryRows {
 public:
  void push(const std::uint8_t* pixels, Size size, int channels, const Region& part, RowSink& sink);

 private:
  std::vector<std::uint8_t> tail_;
};

}  // namespace headrace::image
