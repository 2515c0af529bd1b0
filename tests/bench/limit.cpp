// SPDX-License-Identifier: Apache-2.0
//
// The limit that `headrace run` is held against: libjpeg-turbo and the same crops with nothing around them.
// The files lie in memory, each thread takes the next one, decodes only the rows and columns of its crop,
// stops after the last, and resamples and normalises into the batch. No graph, no reading, no checking, no
// order. Prints the line that tests/bench/peers/compare.py reads.
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <thread>
#include <vector>

#include <jpeglib.h>

#include "pixels/pixel_writer.h"
#include "pixels/renderer.h"

namespace headrace::image {
namespace {

constexpr Size kOut{224, 224};
constexpr std::size_t kNumbers = 224UL * 224 * 3;  // of a picture

using File = std::vector<std::uint8_t>;

std::vector<File> load(const std::string& folder) {
  namespace fs = std::filesystem;
  std::vector<fs::path> paths;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".jpg") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<File> files;
  for (const fs::path& path : paths) {
    std::ifstream in(path, std::ios::binary);
    files.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return files;
}

/// What becomes of a picture, as the peers' scripts define the three workloads.
Frame frame_of(const std::string& workload, Size picture, std::mt19937& generator) {
  std::uniform_real_distribution<double> uniform;
  Frame frame(picture);
  if (workload == "train") {
    frame.crop(random_resized_crop({}, picture, [&] { return uniform(generator); }));
    frame.resize(kOut, Filter::kBilinear, true);
    if (uniform(generator) < 0.5) frame.flip();
  } else if (workload == "eval") {
    Size to;
    if (!resized({256, 0, 0}, picture, to).ok()) std::abort();
    frame.resize(to, Filter::kBilinear, true);
    frame.crop(center_crop(frame.size(), kOut));
  } else {
    frame.resize(kOut, Filter::kBilinear, true);
  }
  return frame;
}

/// One thread's decoder and buffers.
class Loop {
 public:
  Loop() {
    info_.err = jpeg_std_error(&errors_);
    jpeg_create_decompress(&info_);
  }
  ~Loop() { jpeg_destroy_decompress(&info_); }
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  void render(const File& file, const std::string& workload, const PixelTarget& target,
              std::mt19937& generator) {
    jpeg_mem_src(&info_, file.data(), static_cast<unsigned long>(file.size()));
    jpeg_read_header(&info_, TRUE);
    info_.out_color_space = JCS_RGB;
    const Size picture{static_cast<int>(info_.image_width), static_cast<int>(info_.image_height)};
    const Frame frame = frame_of(workload, picture, generator);
    writer_.begin(target, false);
    if (!renderer_.begin(frame, 3, writer_).ok()) std::abort();
    const Region part = renderer_.needed();
    jpeg_start_decompress(&info_);
    auto x = static_cast<JDIMENSION>(part.x);
    auto width = static_cast<JDIMENSION>(part.width);
    jpeg_crop_scanline(&info_, &x, &width);
    if (part.y > 0) jpeg_skip_scanlines(&info_, static_cast<JDIMENSION>(part.y));
    const std::size_t stride = static_cast<std::size_t>(width) * 3;
    const std::size_t offset = static_cast<std::size_t>(part.x - static_cast<int>(x)) * 3;
    row_.resize(stride + kRowSlack);
    JSAMPROW row = row_.data();
    for (int y = 0; y < part.height; ++y) {
      jpeg_read_scanlines(&info_, &row, 1);
      renderer_.input().push(row + offset, static_cast<std::ptrdiff_t>(stride), 1);
    }
    renderer_.finish();
    jpeg_abort_decompress(&info_);
  }

 private:
  jpeg_decompress_struct info_ = {};
  jpeg_error_mgr errors_ = {};
  std::vector<std::uint8_t> row_;
  Renderer renderer_;
  PixelWriter writer_;
};

class Limit {
 public:
  Limit(std::vector<File> files, std::string workload, int threads, std::size_t batch)
      : files_(std::move(files)), workload_(std::move(workload)), threads_(threads), batch_(batch) {
    constexpr double kMean[] = {0.485, 0.456, 0.406};
    constexpr double kStd[] = {0.229, 0.224, 0.225};
    if (!normalization_.configure(3, kMean, 3, kStd, 3).ok()) std::abort();
    // Two batches by turns, as a consumer and the loader would have them.
    floats_.resize(2 * batch_ * kNumbers);
    bytes_.resize(2 * batch_ * kNumbers);
  }

  void epoch(unsigned seed) {
    next_ = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < threads_; ++t)
      threads.emplace_back([this, t, seed] { run(seed + static_cast<unsigned>(t)); });
    for (std::thread& thread : threads) thread.join();
  }

  std::size_t size() const { return files_.size(); }

 private:
  void run(unsigned seed) {
    std::mt19937 generator(seed);
    Loop loop;
    for (std::size_t i = next_++; i < files_.size(); i = next_++)
      loop.render(files_[i], workload_, target(i % (2 * batch_)), generator);
  }

  PixelTarget target(std::size_t slot) {
    if (workload_ == "squash") return {.data = bytes_.data() + slot * kNumbers, .size = kOut};
    return {.data = floats_.data() + slot * kNumbers,
            .size = kOut,
            .type = PixelType::kFloat32,
            .layout = PixelLayout::kChw,
            .normalization = &normalization_};
  }

  std::vector<File> files_;
  std::string workload_;
  int threads_;
  std::size_t batch_;
  std::vector<float> floats_;
  std::vector<std::uint8_t> bytes_;
  Normalization normalization_;
  std::atomic<std::size_t> next_{0};
};

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

int run(int argc, char** argv) {
  CLI::App app("libjpeg-turbo, resampling and normalisation alone: how fast a loader could be");
  std::string folder;
  std::string workload = "train";
  int threads = 2;
  int epochs = 2;
  std::size_t batch = 64;
  app.add_option("folder", folder, "JPEG files, at any depth")->required()->check(CLI::ExistingDirectory);
  app.add_option("--workload", workload)->check(CLI::IsMember({"train", "eval", "squash"}));
  app.add_option("--workers", threads, "threads")->check(CLI::Range(1, 256));
  app.add_option("--epochs", epochs, "the last one is timed")->check(CLI::Range(1, 1000));
  app.add_option("--batch", batch)->check(CLI::Range(1, 4096));
  CLI11_PARSE(app, argc, argv);

  Limit limit(load(folder), workload, threads, batch);
  double seconds = 0;
  double cpu = 0;
  for (int e = 0; e < epochs; ++e) {
    const auto begin = std::chrono::steady_clock::now();
    const double cpu_before = cpu_seconds();
    limit.epoch(static_cast<unsigned>(e) * 1000U);
    cpu = cpu_seconds() - cpu_before;
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  const nlohmann::json line{{"images", limit.size()}, {"seconds", seconds}, {"cpu_seconds", cpu}};
  std::printf("%s\n", line.dump().c_str());
  return 0;
}

}  // namespace
}  // namespace headrace::image

int main(int argc, char** argv) { return headrace::image::run(argc, argv); }
