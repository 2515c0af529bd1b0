// SPDX-License-Identifier: Apache-2.0
//
// In steady state the fused path takes nothing from the heap: every call of operator new in this program is
// counted. What libjpeg takes, it takes by malloc, and is not ours.
#include <gtest/gtest.h>

#include "codec/picture.h"
#include "counted_news.h"
#include "exif_writer.h"
#include "jpeg_writer.h"
#include "pixels/pixel_writer.h"
#include "pixels/renderer.h"
#include "warp/boxes.h"
#include "warp/place.h"
#include "warp/sample.h"

namespace headrace::image {
namespace {

using testing::make_jpeg;
using testing::news;
using testing::with_orientation;

struct Worker {
  PictureDecoder decoder;
  Renderer renderer;
  PixelWriter writer;
};

void train_once(Worker& worker, const std::vector<std::uint8_t>& file, const Normalization& normalization,
                int round, std::vector<float>& out) {
  ASSERT_TRUE(worker.decoder.open(file.data(), file.size(), {}).ok());
  Frame frame(worker.decoder.size());
  const Size size = frame.size();
  // Wide crops, tall ones and small ones by turns, so that both orders of the passes occur.
  const int shrink = 1 + round % 3;
  frame.crop({round % 5, round % 7, size.width / shrink - 8, size.height / (4 - shrink) - 8});
  frame.resize({32, 32}, Filter::kBilinear, true);
  if (round % 2 == 1) frame.flip();
  frame.crop(center_crop(frame.size(), {40, 28}));
  worker.writer.begin({.data = out.data(),
                       .size = frame.size(),
                       .type = PixelType::kFloat32,
                       .layout = PixelLayout::kChw,
                       .normalization = &normalization},
                      frame.mirrored() && !Renderer::mirrors(frame));
  ASSERT_TRUE(worker.renderer.begin(frame, 3, worker.writer).ok());
  ASSERT_TRUE(worker.decoder.decode(worker.renderer.needed(), worker.renderer.input()).ok());
  worker.renderer.finish();
}

TEST(Allocation, IsCounted) {
  const long before = news();
  ::operator delete(::operator new(8));
  EXPECT_EQ(news(), before + 1);
}

TEST(Allocation, IsOverAfterTheFirstPictures) {
  const std::vector<std::vector<std::uint8_t>> files{
      make_jpeg({.width = 203, .height = 117, .h_sampling = 2, .v_sampling = 2}),
      make_jpeg({.width = 91, .height = 170, .h_sampling = 2, .progressive = true}),
      make_jpeg({.width = 128, .height = 128, .components = 4}),
      make_jpeg({.width = 60, .height = 60, .components = 1}),
      with_orientation(make_jpeg({.width = 120, .height = 80, .h_sampling = 2, .v_sampling = 2}), 6),
      with_orientation(make_jpeg({.width = 120, .height = 80}), 3)};
  const double mean = 0.5;
  const double std = 0.25;
  Normalization normalization;
  ASSERT_TRUE(normalization.configure(3, &mean, 1, &std, 1).ok());
  std::vector<float> out(static_cast<std::size_t>(40) * 28 * 3);
  Worker worker;
  for (int round = 0; round < 60; ++round) {
    for (const auto& file : files) train_once(worker, file, normalization, round, out);
  }
  const long before = news();
  EXPECT_GT(before, 0);
  for (int round = 0; round < 60; ++round) {
    for (const auto& file : files) train_once(worker, file, normalization, round, out);
  }
  EXPECT_EQ(news(), before);
}

TEST(Allocation, IsNeverDoneByWarpsAndMoves) {
  constexpr Size kSize{200, 30};
  const std::vector<std::uint8_t> in(static_cast<std::size_t>(200) * 30 * 3, 9);
  std::vector<std::uint8_t> out(static_cast<std::size_t>(220) * 50 * 3);
  const float fill[] = {1, 2, 3};
  float box[] = {1, 2, 30, 20};
  const long before = news();
  for (const PixelLayout layout : {PixelLayout::kHwc, PixelLayout::kChw}) {
    for (const Sampling sampling : {Sampling::kNearest, Sampling::kBilinear}) {
      const PictureView<const std::uint8_t> from{in.data(), kSize, 3, layout};
      const PictureView<std::uint8_t> to{out.data(), kSize, 3, layout};
      AffineRule rule;
      rule.angle = 12;
      warp_affine(from, inverse_affine(rule), sampling, fill, to);
      PerspectiveCoefficients tilt = {};
      ASSERT_TRUE(perspective_coefficients({Point{0, 0}, {199, 0}, {199, 29}, {0, 29}},
                                           {Point{3, 2}, {190, 1}, {195, 20}, {4, 28}}, tilt));
      warp_perspective(from, tilt, sampling, nullptr, to);
    }
  }
  const Planes planes{1, kSize, 3};
  for (const Surround surround :
       {Surround::kConstant, Surround::kEdge, Surround::kReflect, Surround::kSymmetric})
    take_part(in.data(), planes, padded(kSize, {10, 10, 10, 10}), surround, nullptr, out.data());
  flip_columns(in.data(), planes, whole(kSize), out.data());
  flip_rows(in.data(), planes, whole(kSize), out.data());
  turn(in.data(), planes, 1, out.data());
  crop_boxes({box, 1, BoxFormat::kCxcywh}, {3, 3, 90, 20});
  warp_boxes({box, 1, BoxFormat::kXywh}, forward_affine({}), {}, kSize);
  EXPECT_EQ(news(), before);
}

}  // namespace
}  // namespace headrace::image
