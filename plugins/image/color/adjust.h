// SPDX-License-Identifier: Apache-2.0
//
// Brightness, contrast, saturation, hue, gamma and gray: torchvision.transforms.v2.functional on a tensor, in
// single precision, each operation rounded by itself. Bytes are cut to whole levels where torchvision cuts
// them and rounded where it rounds. `in` may be `out`, but for grayscale(). Pure functions, called by the
// image ops, on any thread; none takes memory from the heap.
#pragma once

#include "color/shape.h"

namespace headrace::image {

/// x * factor. factor >= 0.
void adjust_brightness(const PictureShape& shape, const void* in, void* out, double factor);

/// x * factor + (1 - factor) * the mean of the gray picture. factor >= 0; 1 or 3 channels.
void adjust_contrast(const PictureShape& shape, const void* in, void* out, double factor);

/// x * factor + (1 - factor) * gray. factor >= 0; 3 channels, or 1, which is copied.
void adjust_saturation(const PictureShape& shape, const void* in, void* out, double factor);

/// The hue turned by `factor`, -0.5 to 0.5 of the circle. 3 channels, or 1, which is copied.
void adjust_hue(const PictureShape& shape, const void* in, void* out, double factor);

/// gain * x ^ gamma. gamma >= 0.
void adjust_gamma(const PictureShape& shape, const void* in, void* out, double gamma, double gain);

/// 0.2989 r + 0.587 g + 0.114 b to a picture of `channels` (1 or 3) channels, in the layout of `shape`, which
/// has 3 channels, or 1, which is repeated. `in` may be `out` where the number of channels does not grow.
void grayscale(const PictureShape& shape, const void* in, void* out, int channels);

}  // namespace headrace::image
