// SPDX-License-Identifier: Apache-2.0
//
// Resizing as Pillow 13 does it (libImaging/Resample.c), bit for bit, but on a stream of rows: each arriving
// row is resampled across at once and kept in a ring just long enough for the columns; an output row leaves
// as soon as its last input row has come. Where Pillow goes down the columns first (a height that shrinks by
// more than twice the width), the ring holds plain rows. Fused decoding and the resize op over a picture in
// memory run this same code. One object a worker; it keeps its buffers.
#pragma once

#include <cstdint>
#include <vector>

#include "pixels/geometry.h"
#include "pixels/rows.h"
#include "pixels/taps.h"
#include "pixels/verdict.h"

namespace headrace::image {

struct ResampleSpec {
  int channels = 3;       // 1 .. 4, interleaved bytes
  Size in;                // the picture the filter sees: nothing outside counts
  float box[4] = {};      // x0, y0, x1, y1 in it: what the whole output covers
  Size out;               // the whole output
  Region window;          // the part of it that is wanted, inside it
  bool mirrored = false;  // the wanted part comes out with its columns reversed
  Filter filter = Filter::kBilinear;
  bool antialias = true;
};

/// The usual case: all of `in` to all of `out`.
ResampleSpec resample_all(int channels, Size in, Size out, Filter filter);

class Resampler final : public RowSink {
 public:
  /// Computes the weights. The spec's sizes are at least 1 and at most kMaxSide; refuses a box or window
  /// outside.
  Verdict configure(const ResampleSpec& spec);
  /// The part of spec.in that the window depends on: exactly its rows and columns must be pushed. [after
  /// configure]
  const Region& needed() const { return needed_; }
  /// Starts a picture, whose output rows go to `next`, one at a time. May be called again for the next
  /// picture of the same spec.
  void begin(RowSink& next);
  void push(const std::uint8_t* rows, std::ptrdiff_t stride, int count) override;
  /// All output rows have left; rows pushed later are ignored.
  bool done() const { return next_output_ == rows_.count(); }

 private:
  void arrange_columns();
  void arrange_rows();
  void take_row(const std::uint8_t* row);
  void emit_ready();
  const std::uint8_t* combine_rows(int output);
  void across(const std::uint8_t* in, std::uint8_t* out) const;
  std::uint8_t* ring_row(int y) {
    return ring_.data() + static_cast<std::size_t>(y % ring_rows_) * ring_stride_;
  }

  int channels_ = 3;
  Region needed_;
  Taps columns_;
  Taps rows_;
  // The horizontal weights as the kernel wants them (see resample_kernels.h).
  std::vector<std::int32_t> offsets_;
  std::vector<std::int32_t> packed_;
  int pairs_ = 0;
  // The vertical weights of the output row that is due, in pairs.
  std::vector<std::int32_t> row_weights_;
  std::vector<const std::uint8_t*> row_pointers_;
  // Rows that still wait for others below them; row y (of the picture) lies at y % ring_rows_.
  std::vector<std::uint8_t> ring_;
  std::vector<std::uint8_t> combined_;
  std::vector<std::uint8_t> line_;
  bool down_first_ = false;
  std::size_t row_bytes_ = 0;  // of one row in the ring
  std::size_t ring_stride_ = 0;
  int ring_rows_ = 0;
  int next_input_ = 0;
  int next_output_ = 0;
  RowSink* next_ = nullptr;
};

}  // namespace headrace::image
