// SPDX-License-Identifier: Apache-2.0
//
// A picture's rows land where type and layout say, whatever their width, and nowhere else.
#include "pixels/pixel_writer.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "instruction_sets.h"

namespace headrace::image {
namespace {

using testing::on_every_instruction_set;

constexpr std::uint8_t kUntouched = 0xA5;

struct Picture {
  Picture(Size of, int depth) : size(of), channels(depth) {
    const auto count =
        static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height * channels);
    for (std::size_t i = 0; i < count; ++i) bytes.push_back(static_cast<std::uint8_t>(i * 7 + 3));
    bytes.resize(count + kRowSlack, kUntouched);
  }
  std::uint8_t at(int y, int x, int c) const {
    return bytes[static_cast<std::size_t>((y * size.width + x) * channels + c)];
  }

  Size size;
  int channels;
  std::vector<std::uint8_t> bytes;
};

/// The picture as it was written, with a byte behind its end that must not be touched.
std::vector<std::uint8_t> written(const Picture& picture, PixelType type, PixelLayout layout, bool mirrored,
                                  const Normalization& normalization) {
  const std::size_t count = picture.bytes.size() - kRowSlack;
  std::vector<std::uint8_t> out(count * pixel_type_bytes(type) + 1, kUntouched);
  PixelWriter writer;
  writer.begin({.data = out.data(),
                .size = picture.size,
                .channels = picture.channels,
                .type = type,
                .layout = layout,
                .normalization = &normalization},
               mirrored);
  writer.push(picture.bytes.data(), picture.size.width * picture.channels, picture.size.height);
  EXPECT_EQ(writer.rows(), picture.size.height);
  EXPECT_EQ(out.back(), kUntouched);
  return out;
}

/// What belongs there, number by number.
std::vector<std::uint8_t> expected(const Picture& picture, PixelType type, PixelLayout layout, bool mirrored,
                                   const Normalization& normalization) {
  const auto [width, height] = picture.size;
  const std::size_t bytes = pixel_type_bytes(type);
  std::vector<std::uint8_t> out((picture.bytes.size() - kRowSlack) * bytes + 1, kUntouched);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (int c = 0; c < picture.channels; ++c) {
        const std::uint8_t byte = picture.at(y, mirrored ? width - 1 - x : x, c);
        const int at = layout == PixelLayout::kHwc ? (y * width + x) * picture.channels + c
                                                   : (c * height + y) * width + x;
        std::uint8_t* to = out.data() + static_cast<std::size_t>(at) * bytes;
        const float value = normalization.value(c, byte);
        std::uint16_t half = 0;
        if (type == PixelType::kFloat16) to_float16(&value, 1, &half);
        if (type == PixelType::kBfloat16) to_bfloat16(&value, 1, &half);
        if (type == PixelType::kUint8) *to = byte;
        if (bytes == 2) std::memcpy(to, &half, 2);
        if (bytes == 4) std::memcpy(to, &value, 4);
      }
    }
  }
  return out;
}

TEST(PixelWriter, PutsEveryNumberInItsPlace) {
  constexpr double kMean[] = {0.485, 0.456, 0.406, 0.5};
  constexpr double kStd[] = {0.229, 0.224, 0.225, 0.25};
  on_every_instruction_set([&] {
    for (const int channels : {1, 2, 3, 4}) {
      Normalization normalization;
      ASSERT_TRUE(normalization.configure(channels, kMean, channels, kStd, channels).ok());
      for (const int width : {1, 2, 7, 15, 16, 17, 33, 64, 100}) {
        const Picture picture({width, 3}, channels);
        for (const PixelType type :
             {PixelType::kUint8, PixelType::kFloat16, PixelType::kBfloat16, PixelType::kFloat32}) {
          for (const PixelLayout layout : {PixelLayout::kHwc, PixelLayout::kChw}) {
            for (const bool mirrored : {false, true}) {
              ASSERT_EQ(written(picture, type, layout, mirrored, normalization),
                        expected(picture, type, layout, mirrored, normalization))
                  << width << " x " << channels << ", type " << static_cast<int>(type) << ", layout "
                  << static_cast<int>(layout) << (mirrored ? ", mirrored" : "");
            }
          }
        }
      }
    }
  });
}

}  // namespace
}  // namespace headrace::image
