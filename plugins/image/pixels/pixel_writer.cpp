// SPDX-License-Identifier: Apache-2.0
//
// See pixel_writer.h.
#include "pixels/pixel_writer.h"

#include <algorithm>
#include <cstring>

#include "pixels/planes.h"

namespace headrace::image {
namespace {

template <std::size_t kBytes>
void reverse_fixed(const std::uint8_t* in, int width, std::uint8_t* out) {
  const std::uint8_t* last = in + static_cast<std::size_t>(width) * kBytes;
  for (int x = 0; x < width; ++x, out += kBytes) std::memcpy(out, last -= kBytes, kBytes);
}

}  // namespace

void reverse_pixels(const std::uint8_t* in, int width, std::size_t pixel_bytes, std::uint8_t* out) {
  switch (pixel_bytes) {
    case 1:
      return reverse_fixed<1>(in, width, out);
    case 2:
      return reverse_fixed<2>(in, width, out);
    case 3:
      return reverse_fixed<3>(in, width, out);
    case 4:
      return reverse_fixed<4>(in, width, out);
    case 12:
      return reverse_fixed<12>(in, width, out);
    default:
      break;
  }
  const std::uint8_t* last = in + static_cast<std::size_t>(width) * pixel_bytes;
  for (int x = 0; x < width; ++x, out += pixel_bytes) std::memcpy(out, last -= pixel_bytes, pixel_bytes);
}

void PixelWriter::begin(const PixelTarget& target, bool mirrored) {
  target_ = target;
  mirrored_ = mirrored;
  row_ = 0;
}

void PixelWriter::push(const std::uint8_t* rows, std::ptrdiff_t stride, int count) {
  for (int i = 0; i < count && row_ < target_.size.height; ++i, rows += stride, ++row_) write_row(rows);
}

void PixelWriter::write_row(const std::uint8_t* row) {
  if (target_.type == PixelType::kUint8 && target_.layout == PixelLayout::kHwc) return write_bytes(row);
  if (mirrored_) row = reversed(row);
  if (target_.type == PixelType::kUint8) return write_planes(row);
  if (target_.type != PixelType::kFloat32) return write_halves(row);
  const auto width = static_cast<std::size_t>(target_.size.width);
  const auto y = static_cast<std::size_t>(row_);
  const bool chw = target_.layout == PixelLayout::kChw;
  write_floats(row, static_cast<float*>(target_.data) + y * (chw ? width : row_elements()),
               width * static_cast<std::size_t>(target_.size.height));
}

void PixelWriter::write_bytes(const std::uint8_t* row) const {
  std::uint8_t* out =
      static_cast<std::uint8_t*>(target_.data) + static_cast<std::size_t>(row_) * row_elements();
  if (mirrored_) {
    reverse_pixels(row, target_.size.width, static_cast<std::size_t>(target_.channels), out);
  } else {
    std::memcpy(out, row, row_elements());
  }
}

void PixelWriter::write_planes(const std::uint8_t* row) const {
  const auto width = static_cast<std::size_t>(target_.size.width);
  std::uint8_t* planes[kMaxChannels];
  for (int c = 0; c < target_.channels; ++c) {
    const std::size_t rows = static_cast<std::size_t>(c) * static_cast<std::size_t>(target_.size.height) +
                             static_cast<std::size_t>(row_);
    planes[c] = static_cast<std::uint8_t*>(target_.data) + rows * width;
  }
  split_to_planes(row, target_.size.width, target_.channels, planes);
}

// A row to `out`, its channels `plane` floats apart where they are laid out so.
void PixelWriter::write_floats(const std::uint8_t* row, float* out, std::size_t plane) const {
  if (target_.layout == PixelLayout::kHwc) {
    target_.normalization->to_interleaved(row, target_.size.width, out);
    return;
  }
  float* planes[kMaxChannels];
  for (int c = 0; c < target_.channels; ++c) planes[c] = out + static_cast<std::size_t>(c) * plane;
  target_.normalization->to_planes(row, target_.size.width, planes);
}

void PixelWriter::write_halves(const std::uint8_t* row) {
  const auto width = static_cast<std::size_t>(target_.size.width);
  const auto y = static_cast<std::size_t>(row_);
  if (floats_.size() < row_elements()) floats_.resize(row_elements());
  write_floats(row, floats_.data(), width);
  const auto narrow = target_.type == PixelType::kFloat16 ? to_float16 : to_bfloat16;
  auto* out = static_cast<std::uint16_t*>(target_.data);
  if (target_.layout == PixelLayout::kHwc) {
    narrow(floats_.data(), row_elements(), out + y * row_elements());
    return;
  }
  const std::size_t plane = width * static_cast<std::size_t>(target_.size.height);
  for (std::size_t c = 0; c < static_cast<std::size_t>(target_.channels); ++c)
    narrow(floats_.data() + c * width, width, out + c * plane + y * width);
}

const std::uint8_t* PixelWriter::reversed(const std::uint8_t* row) {
  const std::size_t bytes = row_elements();
  if (reversed_.size() < bytes + kRowSlack) reversed_.resize(bytes + kRowSlack);
  reverse_pixels(row, target_.size.width, static_cast<std::size_t>(target_.channels), reversed_.data());
  return reversed_.data();
}

void MemoryRows::push(const std::uint8_t* pixels, Size size, int channels, const Region& part,
                      RowSink& sink) {
  const auto pixel = static_cast<std::size_t>(channels);
  const std::size_t stride = static_cast<std::size_t>(size.width) * pixel;
  const std::size_t part_bytes = static_cast<std::size_t>(part.width) * pixel;
  const std::size_t total = stride * static_cast<std::size_t>(size.height);
  const std::uint8_t* first =
      pixels + static_cast<std::size_t>(part.y) * stride + static_cast<std::size_t>(part.x) * pixel;
  const auto row_end = [&](int row) {
    return static_cast<std::size_t>(first - pixels) + static_cast<std::size_t>(row) * stride + part_bytes;
  };
  int safe = part.height;
  while (safe > 0 && row_end(safe - 1) + kRowSlack > total) --safe;
  if (safe > 0) sink.push(first, static_cast<std::ptrdiff_t>(stride), safe);
  if (tail_.size() < part_bytes + kRowSlack) tail_.resize(part_bytes + kRowSlack);
  for (int row = safe; row < part.height; ++row) {
    std::memcpy(tail_.data(), first + static_cast<std::size_t>(row) * stride, part_bytes);
    sink.push(tail_.data(), 0, 1);
  }
}

}  // namespace headrace::image
