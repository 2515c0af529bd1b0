// SPDX-License-Identifier: Apache-2.0
//
// Gaussian blur and sharpness, by torchvision.transforms.v2.functional on a tensor: each value from its
// neighbours in its own channel. `in` may be `out`. A RowFilter keeps the rows that are still needed; one
// object a worker, which takes memory from the heap only for a picture larger than any before.
#pragma once

#include <vector>

#include "color/shape.h"

namespace headrace::image {

/// The longest kernel that gaussian_blur() takes.
inline constexpr int kMaxKernel = 255;

class RowFilter {
 public:
  /// Two passes with a Gaussian of `kernel_width` x `kernel_height` (odd, to kMaxKernel) and standard
  /// deviations sigma_x, sigma_y > 0; the picture is reflected at its edges, so that both its sides must be
  /// longer than half the kernel's. Bytes are rounded.
  void gaussian_blur(const PictureShape& shape, const void* in, void* out, int kernel_width,
                     int kernel_height, double sigma_x, double sigma_y);

  /// x * factor + (1 - factor) * the mean of 3 x 3 in which the middle weighs 5. The outermost rows and
  /// columns, and pictures with a side below 3, stay as they are. factor >= 0.
  void adjust_sharpness(const PictureShape& shape, const void* in, void* out, double factor);

 private:
  template <class T>
  void blur_run(const PictureShape& shape, const T* in, T* out);
  template <class T>
  void sharpen_run(const PictureShape& shape, const T* in, T* out, float factor);

  std::vector<float> weights_x_;  // of the middle, of its neighbours, of theirs, ...
  std::vector<float> weights_y_;
  std::vector<float> padded_;       // one row, reflected at both ends
  std::vector<float> ring_;         // rows after the pass along x
  std::vector<const float*> taps_;  // the middle, and on both sides of it outward
  std::vector<float> row_;          // of the picture as it was, where `in` is `out`
  std::vector<float> sums_;         // of three rows
};

}  // namespace headrace::image
