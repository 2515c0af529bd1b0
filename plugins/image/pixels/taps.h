// SPDX-License-Identifier: Apache-2.0
//
// The weights of one resampling axis: which inputs each output is made of and how much of each, in the 22-bit
// fixed point that makes Pillow's results (its libImaging/Resample.c). Built by the resampler once a picture
// and axis, on any thread.
#pragma once

#include <cstdint>
#include <vector>

namespace headrace::image {

enum class Filter : std::uint8_t { kNearest, kBox, kBilinear, kHamming, kBicubic, kLanczos };

/// One axis of a resize. Positions are Pillow's: the input's samples are centred at 0.5, 1.5, ...
struct AxisSpec {
  int in_size = 0;      // samples that exist; weights falling outside are left out and the rest scaled up
  float box_start = 0;  // the stretch of the input that the whole output covers
  float box_end = 0;
  int out_size = 0;   // of the whole output
  int out_first = 0;  // outputs wanted: out_first .. out_first + out_count - 1
  int out_count = 0;
  bool mirrored = false;  // wanted from the last to the first
  bool antialias = true;  // false: the filter keeps its width when shrinking
};

/// Fraction bits of a weight; a weighted sum of bytes, rounded, is (sum + 2^21) >> 22, clamped to a byte.
inline constexpr int kWeightBits = 22;

/// Keeps its memory from picture to picture. [one thread at a time]
class Taps {
 public:
  /// Replaces everything. 1 <= out_count, out_first + out_count <= out_size, box within 0 .. in_size.
  void build(Filter filter, const AxisSpec& axis);

  int count() const { return static_cast<int>(first_.size()); }
  int first(int output) const { return first_[static_cast<std::size_t>(output)]; }
  /// At least 1; at most longest().
  int length(int output) const { return length_[static_cast<std::size_t>(output)]; }
  const std::int32_t* weights(int output) const {
    return weights_.data() + static_cast<std::size_t>(output) * stride_;
  }
  int longest() const { return longest_; }
  /// The inputs that any output reads: begin() .. end() - 1.
  int begin() const { return begin_; }
  int end() const { return end_; }
  /// True when each output is exactly one input of its own position: nothing to compute but a copy from
  /// begin() on.
  bool is_copy() const { return is_copy_; }

 private:
  void build_nearest(const AxisSpec& axis);
  void build_weighted(Filter filter, const AxisSpec& axis);
  void summarize();
  void trim(std::size_t output, int latest_first);

  std::vector<int> first_;
  std::vector<int> length_;
  std::vector<std::int32_t> weights_;
  std::vector<double> exact_;
  std::size_t stride_ = 0;
  int longest_ = 0;
  int begin_ = 0;
  int end_ = 0;
  bool is_copy_ = false;
};

}  // namespace headrace::image
