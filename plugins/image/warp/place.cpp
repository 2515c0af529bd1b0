// SPDX-License-Identifier: Apache-2.0
//
// See place.h.
#include "warp/place.h"

#include <algorithm>
#include <cstring>

#include "pixels/pixel_writer.h"

namespace headrace::image {
namespace {

/// Which of `length` samples stands at `at`; -1 where the fill is.
int source_of(int at, int length, Surround surround) {
  if (at >= 0 && at < length) return at;
  switch (surround) {
    case Surround::kConstant:
      return -1;
    case Surround::kEdge:
      return at < 0 ? 0 : length - 1;
    case Surround::kReflect:
      return at < 0 ? -at : 2 * (length - 1) - at;
    case Surround::kSymmetric:
      return at < 0 ? -at - 1 : 2 * length - 1 - at;
  }
  return -1;
}

void fill_pixels(const std::uint8_t* pixel, std::size_t pixel_bytes, std::size_t count, std::uint8_t* out) {
  if (count == 0) return;
  const std::size_t bytes = pixel_bytes * count;
  if (pixel == nullptr) {
    std::memset(out, 0, bytes);
    return;
  }
  std::memcpy(out, pixel, pixel_bytes);
  for (std::size_t done = pixel_bytes; done < bytes;) {
    const std::size_t next = std::min(done, bytes - done);
    std::memcpy(out + done, out, next);
    done += next;
  }
}

/// One row of the part. `inner` is where it overlaps the picture.
class RowPlacer {
 public:
  RowPlacer(const Planes& planes, const Region& part, Surround surround)
      : pixel_(planes.pixel_bytes), width_(planes.size.width), part_(part), surround_(surround) {
    const Region inner = intersection(part, {0, part.y, planes.size.width, part.height});
    left_ = inner.empty() ? part.width : inner.x - part.x;
    middle_ = inner.empty() ? 0 : inner.width;
  }

  void place(const std::uint8_t* row, const std::uint8_t* fill, std::uint8_t* out) const {
    std::memcpy(out + bytes(left_), row + bytes(middle_ == 0 ? 0 : part_.x + left_), bytes(middle_));
    border(row, fill, 0, left_, out);
    border(row, fill, left_ + middle_, part_.width, out);
  }

 private:
  std::size_t bytes(int pixels) const { return static_cast<std::size_t>(pixels) * pixel_; }
  void border(const std::uint8_t* row, const std::uint8_t* fill, int from, int to, std::uint8_t* out) const {
    if (surround_ == Surround::kConstant) {
      fill_pixels(fill, pixel_, static_cast<std::size_t>(to - from), out + bytes(from));
      return;
    }
    for (int x = from; x < to; ++x)
      std::memcpy(out + bytes(x), row + bytes(source_of(part_.x + x, width_, surround_)), pixel_);
  }

