// SPDX-License-Identifier: Apache-2.0
//
// The pixel kernels one by one, warm in cache, with the instruction set that is dispatched to here: bytes
// read a second, and a cycle of the processor's nominal clock.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <vector>

#include "pixels/narrow.h"
#include "pixels/pixel_writer.h"
#include "pixels/planes.h"
#include "pixels/resample.h"

namespace headrace::image {
namespace {

constexpr int kWidth = 512;
constexpr std::size_t kRowBytes = std::size_t{kWidth} * 3;

std::vector<std::uint8_t> pixels(std::size_t count) {
  std::vector<std::uint8_t> all(count + kRowSlack);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint8_t>(i * 31);
  return all;
}

/// `bytes` were read in each iteration.
void count(benchmark::State& state, std::size_t bytes) {
  const auto total = static_cast<double>(state.iterations()) * static_cast<double>(bytes);
  state.SetBytesProcessed(static_cast<std::int64_t>(total));
  // A rate's divisor is the seconds measured.
  state.counters["bytes_a_cycle"] =
      benchmark::Counter(total / benchmark::CPUInfo::Get().cycles_per_second, benchmark::Counter::kIsRate);
}

Normalization imagenet() {
  constexpr double kMean[] = {0.485, 0.456, 0.406};
  constexpr double kStd[] = {0.229, 0.224, 0.225};
  Normalization normalization;
  if (!normalization.configure(3, kMean, 3, kStd, 3).ok()) std::abort();
  return normalization;
}

void normalize_planes(benchmark::State& state) {
  const Normalization normalization = imagenet();
  const std::vector<std::uint8_t> row = pixels(kRowBytes);
  std::vector<float> out(kRowBytes);
  float* const planes[3] = {out.data(), out.data() + kWidth, out.data() + std::size_t{2} * kWidth};
  for (auto _ : state) {
    normalization.to_planes(row.data(), kWidth, planes);
    benchmark::ClobberMemory();
  }
  count(state, kRowBytes);
}

void normalize_interleaved(benchmark::State& state) {
  const Normalization normalization = imagenet();
  const std::vector<std::uint8_t> row = pixels(kRowBytes);
  std::vector<float> out(kRowBytes);
  for (auto _ : state) {
    normalization.to_interleaved(row.data(), kWidth, out.data());
    benchmark::ClobberMemory();
  }
  count(state, kRowBytes);
}

void split_planes(benchmark::State& state) {
  const std::vector<std::uint8_t> row = pixels(kRowBytes);
  std::vector<std::uint8_t> out(kRowBytes);
  std::uint8_t* const planes[3] = {out.data(), out.data() + kWidth, out.data() + std::size_t{2} * kWidth};
  for (auto _ : state) {
    split_to_planes(row.data(), kWidth, 3, planes);
    benchmark::ClobberMemory();
  }
  count(state, kRowBytes);
}

void mirror(benchmark::State& state) {
  const std::vector<std::uint8_t> row = pixels(kRowBytes);
  std::vector<std::uint8_t> out(kRowBytes);
  for (auto _ : state) {
    reverse_pixels(row.data(), kWidth, 3, out.data());
    benchmark::ClobberMemory();
  }
  count(state, kRowBytes);
}

void narrow(benchmark::State& state, void (*kernel)(const float*, std::size_t, std::uint16_t*)) {
  const std::vector<float> in(kRowBytes, 0.25F);
  std::vector<std::uint16_t> out(kRowBytes);
  for (auto _ : state) {
    kernel(in.data(), in.size(), out.data());
    benchmark::ClobberMemory();
  }
  count(state, kRowBytes * sizeof(float));
}

class Nothing final : public RowSink {
 public:
  void push(const std::uint8_t* rows, std::ptrdiff_t, int) override { benchmark::DoNotOptimize(rows); }
};

/// A picture of kWidth x kWidth, resampled to `out`; the weights are made once.
void resample(benchmark::State& state, Size out, Filter filter) {
  const std::vector<std::uint8_t> picture = pixels(kRowBytes * kWidth);
  Resampler resampler;
  if (!resampler.configure(resample_all(3, {kWidth, kWidth}, out, filter)).ok()) std::abort();
  Nothing nothing;
  for (auto _ : state) {
    resampler.begin(nothing);
    resampler.push(picture.data(), kRowBytes, kWidth);
  }
  count(state, kRowBytes * kWidth);
}

void to_float16_row(benchmark::State& state) { narrow(state, to_float16); }
void to_bfloat16_row(benchmark::State& state) { narrow(state, to_bfloat16); }
void across_bilinear(benchmark::State& state) { resample(state, {224, kWidth}, Filter::kBilinear); }
void across_bicubic(benchmark::State& state) { resample(state, {224, kWidth}, Filter::kBicubic); }
void down_bilinear(benchmark::State& state) { resample(state, {kWidth, 224}, Filter::kBilinear); }
void down_bicubic(benchmark::State& state) { resample(state, {kWidth, 224}, Filter::kBicubic); }
void both_bilinear(benchmark::State& state) { resample(state, {224, 224}, Filter::kBilinear); }
void both_lanczos(benchmark::State& state) { resample(state, {224, 224}, Filter::kLanczos); }

BENCHMARK(normalize_planes);
BENCHMARK(normalize_interleaved);
BENCHMARK(split_planes);
BENCHMARK(mirror);
BENCHMARK(to_float16_row);
BENCHMARK(to_bfloat16_row);
BENCHMARK(across_bilinear);
BENCHMARK(across_bicubic);
BENCHMARK(down_bilinear);
BENCHMARK(down_bicubic);
BENCHMARK(both_bilinear);
BENCHMARK(both_lanczos);

}  // namespace
}  // namespace headrace::image
