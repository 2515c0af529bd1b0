// SPDX-License-Identifier: Apache-2.0
//
// See levels.h.
#include "color/levels.h"

#include <algorithm>
#include <cmath>

namespace headrace::image {
namespace {

using Histogram = std::array<std::uint32_t, 256>;

constexpr float kWhite = 255.0F;

/// Calls body(value, where) for the values of one channel.
template <class T, class U, class Body>
void each_value(const PictureShape& shape, int channel, const T* in, U* out, Body&& body) {
  const std::size_t step = shape.step();
  in += shape.channel_start(channel);
  out += shape.channel_start(channel);
  for (std::size_t i = 0; i < shape.pixels(); ++i) body(in[i * step], out[i * step]);
}

template <class T>
struct Extremes {
  T least;
  T most;
};

/// Takes in `count` values that follow one another, the i-th of channel channel_of(i).
template <class T, class ChannelOf>
void take_run(const T* values, std::size_t count, Extremes<T>* extremes, ChannelOf channel_of) {
  // Interleaved, a pattern of channels comes round after this many values; a loop of that length is one that
  // compilers make vectors of.
  constexpr std::size_t kPattern = 48;
  static_assert(kPattern % 3 == 0 && kPattern % 4 == 0);
  const auto take = [&](std::size_t i, T value) {
    Extremes<T>& e = extremes[channel_of(i)];
    e = {std::min(e.least, value), std::max(e.most, value)};
  };
  T least[kPattern];
  T most[kPattern];
  std::size_t i = 0;
  if (count >= kPattern) {
    std::copy_n(values, kPattern, least);
    std::copy_n(values, kPattern, most);
    for (i = kPattern; i + kPattern <= count; i += kPattern) {
      T block[kPattern];
      std::copy_n(values + i, kPattern, block);
      for (std::size_t k = 0; k < kPattern; ++k) least[k] = block[k] < least[k] ? block[k] : least[k];
      for (std::size_t k = 0; k < kPattern; ++k) most[k] = block[k] > most[k] ? block[k] : most[k];
    }
    for (std::size_t k = 0; k < kPattern; ++k) {
      take(k, least[k]);
      take(k, most[k]);
    }
  }
  for (; i < count; ++i) take(i, values[i]);
}

/// Of each channel of a picture that has pixels.
template <class T>
void find_extremes(const PictureShape& shape, const T* in, Extremes<T>* extremes) {
  const auto channels = static_cast<std::size_t>(shape.channels);
  for (std::size_t c = 0; c < channels; ++c) {
    const T first = in[shape.channel_start(static_cast<int>(c))];
    extremes[c] = {first, first};
  }
  if (shape.is_interleaved()) {
    take_run(in, shape.elements(), extremes, [channels](std::size_t i) { return i % channels; });
    return;
  }
  for (std::size_t c = 0; c < channels; ++c)
    take_run(in + c * shape.pixels(), shape.pixels(), extremes, [c](std::size_t) { return c; });
}

/// One table a channel.
void map_channels(const PictureShape& shape, const ByteTable* tables, const std::uint8_t* in,
                  std::uint8_t* out) {
  if (shape.channels == 3 && shape.is_interleaved()) {
    for (std::size_t i = 0; i < shape.pixels(); ++i, in += 3, out += 3) {
      out[0] = tables[0][in[0]];
      out[1] = tables[1][in[1]];
      out[2] = tables[2][in[2]];
    }
    return;
  }
  for (int c = 0; c < shape.channels; ++c)
    each_value(shape, c, in, out, [&](std::uint8_t x, std::uint8_t& to) { to = tables[c][x]; });
}

void count_levels(const PictureShape& shape, const std::uint8_t* in, Histogram* histograms) {
  if (shape.channels == 3 && shape.is_interleaved()) {
    for (std::size_t i = 0; i < shape.pixels(); ++i, in += 3) {
      ++histograms[0][in[0]];
      ++histograms[1][in[1]];
      ++histograms[2][in[2]];
    }
    return;
  }
  for (int c = 0; c < shape.channels; ++c)
    each_value(shape, c, in, in, [&](std::uint8_t x, std::uint8_t) { ++histograms[c][x]; });
}

ByteTable stretched(std::uint8_t least, std::uint8_t most) {
  const bool is_flat = least == most;
  const float floor = is_flat ? 0.0F : static_cast<float>(least);
  const float scale = is_flat ? 1.0F : static_cast<float>(most - least) * (1.0F / kWhite);
  ByteTable table;
  for (std::size_t i = 0; i < table.size(); ++i)
    table[i] = static_cast<std::uint8_t>(std::clamp((static_cast<float>(i) - floor) / scale, 0.0F, kWhite));
  return table;
}

/// Pillow's scheme: a step is a 255th of the pixels that are not of the highest level there is.
ByteTable evened(const Histogram& histogram) {
  std::uint64_t count = 0;
  std::uint32_t of_highest = 0;
  for (const std::uint32_t n : histogram) {
    count += n;
    if (n != 0) of_highest = n;
  }
  const std::uint64_t step = (count - of_highest) / 255;
  ByteTable table;
  std::uint64_t below = step / 2;
  for (std::size_t i = 0; i < table.size(); ++i) {
    table[i] = static_cast<std::uint8_t>(step == 0 ? i : std::min<std::uint64_t>(below / step, 255));
    below += histogram[i];
  }
  return table;
}

}  // namespace

void map_bytes(const ByteTable& table, std::size_t count, const std::uint8_t* in, std::uint8_t* out) {
  for (std::size_t i = 0; i < count; ++i) out[i] = table[in[i]];
}

void invert(const PictureShape& shape, const void* in, void* out) {
  if (shape.type == PixelType::kUint8) {
    const auto* from = static_cast<const std::uint8_t*>(in);
    std::transform(from, from + shape.elements(), static_cast<std::uint8_t*>(out),
                   [](std::uint8_t x) { return static_cast<std::uint8_t>(~x); });
  } else {
    const auto* from = static_cast<const float*>(in);
    std::transform(from, from + shape.elements(), static_cast<float*>(out), [](float x) { return 1.0F - x; });
  }
}

void posterize(const PictureShape& shape, const void* in, void* out, int bits) {
  if (shape.type == PixelType::kUint8) {
    const auto mask = static_cast<std::uint8_t>(0xFF00U >> static_cast<unsigned>(bits));
    const auto* from = static_cast<const std::uint8_t*>(in);
    std::transform(from, from + shape.elements(), static_cast<std::uint8_t*>(out),
                   [mask](std::uint8_t x) { return static_cast<std::uint8_t>(x & mask); });
  } else {
    const auto levels = static_cast<float>(1U << static_cast<unsigned>(bits));
    const auto* from = static_cast<const float*>(in);
    std::transform(from, from + shape.elements(), static_cast<float*>(out), [levels](float x) {
      return std::clamp(std::floor(x * levels), 0.0F, levels - 1.0F) * (1.0F / levels);
    });
  }
}

void solarize(const PictureShape& shape, const void* in, void* out, double threshold) {
  if (shape.type == PixelType::kUint8) {
    // Levels are whole: the first that is not below the threshold. 256: none.
    const auto first = static_cast<int>(std::clamp(std::ceil(threshold), 0.0, 256.0));
    const auto* from = static_cast<const std::uint8_t*>(in);
    std::transform(from, from + shape.elements(), static_cast<std::uint8_t*>(out),
                   [first](std::uint8_t x) { return static_cast<std::uint8_t>(x >= first ? ~x : x); });
  } else {
    const auto limit = static_cast<float>(threshold);
    const auto* from = static_cast<const float*>(in);
    std::transform(from, from + shape.elements(), static_cast<float*>(out),
                   [limit](float x) { return x >= limit ? 1.0F - x : x; });
  }
}

void autocontrast(const PictureShape& shape, const void* in, void* out) {
  if (shape.elements() == 0) return;
  if (shape.type == PixelType::kUint8) {
    const auto* from = static_cast<const std::uint8_t*>(in);
    Extremes<std::uint8_t> extremes[kMaxChannels];
    find_extremes(shape, from, extremes);
    ByteTable tables[kMaxChannels];
    for (int c = 0; c < shape.channels; ++c) tables[c] = stretched(extremes[c].least, extremes[c].most);
    return map_channels(shape, tables, from, static_cast<std::uint8_t*>(out));
  }
  const auto* from = static_cast<const float*>(in);
  Extremes<float> extremes[kMaxChannels];
  find_extremes(shape, from, extremes);
  for (int c = 0; c < shape.channels; ++c) {
    const bool is_flat = extremes[c].least == extremes[c].most;
    const float floor = is_flat ? 0.0F : extremes[c].least;
    const float scale = is_flat ? 1.0F : extremes[c].most - extremes[c].least;
    each_value(shape, c, from, static_cast<float*>(out),
               [=](float x, float& to) { to = std::clamp((x - floor) / scale, 0.0F, 1.0F); });
  }
}

void equalize(const PictureShape& shape, const void* in, void* out) {
  Histogram histograms[kMaxChannels] = {};
  ByteTable tables[kMaxChannels];
  if (shape.type == PixelType::kUint8) {
    const auto* from = static_cast<const std::uint8_t*>(in);
    count_levels(shape, from, histograms);
    for (int c = 0; c < shape.channels; ++c) tables[c] = evened(histograms[c]);
    return map_channels(shape, tables, from, static_cast<std::uint8_t*>(out));
  }
  const auto* from = static_cast<const float*>(in);
  for (int c = 0; c < shape.channels; ++c) {
    each_value(shape, c, from, from, [&](float x, float) { ++histograms[c][level_of(x)]; });
    tables[c] = evened(histograms[c]);
    each_value(shape, c, from, static_cast<float*>(out),
               [&](float x, float& to) { to = static_cast<float>(tables[c][level_of(x)]) * kLevel; });
  }
}

}  // namespace headrace::image
