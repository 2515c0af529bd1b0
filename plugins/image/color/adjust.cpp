// SPDX-License-Identifier: Apache-2.0
//
// See adjust.h.
#include "color/adjust.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "color/color_kernels.h"
#include "color/levels.h"

namespace headrace::image {
namespace {

/// Pixels whose gray lies on the stack at one time.
constexpr std::size_t kChunk = 1024;

void copy(const PictureShape& shape, const void* in, void* out) {
  if (in != out) std::memcpy(out, in, shape.bytes());
}

template <class T>
RgbRun<T> rgb_at(const PictureShape& shape, T* picture, std::size_t pixel) {
  const std::size_t at = pixel * shape.step();
  return {{picture + shape.channel_start(0) + at, picture + shape.channel_start(1) + at,
           picture + shape.channel_start(2) + at},
          shape.is_interleaved()};
}

double sum_of(const std::uint8_t* values, std::size_t count) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += values[i];
  return sum;
}

/// In an order of its own, whatever a vector's length.
double sum_of(const float* values, std::size_t count) {
  constexpr std::size_t kParts = 8;
  double parts[kParts] = {};
  for (std::size_t i = 0; i < count; ++i) parts[i % kParts] += static_cast<double>(values[i]);
  double sum = 0;
  for (const double part : parts) sum += part;
  return sum;
}

template <class T>
float gray_mean(const PictureShape& shape, const T* picture) {
  const std::size_t pixels = shape.pixels();
  T gray[kChunk];
  double sum = 0;
  for (std::size_t i = 0; i < pixels; i += kChunk) {
    const std::size_t count = std::min(kChunk, pixels - i);
    if (shape.channels == 1) {
      sum += sum_of(picture + i, count);
    } else {
      gray_of(rgb_at(shape, picture, i), count, gray);
      sum += sum_of(gray, count);
    }
  }
  return static_cast<float>(sum / static_cast<double>(pixels));
}

template <class T>
void gray_chunk(const PictureShape& shape, const T* in, std::size_t pixel, std::size_t count, T* gray) {
  if (shape.channels == 1) {
    std::memcpy(gray, in + pixel, count * sizeof(T));
  } else {
    gray_of(rgb_at(shape, in, pixel), count, gray);
  }
}

}  // namespace

void adjust_brightness(const PictureShape& shape, const void* in, void* out, double factor) {
  with_elements(shape, in, out, [&](const auto* from, auto* to) {
    blend(from, to, shape.elements(), static_cast<float>(factor), 0.0F);
  });
}

void adjust_contrast(const PictureShape& shape, const void* in, void* out, double factor) {
  if (shape.elements() == 0) return;
  with_elements(shape, in, out, [&](const auto* from, auto* to) {
    const float addend = gray_mean(shape, from) * static_cast<float>(1.0 - factor);
    blend(from, to, shape.elements(), static_cast<float>(factor), addend);
  });
}

void adjust_saturation(const PictureShape& shape, const void* in, void* out, double factor) {
  if (shape.channels == 1) return copy(shape, in, out);
  with_elements(shape, in, out, [&](const auto* from, auto* to) {
    saturate(rgb_at(shape, from, 0), rgb_at(shape, to, 0), shape.pixels(), static_cast<float>(factor));
  });
}

void adjust_hue(const PictureShape& shape, const void* in, void* out, double factor) {
  if (shape.channels == 1) return copy(shape, in, out);
  with_elements(shape, in, out, [&](const auto* from, auto* to) {
    turn_hue(rgb_at(shape, from, 0), rgb_at(shape, to, 0), shape.pixels(), static_cast<float>(factor));
  });
}

void adjust_gamma(const PictureShape& shape, const void* in, void* out, double gamma, double gain) {
  const auto adjusted = [exponent = static_cast<float>(gamma), gain](float x) {
    const float power = std::pow(x, exponent);
    return gain == 1.0 ? power : std::clamp(power * static_cast<float>(gain), 0.0F, 1.0F);
  };
  if (shape.type == PixelType::kUint8) {
    ByteTable table;
    for (std::size_t i = 0; i < table.size(); ++i)
      table[i] = level_of(adjusted(static_cast<float>(i) * kLevel));
    return map_bytes(table, shape.elements(), static_cast<const std::uint8_t*>(in),
                     static_cast<std::uint8_t*>(out));
  }
  const auto* from = static_cast<const float*>(in);
  std::transform(from, from + shape.elements(), static_cast<float*>(out), adjusted);
}

void grayscale(const PictureShape& shape, const void* in, void* out, int channels) {
  // All that is left of a picture without saturation.
  if (shape.channels == 3 && channels == 3) return adjust_saturation(shape, in, out, 0.0);
  PictureShape to_shape = shape;
  to_shape.channels = channels;
  with_elements(shape, in, out, [&](const auto* from, auto* to) {
    std::remove_pointer_t<decltype(to)> gray[kChunk];
    for (std::size_t i = 0; i < shape.pixels(); i += kChunk) {
      const std::size_t count = std::min(kChunk, shape.pixels() - i);
      gray_chunk(shape, from, i, count, gray);
      for (int c = 0; c < channels; ++c) {
        auto* plane = to + to_shape.channel_start(c) + i * to_shape.step();
        for (std::size_t x = 0; x < count; ++x) plane[x * to_shape.step()] = gray[x];
      }
    }
  });
}

}  // namespace headrace::image
