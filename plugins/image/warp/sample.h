// SPDX-License-Identifier: Apache-2.0
//
// The one place where a warped picture's pixels are read: each pixel of the result has a position in the
// picture, and takes the nearest pixel or the four around it. Positions, weights and roundings are those of
// torchvision's tensor functionals, that is of torch's grid_sample with padding_mode "zeros" and
// align_corners=False (ATen/native/cpu/GridSamplerKernel.cpp), in single precision; a half rounds to the even
// neighbour. Pure functions, called by the warping ops and the augmentation policies once a picture, on any
// thread; they allocate nothing.
#pragma once

#include "pixels/verdict.h"
#include "warp/matrix.h"
#include "warp/view.h"

namespace headrace::image {

enum class Sampling : std::uint8_t { kNearest, kBilinear };

/// What is seen where the picture has no pixel: a value for each channel, or null for torchvision's
/// fill=None. Bilinear sampling near an edge mixes the fill in as torchvision does, where null is another
/// result than a fill of zeros.
using Fill = const float*;

/// `out` gets its own size's worth of pixels: pixel (x, y) of it shows the picture at `inverse` of (x + 0.5,
/// y + 0.5), where both positions are measured from their own picture's middle. Same layout and number of
/// channels (1 to 4) in both, sizes at least 1, memory apart.
void warp_affine(const PictureView<const std::uint8_t>& in, const AffineMatrix& inverse, Sampling sampling,
                 Fill fill, const PictureView<std::uint8_t>& out);
void warp_affine(const PictureView<const float>& in, const AffineMatrix& inverse, Sampling sampling,
                 Fill fill, const PictureView<float>& out);

/// The same by perspective, positions measured from the upper left corner. `out` has the size of `in`.
void warp_perspective(const PictureView<const std::uint8_t>& in, const PerspectiveCoefficients& inverse,
                      Sampling sampling, Fill fill, const PictureView<std::uint8_t>& out);
void warp_perspective(const PictureView<const float>& in, const PerspectiveCoefficients& inverse,
                      Sampling sampling, Fill fill, const PictureView<float>& out);

}  // namespace headrace::image
