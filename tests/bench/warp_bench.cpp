// SPDX-License-Identifier: Apache-2.0
//
// What the geometric operations cost on one thread, warm, on a picture of 500 x 375, and the
// mixing of a batch of 64 pictures of 224 x 224.
#include <benchmark/benchmark.h>

#include <vector>

#include "mixing.h"
#include "warp/boxes.h"
#include "warp/place.h"
#include "warp/sample.h"

namespace headrace::image {
namespace {

constexpr Size kPhoto{500, 375};
constexpr int kChannels = 3;

template <class T>
std::vector<T> pixels(Size size) {
  std::vector<T> all(static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height) *
                     kChannels);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<T>(i * 31 % 256);
  return all;
}

void count_pixels(benchmark::State& state, Size size) {
  state.counters["pixels_per_second"] = benchmark::Counter(
      static_cast<double>(state.iterations()) * size.width * size.height, benchmark::Counter::kIsRate);
}

template <class T>
void affine(benchmark::State& state, Sampling sampling, PixelLayout layout) {
  const std::vector<T> in = pixels<T>(kPhoto);
  std::vector<T> out(in.size());
  AffineRule rule;
  rule.angle = 17;
  rule.scale = 1.1;
  const AffineMatrix inverse = inverse_affine(rule);
  const float fill[kChannels] = {};
  for (auto _ : state) {
    warp_affine(PictureView<const T>{in.data(), kPhoto, kChannels, layout}, inverse, sampling, fill,
                PictureView<T>{out.data(), kPhoto, kChannels, layout});
    benchmark::DoNotOptimize(out.data());
  }
  count_pixels(state, kPhoto);
}

void perspective(benchmark::State& state, Sampling sampling) {
  const std::vector<std::uint8_t> in = pixels<std::uint8_t>(kPhoto);
  std::vector<std::uint8_t> out(in.size());
  const PerspectiveCoefficients inverse{1.1, 0.05, -20, 0.04, 1.2, -10, 1e-4, 2e-4};
  const float fill[kChannels] = {};
  for (auto _ : state) {
    warp_perspective(PictureView<const std::uint8_t>{in.data(), kPhoto, kChannels, PixelLayout::kHwc},
                     inverse, sampling, fill,
                     PictureView<std::uint8_t>{out.data(), kPhoto, kChannels, PixelLayout::kHwc});
    benchmark::DoNotOptimize(out.data());
  }
  count_pixels(state, kPhoto);
}

void pad(benchmark::State& state, Surround surround) {
  const std::vector<std::uint8_t> in = pixels<std::uint8_t>(kPhoto);
  const Region part = padded(kPhoto, {16, 16, 16, 16});
  std::vector<std::uint8_t> out = pixels<std::uint8_t>(part.size());
  const std::uint8_t fill[kChannels] = {1, 2, 3};
  for (auto _ : state) {
    take_part(in.data(), {1, kPhoto, kChannels}, part, surround, fill, out.data());
    benchmark::DoNotOptimize(out.data());
  }
  count_pixels(state, part.size());
}

void quarter_turn(benchmark::State& state) {
  const std::vector<std::uint8_t> in = pixels<std::uint8_t>(kPhoto);
  std::vector<std::uint8_t> out(in.size());
  for (auto _ : state) {
    turn(in.data(), {1, kPhoto, kChannels}, 1, out.data());
    benchmark::DoNotOptimize(out.data());
  }
  count_pixels(state, kPhoto);
}

void flip(benchmark::State& state, bool across) {
  const std::vector<std::uint8_t> in = pixels<std::uint8_t>(kPhoto);
  std::vector<std::uint8_t> out(in.size());
  const Planes planes{1, kPhoto, kChannels};
  for (auto _ : state) {
    across ? flip_columns(in.data(), planes, whole(kPhoto), out.data())
           : flip_rows(in.data(), planes, whole(kPhoto), out.data());
    benchmark::DoNotOptimize(out.data());
  }
  count_pixels(state, kPhoto);
}

void boxes_of_a_crowd(benchmark::State& state) {
  std::vector<float> boxes(4 * 100, 50);
  for (auto _ : state) {
    crop_boxes({boxes.data(), 100, BoxFormat::kCxcywh}, {10, 10, 400, 300});
    resize_boxes({boxes.data(), 100, BoxFormat::kCxcywh}, {400, 300}, {640, 480});
    benchmark::DoNotOptimize(boxes.data());
  }
}

void mixup(benchmark::State& state) {
  constexpr std::size_t kRows = 64;
  const std::size_t row_bytes = std::size_t{3} * 224 * 224 * sizeof(float);
  std::vector<float> all(kRows * row_bytes / sizeof(float), 0.5F);
  for (auto _ : state) {
    batch::blend({reinterpret_cast<std::byte*>(all.data()), kRows, row_bytes, row_bytes}, 0.3);
    benchmark::DoNotOptimize(all.data());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * kRows * row_bytes));
}

void affine_bytes_nearest(benchmark::State& state) {
  affine<std::uint8_t>(state, Sampling::kNearest, PixelLayout::kHwc);
}
void affine_bytes(benchmark::State& state) {
  affine<std::uint8_t>(state, Sampling::kBilinear, PixelLayout::kHwc);
}
void affine_byte_planes(benchmark::State& state) {
  affine<std::uint8_t>(state, Sampling::kBilinear, PixelLayout::kChw);
}
void affine_float_planes(benchmark::State& state) {
  affine<float>(state, Sampling::kBilinear, PixelLayout::kChw);
}
void perspective_bytes(benchmark::State& state) { perspective(state, Sampling::kBilinear); }
void pad_constant(benchmark::State& state) { pad(state, Surround::kConstant); }
void pad_reflect(benchmark::State& state) { pad(state, Surround::kReflect); }
void flip_across(benchmark::State& state) { flip(state, true); }
void flip_down(benchmark::State& state) { flip(state, false); }

BENCHMARK(affine_bytes_nearest)->Unit(benchmark::kMicrosecond);
BENCHMARK(affine_bytes)->Unit(benchmark::kMicrosecond);
BENCHMARK(affine_byte_planes)->Unit(benchmark::kMicrosecond);
BENCHMARK(affine_float_planes)->Unit(benchmark::kMicrosecond);
BENCHMARK(perspective_bytes)->Unit(benchmark::kMicrosecond);
BENCHMARK(pad_constant)->Unit(benchmark::kMicrosecond);
BENCHMARK(pad_reflect)->Unit(benchmark::kMicrosecond);
BENCHMARK(quarter_turn)->Unit(benchmark::kMicrosecond);
BENCHMARK(flip_across)->Unit(benchmark::kMicrosecond);
BENCHMARK(flip_down)->Unit(benchmark::kMicrosecond);
BENCHMARK(boxes_of_a_crowd);
BENCHMARK(mixup)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace headrace::image
