// SPDX-License-Identifier: Apache-2.0
//
// How the rows that a file stores must be turned to be looked at (EXIF 2.32, tag 274; TIFF 6.0, Orientation),
// for the part of the picture that is wanted. Used by codec/picture.h between decoder and renderer, once a
// picture, on the worker's thread.
#pragma once

#include <cstdint>
#include <vector>

#include "pixels/geometry.h"
#include "pixels/rows.h"

namespace headrace::image {

/// EXIF's numbers. The name says what must be done to the stored rows.
enum class Orientation : std::uint8_t {
  kUpright = 1,
  kMirror = 2,  // left and right change places
  kTurnHalf = 3,
  kFlip = 4,       // top and bottom change places
  kTranspose = 5,  // columns become rows
  kTurnRight = 6,
  kTransverse = 7,  // columns become rows, and both run backwards
  kTurnLeft = 8,
};

/// True where columns become rows.
bool swaps_sides(Orientation orientation);
/// The size of a picture that is stored with size `stored`.
Size turned(Size stored, Orientation orientation);
/// Which axes of the turned picture run against those of the stored one that they are.
struct Reversed {
  bool x = false;
  bool y = false;
};
Reversed reversed_axes(Orientation orientation);
/// Where `part` of the turned picture lies in one that is stored with size `stored`.
Region stored_part(const Region& part, Size stored, Orientation orientation);

/// Turns a region's rows on their way. Mirrored rows leave as they come; all others need the last stored row
/// first, so the region (and nothing else of the picture) is kept until it has arrived.
class TurnedRows final : public RowSink {
 public:
  /// `stored` is the size of what will be pushed, `channels` bytes a pixel; the turned rows go to `next`.
  void begin(Orientation orientation, Size stored, int channels, RowSink& next);
  void push(const std::uint8_t* rows, std::ptrdiff_t stride, int count) override;
  /// After the last row: hands on what was kept.
  void finish();
  /// Gives back the memory that only a large picture needs.
  void release();

 private:
  void push_mirrored(const std::uint8_t* rows, std::ptrdiff_t stride, int count);
  void finish_turned();

  Orientation orientation_ = Orientation::kUpright;
  Size stored_;
  std::size_t pixel_bytes_ = 0;
  std::size_t stride_ = 0;
  int arrived_ = 0;
  RowSink* next_ = nullptr;
  std::vector<std::uint8_t> kept_;
  std::vector<std::uint8_t> strip_;
};

}  // namespace headrace::image
