// SPDX-License-Identifier: Apache-2.0
//
// See sample.h. A row of the result is worked on in stretches: first where its pixels lie in the picture,
// then the pixels themselves.
#include "warp/sample.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "warp/sample_kernels.h"

namespace headrace::image {
namespace {

void scale_forms(const double* x, const double* y, Size in, SampleGrid& grid) {
  for (std::size_t i = 0; i < 3; ++i) {
    grid.x[i] = static_cast<float>(x[i]) / (0.5F * static_cast<float>(in.width));
    grid.y[i] = static_cast<float>(y[i]) / (0.5F * static_cast<float>(in.height));
  }
}

SampleGrid grid_of(const AffineMatrix& inverse, Size in, Size out) {
  SampleGrid grid;
  grid.left = 0.5F * static_cast<float>(1 - out.width);
  grid.top = 0.5F * static_cast<float>(1 - out.height);
  scale_forms(inverse.data(), inverse.data() + 3, in, grid);
  return grid;
}

SampleGrid grid_of(const PerspectiveCoefficients& inverse, Size in) {
  SampleGrid grid;
  grid.left = 0.5F;
  grid.top = 0.5F;
  scale_forms(inverse.data(), inverse.data() + 3, in, grid);
  grid.below[0] = static_cast<float>(inverse[6]);
  grid.below[1] = static_cast<float>(inverse[7]);
  grid.tilted = true;
  return grid;
}

float in_type(float value, const float*) { return value; }
std::uint8_t in_type(float value, const std::uint8_t*) {
  return static_cast<std::uint8_t>(std::nearbyint(std::clamp(value, 0.0F, 255.0F)));
}

template <int kChannels, class T>
void copy_pixels(const T* in, const NearestPixels& pixels, int count, const T* outside, T* out) {
  for (int i = 0; i < count; ++i, out += kChannels)
    std::memcpy(out, pixels.offset[i] < 0 ? outside : in + pixels.offset[i], kChannels * sizeof(T));
}

template <class T>
void take(const PictureView<const T>& in, const NearestPixels& pixels, int count, Fill fill, T* out,
          const PictureView<T>& whole_out) {
  T outside[kMaxChannels] = {};
  for (int c = 0; fill != nullptr && c < in.channels; ++c) outside[c] = in_type(fill[c], in.data);
  if (in.layout == PixelLayout::kHwc) {
    switch (in.channels) {
      case 1:
        return copy_pixels<1>(in.data, pixels, count, outside, out);
      case 2:
        return copy_pixels<2>(in.data, pixels, count, outside, out);
      case 3:
        return copy_pixels<3>(in.data, pixels, count, outside, out);
      default:
        return copy_pixels<4>(in.data, pixels, count, outside, out);
    }
  }
  for (int c = 0; c < in.channels; ++c) {
    const auto channel = static_cast<std::size_t>(c);
    copy_pixels<1>(in.data + channel * in.channel_step(), pixels, count, outside + c,
                   out + channel * whole_out.channel_step());
  }
}

template <class T>
void take(const PictureView<const T>& in, const PixelQuads& quads, int count, Fill fill, T* out,
          const PictureView<T>& whole_out) {
  if (in.layout == PixelLayout::kHwc && in.channels > 1) {
    mix_pixels(in.data, in.elements(), in.channels, quads, count, fill, out);
    return;
  }
  for (int c = 0; c < in.channels; ++c) {
    const auto channel = static_cast<std::size_t>(c);
    mix_channel(in.data + channel * in.channel_step(), quads, count, fill == nullptr ? nullptr : fill + c,
                out + channel * whole_out.channel_step());
  }
}

/// locate(row, first, count, places), then the pixels at those places, for all of `out`.
template <class Places, class T, class Locate>
void sample(const PictureView<const T>& in, Fill fill, const PictureView<T>& out, Locate locate) {
  Places places;
  for (int row = 0; row < out.size.height; ++row) {
    for (int first = 0; first < out.size.width; first += kStretch) {
      const int count = std::min(kStretch, out.size.width - first);
      locate(row, first, count, places);
      T* to = out.data + static_cast<std::size_t>(row) * out.row_step() +
              static_cast<std::size_t>(first) * out.column_step();
      take(in, places, count, fill, to, out);
    }
  }
}

template <class T>
void warp(const PictureView<const T>& in, const SampleGrid& grid, Sampling sampling, Fill fill,
          const PictureView<T>& out) {
  const SampleBounds bounds{in.size.width, in.size.height, static_cast<std::int32_t>(in.column_step()),
                            static_cast<std::int32_t>(in.row_step())};
  if (sampling == Sampling::kNearest) {
    sample<NearestPixels>(in, fill, out, [&](int row, int first, int count, NearestPixels& pixels) {
      locate_nearest(grid, bounds, row, first, count, pixels);
    });
  } else {
    sample<PixelQuads>(in, fill, out, [&](int row, int first, int count, PixelQuads& quads) {
      locate_quads(grid, bounds, row, first, count, quads);
    });
  }
}

}  // namespace

void warp_affine(const PictureView<const std::uint8_t>& in, const AffineMatrix& inverse, Sampling sampling,
                 Fill fill, const PictureView<std::uint8_t>& out) {
  warp(in, grid_of(inverse, in.size, out.size), sampling, fill, out);
}
void warp_affine(const PictureView<const float>& in, const AffineMatrix& inverse, Sampling sampling,
                 Fill fill, const PictureView<float>& out) {
  warp(in, grid_of(inverse, in.size, out.size), sampling, fill, out);
}
void warp_perspective(const PictureView<const std::uint8_t>& in, const PerspectiveCoefficients& inverse,
                      Sampling sampling, Fill fill, const PictureView<std::uint8_t>& out) {
  warp(in, grid_of(inverse, in.size), sampling, fill, out);
}
void warp_perspective(const PictureView<const float>& in, const PerspectiveCoefficients& inverse,
                      Sampling sampling, Fill fill, const PictureView<float>& out) {
  warp(in, grid_of(inverse, in.size), sampling, fill, out);
}

}  // namespace headrace::image
