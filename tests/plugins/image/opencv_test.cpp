// SPDX-License-Identifier: Apache-2.0
//
// Bilinear resizing without antialiasing is OpenCV's INTER_LINEAR, within one level; that of a part of a
// picture whose sides lie between pixels is torch's. References: references/warp_opencv.txt and
// warp_boxed.txt.
#include <algorithm>

#include "collected_rows.h"
#include "pixels/pixel_writer.h"
#include "pixels/resample.h"
#include "warp_references.h"

namespace headrace::image {
namespace {

using testing::elements_of;
using testing::picture_pattern;
using testing::reference_rows;

std::vector<std::uint8_t> resampled(const ResampleSpec& spec, const std::vector<std::uint8_t>& pixels) {
  Resampler resampler;
  PixelWriter writer;
  MemoryRows rows;
  std::vector<std::uint8_t> out(static_cast<std::size_t>(spec.out.width) *
                                static_cast<std::size_t>(spec.out.height) *
                                static_cast<std::size_t>(spec.channels));
  EXPECT_TRUE(resampler.configure(spec).ok());
  writer.begin({.data = out.data(), .size = spec.out, .channels = spec.channels}, false);
  resampler.begin(writer);
  rows.push(pixels.data(), spec.in, spec.channels, resampler.needed(), resampler);
  return out;
}

int farthest(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b) {
  EXPECT_EQ(a.size(), b.size());
  int most = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

ResampleSpec without_antialiasing(int channels, Size in, Size out) {
  ResampleSpec spec = resample_all(channels, in, out, Filter::kBilinear);
  spec.antialias = false;
  return spec;
}

TEST(Resample, IsOpenCvsWithinALevelWithoutAntialiasing) {
  for (const auto& row : reference_rows("warp_opencv.txt")) {
    const auto number = [&row](std::size_t i) { return std::stoi(row[i]); };
    const Size in{number(1), number(2)};
    const ResampleSpec spec = without_antialiasing(number(0), in, {number(4), number(5)});
    const auto count = static_cast<std::size_t>(in.width * in.height * spec.channels);
    const auto out = resampled(spec, picture_pattern(count, static_cast<std::uint64_t>(number(3))));
    EXPECT_LE(farthest(out, elements_of<std::uint8_t>(row[6])), 1)
        << in.width << " x " << in.height << " to " << spec.out.width << " x " << spec.out.height;
  }
}

TEST(Resample, TakesPartsBetweenPixelsAsTorchWithoutAntialiasing) {
  for (const auto& row : reference_rows("warp_boxed.txt")) {
    const auto number = [&row](std::size_t i) { return std::stoi(row[i]); };
    const Size in{number(1), number(2)};
    ResampleSpec spec = without_antialiasing(number(0), in, {number(8), number(9)});
    for (std::size_t i = 0; i < 4; ++i) spec.box[i] = std::stof(row[4 + i]);
    const auto count = static_cast<std::size_t>(in.width * in.height * spec.channels);
    const auto out = resampled(spec, picture_pattern(count, static_cast<std::uint64_t>(number(3))));
    EXPECT_LE(farthest(out, elements_of<std::uint8_t>(row[10])), 1) << row[4] << " .. " << row[6];
  }
}

}  // namespace
}  // namespace headrace::image
