// SPDX-License-Identifier: Apache-2.0
//
// See pixel_writer.h.
#include "pixels/pixel_writer.h"

#include <algorithm>
#include <cstring>

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

void PixelWriter::begin_bytes(std::uint8_t* out, Size size, int channels, bool mirrored) {
  bytes_ = out;
  normalization_ = nullptr;
  size_ = size;
  channels_ = channels;
  mirrored_ = mirrored;
  row_ = 0;
}

void PixelWriter::begin_floats(float* out, Size size, const Normalization& normalization, PixelLayout layout,
                               bool mirrored) {
  floats_ = out;
  normalization_ = &normalization;
  layout_ = layout;
  size_ = size;
  channels_ = normalization.channels();
  mirrored_ = mirrored;
  row_ = 0;
}

void PixelWriter::push(const std::uint8_t* rows, std::ptrdiff_t stride, int count) {
  for (int i = 0; i < count && row_ < size_.height; ++i, rows += stride, ++row_) write_row(rows);
}

void PixelWriter::write_row(const std::uint8_t* row) {
  const auto width = static_cast<std::size_t>(size_.width);
  const auto y = static_cast<std::size_t>(row_);
  const std::size_t row_elements = width * static_cast<std::size_t>(channels_);
  if (normalization_ == nullptr) {
    std::uint8_t* out = bytes_ + y * row_elements;
    if (mirrored_) {
      reverse_pixels(row, size_.width, static_cast<std::size_t>(channels_), out);
    } else {
      std::memcpy(out, row, row_elements);
    }
    return;
  }
  if (mirrored_) row = reversed(row);
  if (layout_ == PixelLayout::kHwc) {
    normalization_->to_interleaved(row, size_.width, floats_ + y * row_elements);
    return;
  }
  float* planes[kMaxChannels];
  const std::size_t plane = width * static_cast<std::size_t>(size_.height);
  for (int c = 0; c < channels_; ++c) planes[c] = floats_ + static_cast<std::size_t>(c) * plane + y * width;
  normalization_->to_planes(row, size_.width, planes);
}

const std::uint8_t* PixelWriter::reversed(const std::uint8_t* row) {
  const std::size_t bytes = static_cast<std::size_t>(size_.width) * static_cast<std::size_t>(channels_);
  if (reversed_.size() < bytes + kRowSlack) reversed_.resize(bytes + kRowSlack);
  reverse_pixels(row, size_.width, static_cast<std::size_t>(channels_), reversed_.data());
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
