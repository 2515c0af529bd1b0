// SPDX-License-Identifier: Apache-2.0
//
// See sample.h. A row of the result is worked on in stretches: first all positions, then all weights, then
// the pixels of one channel after the other, so that each loop is simple enough for the compiler's vectors.
#include "warp/sample.h"

#include <algorithm>
#include <cmath>

namespace headrace::image {
namespace {

constexpr int kStretch = 128;  // pixels

/// Where the pixels of a stretch lie in the picture; the centre of its first pixel is (0, 0).
struct Positions {
  float x[kStretch];
  float y[kStretch];
};

// torch multiplies the grid by the matrix with fused multiply-adds in the order x, y, 1; a product of floats
// is exact in double precision.
float sum_of_products(float x, float a, float y, float b, float c) {
  return static_cast<float>(static_cast<double>(y) * static_cast<double>(b) + static_cast<double>(x * a)) + c;
}

float pixel_position(float grid, float half_size) { return (grid + 1.0F) * half_size - 0.5F; }

class AffineGrid {
 public:
  AffineGrid(const AffineMatrix& inverse, Size in, Size out)
      : half_width_(0.5F * static_cast<float>(in.width)),
        half_height_(0.5F * static_cast<float>(in.height)),
        left_(0.5F * static_cast<float>(1 - out.width)),
        top_(0.5F * static_cast<float>(1 - out.height)) {
    for (std::size_t i = 0; i < 3; ++i) {
      to_x_[i] = static_cast<float>(inverse[i]) / half_width_;
      to_y_[i] = static_cast<float>(inverse[i + 3]) / half_height_;
    }
  }

  void positions(int row, int first, int count, Positions& at) const {
    const float y = top_ + static_cast<float>(row);
    for (int i = 0; i < count; ++i) {
      const float x = left_ + static_cast<float>(first + i);
      at.x[i] = pixel_position(sum_of_products(x, to_x_[0], y, to_x_[1], to_x_[2]), half_width_);
      at.y[i] = pixel_position(sum_of_products(x, to_y_[0], y, to_y_[1], to_y_[2]), half_height_);
    }
  }

 private:
  float half_width_;
  float half_height_;
  float left_;
  float top_;
  float to_x_[3];
  float to_y_[3];
};

class PerspectiveGrid {
 public:
  PerspectiveGrid(const PerspectiveCoefficients& inverse, Size size)
      : half_width_(0.5F * static_cast<float>(size.width)),
        half_height_(0.5F * static_cast<float>(size.height)) {
    for (std::size_t i = 0; i < 3; ++i) {
      to_x_[i] = static_cast<float>(inverse[i]) / half_width_;
      to_y_[i] = static_cast<float>(inverse[i + 3]) / half_height_;
    }
    below_[0] = static_cast<float>(inverse[6]);
    below_[1] = static_cast<float>(inverse[7]);
  }

  void positions(int row, int first, int count, Positions& at) const {
    const float y = 0.5F + static_cast<float>(row);
    for (int i = 0; i < count; ++i) {
      const float x = 0.5F + static_cast<float>(first + i);
      const float below = sum_of_products(x, below_[0], y, below_[1], 1.0F);
      const float grid_x = sum_of_products(x, to_x_[0], y, to_x_[1], to_x_[2]) / below - 1.0F;
      const float grid_y = sum_of_products(x, to_y_[0], y, to_y_[1], to_y_[2]) / below - 1.0F;
      at.x[i] = pixel_position(grid_x, half_width_);
      at.y[i] = pixel_position(grid_y, half_height_);
    }
  }

 private:
  float half_width_;
  float half_height_;
  float to_x_[3];
  float to_y_[3];
  float below_[2];
};

template <class T>
T stored(float value);
template <>
float stored<float>(float value) {
  return value;
}
template <>
std::uint8_t stored<std::uint8_t>(float value) {
  // Adding 2^23 leaves no fraction bits, so the sum is rounded, half to even, as every processor does it.
  constexpr float kNoFraction = 8388608.0F;
  return static_cast<std::uint8_t>(static_cast<std::int32_t>(std::clamp(value, 0.0F, 255.0F) + kNoFraction) -
                                   static_cast<std::int32_t>(kNoFraction));
}

/// The picture's sizes as both kinds of sampling use them.
struct Bounds {
  template <class T>
  explicit Bounds(const PictureView<T>& in)
      : width(static_cast<float>(in.size.width)),
        height(static_cast<float>(in.size.height)),
        last_x(in.size.width - 1),
        last_y(in.size.height - 1),
        column(static_cast<std::ptrdiff_t>(in.column_step())),
        row(static_cast<std::ptrdiff_t>(in.row_step())) {}
  float width;
  float height;
  int last_x;
  int last_y;
  std::ptrdiff_t column;
  std::ptrdiff_t row;
};

/// The pixel nearest to each position.
struct Nearest {
  std::ptrdiff_t offset[kStretch];  // -1: outside

  void locate(const Positions& at, int count, const Bounds& bounds) {
    for (int i = 0; i < count; ++i) {
      // Written so that what is no number is outside.
      const bool inside =
          at.x[i] >= -0.5F && at.x[i] < bounds.width && at.y[i] >= -0.5F && at.y[i] < bounds.height;
      const int x = inside ? static_cast<int>(std::nearbyintf(at.x[i])) : -1;
      const int y = inside ? static_cast<int>(std::nearbyintf(at.y[i])) : -1;
      const bool there = x >= 0 && x <= bounds.last_x && y >= 0 && y <= bounds.last_y;
      offset[i] = there ? y * bounds.row + x * bounds.column : -1;
    }
  }

