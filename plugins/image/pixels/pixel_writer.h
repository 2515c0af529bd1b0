// SPDX-License-Identifier: Apache-2.0
//
// The last station of a picture's rows: the memory that the host handed out, in the type and layout that were
// declared. One object a worker, used by the image ops.
#pragma once

#include <vector>

#include "pixels/geometry.h"
#include "pixels/narrow.h"
#include "pixels/normalize.h"
#include "pixels/rows.h"

namespace headrace::image {

enum class PixelLayout : std::uint8_t { kHwc, kChw };

/// Where a picture goes.
struct PixelTarget {
  void* data = nullptr;  // size.height * size.width * channels numbers of `type`
  Size size;
  int channels = 3;  // 1 .. 4
  PixelType type = PixelType::kUint8;
  PixelLayout layout = PixelLayout::kHwc;
  /// What makes floats of bytes; outlives the picture. Not null where `type` is a float's, and then of
  /// `channels`.
  const Normalization* normalization = nullptr;
};

class PixelWriter final : public RowSink {
 public:
  /// Starts a picture. `mirrored`: each row is to be written from its last pixel to its first.
  void begin(const PixelTarget& target, bool mirrored);

  /// Rows of target.size.width interleaved pixels, a byte each channel.
  void push(const std::uint8_t* rows, std::ptrdiff_t stride, int count) override;
  /// Rows pushed since begin.
  int rows() const { return row_; }

 private:
  void write_row(const std::uint8_t* row);
  void write_bytes(const std::uint8_t* row) const;
  void write_planes(const std::uint8_t* row) const;
  void write_floats(const std::uint8_t* row, float* out, std::size_t plane) const;
  void write_halves(const std::uint8_t* row);
  const std::uint8_t* reversed(const std::uint8_t* row);
  std::size_t row_elements() const {
    return static_cast<std::size_t>(target_.size.width) * static_cast<std::size_t>(target_.channels);
  }

  PixelTarget target_;
  bool mirrored_ = false;
  int row_ = 0;
  std::vector<std::uint8_t> reversed_;
  std::vector<float> floats_;  // a row on its way to 16 bits
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
