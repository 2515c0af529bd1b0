// SPDX-License-Identifier: Apache-2.0
//
// What a picture costs on one thread, warm: libjpeg-turbo alone over the same rows and columns, the fused
// pass, and the parts of it. Photographs: the JPEGs below the folder that HEADRACE_BENCH_PHOTOS names, else
// the shipped ones; run in the project's root.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include <jpeglib.h>

#include "codec/picture.h"
#include "pixels/pixel_writer.h"
#include "pixels/renderer.h"

namespace headrace::image {
namespace {

constexpr std::size_t kMostPhotos = 400;
constexpr Size kOut{224, 224};

struct Photo {
  std::vector<std::uint8_t> file;
  Size size;
  Region crop;  // a random_resized_crop of it
};

std::vector<Photo> load_photos() {
  namespace fs = std::filesystem;
  const char* folder = std::getenv("HEADRACE_BENCH_PHOTOS");
  std::vector<fs::path> paths;
  for (const fs::directory_entry& entry :
       fs::recursive_directory_iterator(folder == nullptr ? "graphs/photos" : folder)) {
    if (entry.path().extension() == ".jpg") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  if (paths.size() > kMostPhotos) paths.resize(kMostPhotos);
  std::mt19937 generator(1);
  std::uniform_real_distribution<double> uniform;
  std::vector<Photo> photos;
  JpegDecoder decoder;
  for (const fs::path& path : paths) {
    std::ifstream in(path, std::ios::binary);
    Photo photo;
    photo.file.assign(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    Header header;
    if (!decoder.open(photo.file.data(), photo.file.size(), {}, header).ok()) continue;
    photo.size = header.stored;
    photo.crop = random_resized_crop({}, photo.size, [&] { return uniform(generator); });
    photos.push_back(std::move(photo));
  }
  return photos;
}

const std::vector<Photo>& photos() {
  static const std::vector<Photo> kPhotos = load_photos();
  return kPhotos;
}

const Normalization& imagenet() {
  static const Normalization kNormalization = [] {
    constexpr double kMean[] = {0.485, 0.456, 0.406};
    constexpr double kStd[] = {0.229, 0.224, 0.225};
    Normalization normalization;
    if (!normalization.configure(3, kMean, 3, kStd, 3).ok()) std::abort();
    return normalization;
  }();
  return kNormalization;
}

PixelTarget normalized_planes(float* out, Size size) {
  return {.data = out,
          .size = size,
          .type = PixelType::kFloat32,
          .layout = PixelLayout::kChw,
          .normalization = &imagenet()};
}

Frame train_frame(const Photo& photo) {
  Frame frame(photo.size);
  frame.crop(photo.crop);
  frame.resize(kOut, Filter::kBilinear, true);
  return frame;
}

Frame eval_frame(const Photo& photo) {
  Frame frame(photo.size);
  Size to;
  if (!resized({256, 0, 0}, photo.size, to).ok()) std::abort();
  frame.resize(to, Filter::kBilinear, true);
  frame.crop(center_crop(frame.size(), kOut));
  return frame;
}

using MakeFrame = Frame (*)(const Photo&);

template <class F>
void each_photo(benchmark::State& state, F&& body) {
  const std::vector<Photo>& all = photos();
  std::size_t at = 0;
  for (auto _ : state) {
    body(all[at]);
    at = at + 1 == all.size() ? 0 : at + 1;
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}

class Nothing final : public RowSink {
 public:
  void push(const std::uint8_t* rows, std::ptrdiff_t, int) override { benchmark::DoNotOptimize(rows); }
};

// libjpeg-turbo by itself: skip, crop, read, stop. No margins, so its pixels at the edges are not even the
// right ones.
void libjpeg_alone(benchmark::State& state, MakeFrame make_frame) {
  jpeg_decompress_struct info = {};
  jpeg_error_mgr errors = {};
  info.err = jpeg_std_error(&errors);
  jpeg_create_decompress(&info);
  std::vector<std::uint8_t> row;
  Renderer renderer;
  Nothing nothing;
  each_photo(state, [&](const Photo& photo) {
    if (!renderer.begin(make_frame(photo), 3, nothing).ok()) std::abort();
    const Region part = renderer.needed();
    jpeg_mem_src(&info, photo.file.data(), static_cast<unsigned long>(photo.file.size()));
    jpeg_read_header(&info, TRUE);
    info.out_color_space = JCS_RGB;
    jpeg_start_decompress(&info);
    auto x = static_cast<JDIMENSION>(part.x);
    auto width = static_cast<JDIMENSION>(part.width);
    jpeg_crop_scanline(&info, &x, &width);
    if (part.y > 0) jpeg_skip_scanlines(&info, static_cast<JDIMENSION>(part.y));
    row.resize(static_cast<std::size_t>(width) * 3);
    JSAMPROW pointer = row.data();
    for (int y = 0; y < part.height; ++y) jpeg_read_scanlines(&info, &pointer, 1);
    jpeg_abort_decompress(&info);
  });
  jpeg_destroy_decompress(&info);
}

void decode_region(benchmark::State& state, MakeFrame make_frame) {
  JpegDecoder decoder;
  Renderer renderer;
  Nothing nothing;
  each_photo(state, [&](const Photo& photo) {
    if (!renderer.begin(make_frame(photo), 3, nothing).ok()) std::abort();
    Header header;
    if (!decoder.open(photo.file.data(), photo.file.size(), {}, header).ok()) std::abort();
    if (!decoder.decode(renderer.needed(), nothing).ok()) std::abort();
  });
}

void fused(benchmark::State& state, MakeFrame make_frame) {
  PictureDecoder decoder;
  Renderer renderer;
  PixelWriter writer;
  std::vector<float> batch(static_cast<std::size_t>(kOut.width) * static_cast<std::size_t>(kOut.height) * 3 *
                           64);
  std::size_t slot = 0;
  each_photo(state, [&](const Photo& photo) {
    if (!decoder.open(photo.file.data(), photo.file.size(), {}).ok()) std::abort();
    const Frame frame = make_frame(photo);
    writer.begin(normalized_planes(batch.data() + slot * (batch.size() / 64), frame.size()), false);
    if (!renderer.begin(frame, 3, writer).ok()) std::abort();
    if (!decoder.decode(renderer.needed(), renderer.input()).ok()) std::abort();
    renderer.finish();
    slot = (slot + 1) % 64;
  });
}

// The resampling and the normalisation, of pixels that are there already.
void render_only(benchmark::State& state, MakeFrame make_frame, bool normalized) {
  Renderer renderer;
  PixelWriter writer;
  MemoryRows rows;
  std::vector<std::uint8_t> pixels(4096 * 4096);
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<std::uint8_t>(i * 31);
  std::vector<float> out(static_cast<std::size_t>(kOut.width) * static_cast<std::size_t>(kOut.height) * 3);
  std::vector<std::uint8_t> bytes(out.size());
  each_photo(state, [&](const Photo& photo) {
    const Frame frame = make_frame(photo);
    if (normalized) {
      writer.begin(normalized_planes(out.data(), frame.size()), false);
    } else {
      writer.begin({.data = bytes.data(), .size = frame.size()}, false);
    }
    if (!renderer.begin(frame, 3, writer).ok()) std::abort();
    rows.push(pixels.data(), photo.size, 3, renderer.needed(), renderer.input());
    renderer.finish();
  });
}

void weights_only(benchmark::State& state, MakeFrame make_frame) {
  Renderer renderer;
  Nothing nothing;
  each_photo(state, [&](const Photo& photo) {
    if (!renderer.begin(make_frame(photo), 3, nothing).ok()) std::abort();
  });
}

void train_libjpeg_alone(benchmark::State& state) { libjpeg_alone(state, train_frame); }
void train_decode_region(benchmark::State& state) { decode_region(state, train_frame); }
void train_fused(benchmark::State& state) { fused(state, train_frame); }
void train_render(benchmark::State& state) { render_only(state, train_frame, true); }
void train_resample(benchmark::State& state) { render_only(state, train_frame, false); }
void train_weights(benchmark::State& state) { weights_only(state, train_frame); }
void eval_libjpeg_alone(benchmark::State& state) { libjpeg_alone(state, eval_frame); }
void eval_fused(benchmark::State& state) { fused(state, eval_frame); }
void eval_render(benchmark::State& state) { render_only(state, eval_frame, true); }

BENCHMARK(train_libjpeg_alone)->Unit(benchmark::kMicrosecond);
BENCHMARK(train_decode_region)->Unit(benchmark::kMicrosecond);
BENCHMARK(train_fused)->Unit(benchmark::kMicrosecond);
BENCHMARK(train_render)->Unit(benchmark::kMicrosecond);
BENCHMARK(train_resample)->Unit(benchmark::kMicrosecond);
BENCHMARK(train_weights)->Unit(benchmark::kMicrosecond);
BENCHMARK(eval_libjpeg_alone)->Unit(benchmark::kMicrosecond);
BENCHMARK(eval_fused)->Unit(benchmark::kMicrosecond);
BENCHMARK(eval_render)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace headrace::image