  template <class T>
  void take(const T* in, int count, Fill fill, int channel, T* out, std::size_t step) const {
    const T outside = stored<T>(fill == nullptr ? 0.0F : fill[channel]);
    for (int i = 0; i < count; ++i, out += step) *out = offset[i] < 0 ? outside : in[offset[i]];
  }
};

/// The four pixels around each position and their weights. One that does not exist weighs nothing, and
/// another one is read in its place.
struct Bilinear {
  std::ptrdiff_t offset[kStretch];
  std::ptrdiff_t right[kStretch];
  std::ptrdiff_t down[kStretch];
  float weight[4][kStretch];  // upper left, upper right, lower left, lower right
  float seen[kStretch];       // their sum

  void locate(const Positions& at, int count, const Bounds& bounds) {
    for (int i = 0; i < count; ++i) {
      const bool near =
          at.x[i] > -1.0F && at.x[i] < bounds.width && at.y[i] > -1.0F && at.y[i] < bounds.height;
      const float x = near ? at.x[i] : -1.0F;
      const float y = near ? at.y[i] : -1.0F;
      const int x0 = floor_of(x);
      const int y0 = floor_of(y);
      const float east = x - static_cast<float>(x0);
      const float south = y - static_cast<float>(y0);
      const bool left_there = x0 >= 0;
      const bool right_there = near && x0 < bounds.last_x;
      const bool top_there = y0 >= 0;
      const bool bottom_there = near && y0 < bounds.last_y;
      weight[0][i] = left_there && top_there ? (1.0F - east) * (1.0F - south) : 0.0F;
      weight[1][i] = right_there && top_there ? east * (1.0F - south) : 0.0F;
      weight[2][i] = left_there && bottom_there ? (1.0F - east) * south : 0.0F;
      weight[3][i] = right_there && bottom_there ? east * south : 0.0F;
      seen[i] = weight[0][i] + weight[1][i] + weight[2][i] + weight[3][i];
      offset[i] = std::max(y0, 0) * bounds.row + std::max(x0, 0) * bounds.column;
      right[i] = left_there && right_there ? bounds.column : 0;
      down[i] = top_there && bottom_there ? bounds.row : 0;
    }
  }

  template <class T>
  void take(const T* in, int count, Fill fill, int channel, T* out, std::size_t step) const {
    const float outside = fill == nullptr ? 0.0F : fill[channel];
    for (int i = 0; i < count; ++i, out += step) {
      const T* above = in + offset[i];
      const T* below = above + down[i];
      float value =
          static_cast<float>(above[0]) * weight[0][i] + static_cast<float>(above[right[i]]) * weight[1][i] +
          static_cast<float>(below[0]) * weight[2][i] + static_cast<float>(below[right[i]]) * weight[3][i];
      if (fill != nullptr) value = (value - outside) * seen[i] + outside;
      *out = stored<T>(value);
    }
  }

 private:
  static int floor_of(float value) {
    const int whole = static_cast<int>(value);
    return whole - (static_cast<float>(whole) > value ? 1 : 0);
  }
};

template <class Method, class Grid, class T>
void warp(const PictureView<const T>& in, const Grid& grid, Fill fill, const PictureView<T>& out) {
  const Bounds bounds(in);
  const std::size_t step = out.column_step();
  Positions at;
  Method method;
  for (int row = 0; row < out.size.height; ++row) {
    for (int first = 0; first < out.size.width; first += kStretch) {
      const int count = std::min(kStretch, out.size.width - first);
      grid.positions(row, first, count, at);
      method.locate(at, count, bounds);
      T* to =
          out.data + static_cast<std::size_t>(row) * out.row_step() + static_cast<std::size_t>(first) * step;
      for (int channel = 0; channel < in.channels; ++channel) {
        const auto c = static_cast<std::size_t>(channel);
        method.take(in.data + c * in.channel_step(), count, fill, channel, to + c * out.channel_step(), step);
      }
    }
  }
}

template <class Grid, class T>
void warp_by(Sampling sampling, const PictureView<const T>& in, const Grid& grid, Fill fill,
             const PictureView<T>& out) {
  if (sampling == Sampling::kNearest) {
    warp<Nearest>(in, grid, fill, out);
  } else {
    warp<Bilinear>(in, grid, fill, out);
  }
}

}  // namespace

void warp_affine(const PictureView<const std::uint8_t>& in, const AffineMatrix& inverse, Sampling sampling,
                 Fill fill, const PictureView<std::uint8_t>& out) {
  warp_by(sampling, in, AffineGrid(inverse, in.size, out.size), fill, out);
}
void warp_affine(const PictureView<const float>& in, const AffineMatrix& inverse, Sampling sampling,
                 Fill fill, const PictureView<float>& out) {
  warp_by(sampling, in, AffineGrid(inverse, in.size, out.size), fill, out);
}
void warp_perspective(const PictureView<const std::uint8_t>& in, const PerspectiveCoefficients& inverse,
                      Sampling sampling, Fill fill, const PictureView<std::uint8_t>& out) {
  warp_by(sampling, in, PerspectiveGrid(inverse, out.size), fill, out);
}
void warp_perspective(const PictureView<const float>& in, const PerspectiveCoefficients& inverse,
                      Sampling sampling, Fill fill, const PictureView<float>& out) {
  warp_by(sampling, in, PerspectiveGrid(inverse, out.size), fill, out);
}

}  // namespace headrace::image
