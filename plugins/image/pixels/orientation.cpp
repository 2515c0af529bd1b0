// SPDX-License-Identifier: Apache-2.0
//
// See orientation.h.
#include "pixels/orientation.h"

#include <algorithm>
#include <cstring>

#include "pixels/pixel_writer.h"

namespace headrace::image {
namespace {

// Columns that become rows at a time: 16 pixels of a stored row are about a cache line.
constexpr int kStrip = 16;
// What a worker keeps for the next picture.
constexpr std::size_t kKeptBytes = std::size_t{32} << 20;

bool from_the_right(Orientation orientation) {
  return orientation == Orientation::kMirror || orientation == Orientation::kTurnHalf ||
         orientation == Orientation::kTransverse || orientation == Orientation::kTurnLeft;
}

bool from_below(Orientation orientation) {
  return orientation == Orientation::kTurnHalf || orientation == Orientation::kFlip ||
         orientation == Orientation::kTurnRight || orientation == Orientation::kTransverse;
}

// `columns` columns of `rows` stored rows, to as many rows that are `out_stride` bytes apart (negative: the
// first column is the lowest row).
template <std::size_t kBytes>
void transpose(const std::uint8_t* in, std::ptrdiff_t in_stride, int columns, int rows, std::uint8_t* out,
               std::ptrdiff_t out_stride) {
  for (int y = 0; y < rows; ++y, in += in_stride, out += kBytes) {
    const std::uint8_t* from = in;
    std::uint8_t* to = out;
    for (int x = 0; x < columns; ++x, from += kBytes, to += out_stride) std::memcpy(to, from, kBytes);
  }
}

using Transpose = void (*)(const std::uint8_t*, std::ptrdiff_t, int, int, std::uint8_t*, std::ptrdiff_t);
constexpr Transpose kTransposes[] = {transpose<1>, transpose<2>, transpose<3>, transpose<4>};

}  // namespace

bool swaps_sides(Orientation orientation) { return orientation >= Orientation::kTranspose; }

Size turned(Size stored, Orientation orientation) {
  return swaps_sides(orientation) ? Size{stored.height, stored.width} : stored;
}

Reversed reversed_axes(Orientation orientation) {
  const bool x = from_the_right(orientation);
  const bool y = from_below(orientation);
  return swaps_sides(orientation) ? Reversed{y, x} : Reversed{x, y};
}

Region stored_part(const Region& part, Size stored, Orientation orientation) {
  Region in = part;
  if (swaps_sides(orientation)) in = {part.y, part.x, part.height, part.width};
  if (from_the_right(orientation)) in.x = stored.width - in.x - in.width;
  if (from_below(orientation)) in.y = stored.height - in.y - in.height;
  return in;
}

void TurnedRows::begin(Orientation orientation, Size stored, int channels, RowSink& next) {
  orientation_ = orientation;
  stored_ = stored;
  pixel_bytes_ = static_cast<std::size_t>(channels);
  stride_ = static_cast<std::size_t>(stored.width) * pixel_bytes_;
  arrived_ = 0;
  next_ = &next;
  if (orientation == Orientation::kUpright) return;
  const std::size_t rows = orientation == Orientation::kMirror ? 1 : static_cast<std::size_t>(stored.height);
  if (kept_.size() < stride_ * rows + kRowSlack) kept_.resize(stride_ * rows + kRowSlack);
  const std::size_t strip = static_cast<std::size_t>(stored.height) * pixel_bytes_ * kStrip + kRowSlack;
  if (swaps_sides(orientation) && strip_.size() < strip) strip_.resize(strip);
}

void TurnedRows::push(const std::uint8_t* rows, std::ptrdiff_t stride, int count) {
  if (orientation_ == Orientation::kUpright) return next_->push(rows, stride, count);
  if (orientation_ == Orientation::kMirror) return push_mirrored(rows, stride, count);
  for (int i = 0; i < count && arrived_ < stored_.height; ++i, ++arrived_, rows += stride) {
    std::uint8_t* to = kept_.data() + static_cast<std::size_t>(arrived_) * stride_;
    if (orientation_ == Orientation::kTurnHalf) {
      reverse_pixels(rows, stored_.width, pixel_bytes_, to);
    } else {
      std::memcpy(to, rows, stride_);
    }
  }
}

void TurnedRows::push_mirrored(const std::uint8_t* rows, std::ptrdiff_t stride, int count) {
  for (int i = 0; i < count; ++i, rows += stride) {
    reverse_pixels(rows, stored_.width, pixel_bytes_, kept_.data());
    next_->push(kept_.data(), 0, 1);
  }
}

void TurnedRows::finish() {
  if (orientation_ == Orientation::kTurnHalf || orientation_ == Orientation::kFlip) {
    const std::uint8_t* last = kept_.data() + stride_ * static_cast<std::size_t>(stored_.height - 1);
    next_->push(last, -static_cast<std::ptrdiff_t>(stride_), stored_.height);
  } else if (swaps_sides(orientation_)) {
    finish_turned();
  }
}

void TurnedRows::release() {
  if (kept_.size() > kKeptBytes) std::vector<std::uint8_t>().swap(kept_);
}

void TurnedRows::finish_turned() {
  const bool below = from_below(orientation_);
  const bool right = from_the_right(orientation_);
  const std::size_t row = static_cast<std::size_t>(stored_.height) * pixel_bytes_;
  const auto in_stride = static_cast<std::ptrdiff_t>(stride_);
  const auto out_stride = static_cast<std::ptrdiff_t>(row);
  const std::uint8_t* first =
      kept_.data() + (below ? stride_ * static_cast<std::size_t>(stored_.height - 1) : 0);
  for (int done = 0; done < stored_.width; done += kStrip) {
    const int columns = std::min(kStrip, stored_.width - done);
    const int column = right ? stored_.width - done - columns : done;
    std::uint8_t* top = strip_.data() + (right ? row * static_cast<std::size_t>(columns - 1) : 0);
    kTransposes[pixel_bytes_ - 1](first + static_cast<std::size_t>(column) * pixel_bytes_,
                                  below ? -in_stride : in_stride, columns, stored_.height, top,
                                  right ? -out_stride : out_stride);
    next_->push(strip_.data(), out_stride, columns);
  }
}

}  // namespace headrace::image
