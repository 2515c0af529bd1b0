// SPDX-License-Identifier: Apache-2.0
//
// Carries a Frame out on a stream of rows: takes the part of the picture that the frame needs, puts black
// where it reaches beyond, resamples and hands on the result's rows. Whether the rows come from a decoder or
// from memory makes no difference. One object a worker; it keeps its buffers.
#pragma once

#include <vector>

#include "pixels/frame.h"
#include "pixels/resample.h"
#include "pixels/rows.h"
#include "pixels/verdict.h"

namespace headrace::image {

/// Surrounds a region's rows with black.
class Border final : public RowSink {
 public:
  /// `inner` (which may be empty) is what will be pushed, `outer` what is passed on to `next`, both in the
  /// same coordinates.
  void begin(const Region& outer, const Region& inner, int channels, RowSink& next);
  void push(const std::uint8_t* rows, std::ptrdiff_t stride, int count) override;
  /// The rows below `inner`.
  void finish();

 private:
  void push_black(int count);

  RowSink* next_ = nullptr;
  std::size_t left_bytes_ = 0;
  std::size_t inner_bytes_ = 0;
  int above_ = 0;
  int below_ = 0;
  std::vector<std::uint8_t> row_;
  std::vector<std::uint8_t> black_;
};

class Renderer {
 public:
  /// The result's rows, frame.size() of them with `channels` bytes a pixel, go to `out`. Mirrors only where
  /// it resamples: see mirrors().
  Verdict begin(const Frame& frame, int channels, RowSink& out);
  /// The part of the picture that must be pushed to input(), row by row. May be empty: then push nothing.
  /// [after begin]
  const Region& needed() const { return needed_; }
  RowSink& input() { return *input_; }
  /// After the last row.
  void finish();

  /// True when the frame's flip is done on the way; else `out` is to do it.
  static bool mirrors(const Frame& frame) { return frame.resampled() && frame.mirrored(); }

 private:
  Verdict begin_resampled(const Frame& frame, int channels, RowSink& out);

  Resampler resampler_;
  Border before_;
  Border after_;
  bool before_used_ = false;
  bool after_used_ = false;
  Region needed_;
  RowSink* input_ = nullptr;
};

}  // namespace headrace::image
