// SPDX-License-Identifier: Apache-2.0
//
// What colour ops and policies cost on one thread, warm: a picture of 224 x 224 RGB bytes, as
// random_resized_crop leaves it, in place; `copy` is memcpy of it. Photograph: a shipped one; run in the
// project's root.
#include <benchmark/benchmark.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <random>

#include "augment/policy.h"
#include "codec/picture.h"
#include "color/adjust.h"
#include "color/convert.h"
#include "color/filter.h"
#include "color/levels.h"
#include "pixels/renderer.h"

namespace headrace::image {
namespace {

constexpr PictureShape kShape{{224, 224}, 3, PixelLayout::kHwc, PixelType::kUint8};

std::vector<std::uint8_t> load_photo() {
  std::ifstream in("graphs/photos/astronaut/0.jpg", std::ios::binary);
  const std::vector<std::uint8_t> file{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  std::vector<std::uint8_t> pixels(kShape.bytes());
  PictureDecoder decoder;
  if (!decoder.open(file.data(), file.size(), {}).ok()) std::abort();
  Frame frame(decoder.size());
  frame.resize(kShape.size, Filter::kBilinear, true);
  PixelWriter writer;
  writer.begin({.data = pixels.data(), .size = kShape.size}, false);
  Renderer renderer;
  if (!renderer.begin(frame, 3, writer).ok()) std::abort();
  if (!decoder.decode(renderer.needed(), renderer.input()).ok()) std::abort();
  renderer.finish();
  return pixels;
}

const std::vector<std::uint8_t>& photo() {
  static const std::vector<std::uint8_t> kPhoto = load_photo();
  return kPhoto;
}

/// body(shape, in, out) in place on a copy of the photograph.
template <class Body>
void in_place(benchmark::State& state, Body&& body) {
  std::vector<std::uint8_t> pixels = photo();
  for (auto _ : state) {
    body(kShape, pixels.data(), pixels.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}

void copy(benchmark::State& state) {
  std::vector<std::uint8_t> to(photo().size());
  for (auto _ : state) {
    std::memcpy(to.data(), photo().data(), to.size());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(copy)->Unit(benchmark::kMicrosecond);

void brightness(benchmark::State& state) {
  in_place(state,
           [](const PictureShape& s, const void* in, void* out) { adjust_brightness(s, in, out, 1.0001); });
}
BENCHMARK(brightness)->Unit(benchmark::kMicrosecond);

void contrast(benchmark::State& state) {
  in_place(state,
           [](const PictureShape& s, const void* in, void* out) { adjust_contrast(s, in, out, 1.0001); });
}
BENCHMARK(contrast)->Unit(benchmark::kMicrosecond);

void saturation(benchmark::State& state) {
  in_place(state,
           [](const PictureShape& s, const void* in, void* out) { adjust_saturation(s, in, out, 1.0001); });
}
BENCHMARK(saturation)->Unit(benchmark::kMicrosecond);

void hue(benchmark::State& state) {
  in_place(state, [](const PictureShape& s, const void* in, void* out) { adjust_hue(s, in, out, 0.01); });
}
BENCHMARK(hue)->Unit(benchmark::kMicrosecond);

void color_jitter(benchmark::State& state) {
  in_place(state, [](const PictureShape& s, const void* in, void* out) {
    adjust_brightness(s, in, out, 1.1);
    adjust_contrast(s, out, out, 0.9);
    adjust_saturation(s, out, out, 1.1);
    adjust_hue(s, out, out, 0.05);
  });
}
BENCHMARK(color_jitter)->Unit(benchmark::kMicrosecond);

void to_gray(benchmark::State& state) {
  in_place(state, [](const PictureShape& s, const void* in, void* out) { grayscale(s, in, out, 3); });
}
BENCHMARK(to_gray)->Unit(benchmark::kMicrosecond);

void to_inverse(benchmark::State& state) { in_place(state, invert); }
BENCHMARK(to_inverse)->Unit(benchmark::kMicrosecond);

void to_equalized(benchmark::State& state) { in_place(state, equalize); }
BENCHMARK(to_equalized)->Unit(benchmark::kMicrosecond);

void to_autocontrast(benchmark::State& state) { in_place(state, autocontrast); }
BENCHMARK(to_autocontrast)->Unit(benchmark::kMicrosecond);

void gamma_curve(benchmark::State& state) {
  in_place(state, [](const PictureShape& s, const void* in, void* out) { adjust_gamma(s, in, out, 1.1, 1); });
}
BENCHMARK(gamma_curve)->Unit(benchmark::kMicrosecond);

void sharpness(benchmark::State& state) {
  RowFilter filter;
  in_place(state, [&](const PictureShape& s, const void* in, void* out) {
    filter.adjust_sharpness(s, in, out, 1.5);
  });
}
BENCHMARK(sharpness)->Unit(benchmark::kMicrosecond);

void blur(benchmark::State& state) {
  RowFilter filter;
  const auto kernel = static_cast<int>(state.range(0));
  in_place(state, [&](const PictureShape& s, const void* in, void* out) {
    filter.gaussian_blur(s, in, out, kernel, kernel, 1.5, 1.5);
  });
}
BENCHMARK(blur)->Arg(3)->Arg(9)->Arg(23)->Unit(benchmark::kMicrosecond);

void to_float32(benchmark::State& state) {
  std::vector<float> to(photo().size());
  for (auto _ : state) {
    bytes_to_float32(photo().data(), photo().size(), true, to.data());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(to_float32)->Unit(benchmark::kMicrosecond);

using Draw = void (*)(const Uniform&, std::vector<Change>&);

/// A policy from one picture to another, as the op does it.
void policy(benchmark::State& state, Draw draw) {
  std::mt19937 generator(1);
  std::uniform_real_distribution<double> distribution;
  const Uniform uniform = [&] { return distribution(generator); };
  std::vector<Change> changes;
  std::vector<std::uint8_t> from = photo();
  std::vector<std::uint8_t> to(photo().size());
  RowFilter filter;
  for (auto _ : state) {
    draw(uniform, changes);
    for (const Change& change : changes) {
      apply_change(change, {}, kShape, from.data(), to.data(), filter);
      from.swap(to);
    }
    benchmark::ClobberMemory();
  }
}
void random_augment(const Uniform& uniform, std::vector<Change>& changes) {
  rand_augment(2, 9, 31, kShape.size, uniform, changes);
}
void trivial(const Uniform& uniform, std::vector<Change>& changes) {
  trivial_augment_wide(31, kShape.size, uniform, changes);
}
BENCHMARK_CAPTURE(policy, rand_augment, random_augment)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(policy, trivial_augment_wide, trivial)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace headrace::image