  std::size_t pixel_;
  int width_;
  Region part_;
  Surround surround_;
  int left_ = 0;
  int middle_ = 0;
};

template <std::size_t kBytes>
void move_column(const std::uint8_t* in, std::ptrdiff_t step, int count, std::uint8_t* out) {
  for (int i = 0; i < count; ++i, in += step, out += kBytes) std::memcpy(out, in, kBytes);
}

/// Pixels `step` bytes apart, side by side.
void gather_column(const std::uint8_t* in, std::ptrdiff_t step, int count, std::size_t pixel_bytes,
                   std::uint8_t* out) {
  switch (pixel_bytes) {
    case 1:
      return move_column<1>(in, step, count, out);
    case 3:
      return move_column<3>(in, step, count, out);
    case 4:
      return move_column<4>(in, step, count, out);
    case 12:
      return move_column<12>(in, step, count, out);
    default:
      for (int i = 0; i < count; ++i, in += step, out += pixel_bytes) std::memcpy(out, in, pixel_bytes);
  }
}

}  // namespace

Region padded(Size size, const Padding& padding) {
  return {-padding.left, -padding.top, size.width + padding.left + padding.right,
          size.height + padding.top + padding.bottom};
}

Verdict check_padding(Size size, const Padding& padding, Surround surround) {
  if (surround == Surround::kConstant || surround == Surround::kEdge) return {};
  const int room = surround == Surround::kReflect ? 1 : 0;
  const int across = std::max(padding.left, padding.right);
  const int down = std::max(padding.top, padding.bottom);
  if (across + room <= size.width && down + room <= size.height) return {};
  return Verdict::refuse(
      Verdict::Kind::kInvalid,
      "a picture of %d x %d pixels is too small to be mirrored %d pixels across and %d down", size.width,
      size.height, across, down);
}

void take_part(const std::uint8_t* in, const Planes& planes, const Region& part, Surround surround,
               const std::uint8_t* fill, std::uint8_t* out) {
  const RowPlacer placer(planes, part, surround);
  const std::size_t out_row = static_cast<std::size_t>(part.width) * planes.pixel_bytes;
  for (std::int64_t plane = 0; plane < planes.count; ++plane, in += planes.plane_bytes()) {
    const std::uint8_t* pixel =
        fill == nullptr ? nullptr : fill + static_cast<std::size_t>(plane) * planes.pixel_bytes;
    for (int y = 0; y < part.height; ++y, out += out_row) {
      const int source = source_of(part.y + y, planes.size.height, surround);
      if (source < 0) {
        fill_pixels(pixel, planes.pixel_bytes, static_cast<std::size_t>(part.width), out);
      } else {
        placer.place(in + static_cast<std::size_t>(source) * planes.row_bytes(), pixel, out);
      }
    }
  }
}

void fill_part(std::uint8_t* pixels, const Planes& planes, const Region& part, const std::uint8_t* fill) {
  for (std::int64_t plane = 0; plane < planes.count; ++plane, pixels += planes.plane_bytes()) {
    const std::uint8_t* pixel =
        fill == nullptr ? nullptr : fill + static_cast<std::size_t>(plane) * planes.pixel_bytes;
    std::uint8_t* row = pixels + static_cast<std::size_t>(part.y) * planes.row_bytes() +
                        static_cast<std::size_t>(part.x) * planes.pixel_bytes;
    for (int y = 0; y < part.height; ++y, row += planes.row_bytes())
      fill_pixels(pixel, planes.pixel_bytes, static_cast<std::size_t>(part.width), row);
  }
}

void flip_columns(const std::uint8_t* in, const Planes& planes, std::uint8_t* out) {
  const std::int64_t rows = planes.count * planes.size.height;
  for (std::int64_t row = 0; row < rows; ++row, in += planes.row_bytes(), out += planes.row_bytes())
    reverse_pixels(in, planes.size.width, planes.pixel_bytes, out);
}

void flip_rows(const std::uint8_t* in, const Planes& planes, std::uint8_t* out) {
  for (std::int64_t plane = 0; plane < planes.count; ++plane, in += planes.plane_bytes()) {
    for (int y = planes.size.height - 1; y >= 0; --y, out += planes.row_bytes())
      std::memcpy(out, in + static_cast<std::size_t>(y) * planes.row_bytes(), planes.row_bytes());
  }
}

void turn(const std::uint8_t* in, const Planes& planes, int quarters, std::uint8_t* out) {
  const int width = planes.size.width;
  const int height = planes.size.height;
  const auto row = static_cast<std::ptrdiff_t>(planes.row_bytes());
  for (std::int64_t plane = 0; plane < planes.count; ++plane, in += planes.plane_bytes()) {
    if (quarters == 2) {
      for (int y = height - 1; y >= 0; --y, out += planes.row_bytes())
        reverse_pixels(in + static_cast<std::size_t>(y) * planes.row_bytes(), width, planes.pixel_bytes, out);
      continue;
    }
    // A quarter to the left: the last column becomes the first row.
    for (int i = 0; i < width; ++i, out += static_cast<std::size_t>(height) * planes.pixel_bytes) {
      const int x = quarters == 1 ? width - 1 - i : i;
      const std::uint8_t* first = in + static_cast<std::size_t>(x) * planes.pixel_bytes;
      if (quarters == 1) {
        gather_column(first, row, height, planes.pixel_bytes, out);
      } else {
        gather_column(first + (height - 1) * row, -row, height, planes.pixel_bytes, out);
      }
    }
  }
}

}  // namespace headrace::image
