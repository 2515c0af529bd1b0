// SPDX-License-Identifier: Apache-2.0
//
// See mixing.h. Rows are worked on from last to first, a piece of all rows at a time: a row's piece is still
// its own when the next one needs it, and only the last row's must be kept aside.
#include "mixing.h"

#include <array>
#include <cstring>

namespace headrace::batch {
namespace {

constexpr std::size_t kPieceBytes = 4096;

/// mix(row's piece, piece of the row before it, bytes) for all rows.
template <class Mix>
void each_piece(const RowStretch& stretch, Mix mix) {
  alignas(64) std::array<std::byte, kPieceBytes> last;
  for (std::size_t at = 0; at < stretch.bytes; at += kPieceBytes) {
    const std::size_t bytes = std::min(kPieceBytes, stretch.bytes - at);
    std::byte* piece = stretch.first + at;
    std::memcpy(last.data(), piece + (stretch.rows - 1) * stretch.row_bytes, bytes);
    for (std::size_t row = stretch.rows - 1; row > 0; --row)
      mix(piece + row * stretch.row_bytes, piece + (row - 1) * stretch.row_bytes, bytes);
    mix(piece, last.data(), bytes);
  }
}

}  // namespace

void roll(const RowStretch& stretch) {
  each_piece(stretch,
             [](std::byte* to, const std::byte* from, std::size_t bytes) { std::memcpy(to, from, bytes); });
}

void blend(const RowStretch& stretch, double lambda) {
  const auto own_part = static_cast<float>(lambda);
  const auto other_part = static_cast<float>(1.0 - lambda);
  each_piece(stretch, [=](std::byte* to, const std::byte* from, std::size_t bytes) {
    auto* own = reinterpret_cast<float*>(to);
    const auto* other = reinterpret_cast<const float*>(from);
    for (std::size_t i = 0; i < bytes / sizeof(float); ++i)
      own[i] = other[i] * other_part + own[i] * own_part;
  });
}

CutBox cut_box(int width, int height, double lambda, int x, int y) {
  const double half = 0.5 * std::sqrt(1.0 - lambda);
  const int across = static_cast<int>(half * width);
  const int down = static_cast<int>(half * height);
  return {std::max(x - across, 0), std::max(y - down, 0), std::min(x + across, width),
          std::min(y + down, height)};
}

double part_left(int width, int height, const CutBox& box) {
  const double cut = static_cast<double>(box.x1 - box.x0) * (box.y1 - box.y0);
  return 1.0 - cut / (static_cast<double>(width) * height);
}

}  // namespace headrace::batch
