// SPDX-License-Identifier: Apache-2.0
//
// A chain of crops, a resize and a flip done in one pass while decoding gives the very bytes of doing one
// after the other in memory.
#include "pixels/renderer.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "codec/picture.h"
#include "exif_writer.h"
#include "jpeg_writer.h"
#include "pixels/pixel_writer.h"
#include "references.h"

namespace headrace::image {
namespace {

using testing::make_jpeg;
using testing::read_file;
using testing::with_orientation;

struct Image {
  Size size;
  int channels = 3;
  std::vector<std::uint8_t> bytes;
};

Image empty_image(Size size, int channels) {
  const std::size_t pixels = static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
  return {size, channels, std::vector<std::uint8_t>(pixels * static_cast<std::size_t>(channels))};
}

using Change = std::function<void(Frame&)>;

// One frame over a picture in memory.
Image render(const Image& in, const Change& change) {
  Frame frame(in.size);
  change(frame);
  Image out = empty_image(frame.size(), in.channels);
  PixelWriter writer;
  writer.begin({.data = out.bytes.data(), .size = out.size, .channels = in.channels},
               frame.mirrored() && !Renderer::mirrors(frame));
  Renderer renderer;
  EXPECT_TRUE(renderer.begin(frame, in.channels, writer).ok());
  MemoryRows rows;
  if (!renderer.needed().empty())
    rows.push(in.bytes.data(), in.size, in.channels, renderer.needed(), renderer.input());
  renderer.finish();
  EXPECT_EQ(writer.rows(), out.size.height);
  return out;
}

// All changes in one frame, while decoding.
Image decode(PictureDecoder& decoder, Renderer& renderer, const std::vector<std::uint8_t>& file,
             const DecodeOptions& options, const std::vector<Change>& changes) {
  EXPECT_TRUE(decoder.open(file.data(), file.size(), options).ok());
  Frame frame(decoder.size());
  for (const Change& change : changes) change(frame);
  Image out = empty_image(frame.size(), decoder.channels());
  PixelWriter writer;
  writer.begin({.data = out.bytes.data(), .size = out.size, .channels = out.channels},
               frame.mirrored() && !Renderer::mirrors(frame));
  EXPECT_TRUE(renderer.begin(frame, out.channels, writer).ok());
  EXPECT_TRUE(decoder.decode(renderer.needed(), renderer.input()).ok());
  renderer.finish();
  EXPECT_EQ(writer.rows(), out.size.height);
  return out;
}

class Draws {
 public:
  int upto(int most) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<int>((state_ >> 33) % static_cast<std::uint64_t>(most)) + 1;
  }
  double unit() { return upto(1 << 20) / static_cast<double>(1 << 20) * 0.999; }

 private:
  std::uint64_t state_ = 7;
};

Change a_center_crop(Draws& draws, std::string& name) {
  const Size size{draws.upto(150), draws.upto(150)};
  name += "center_crop ";
  return [size](Frame& f) { f.crop(center_crop(f.size(), size)); };
}

Change a_random_crop(Draws& draws, std::string& name) {
  const double x = draws.unit();
  const double y = draws.unit();
  const double w = draws.unit();
  const double h = draws.unit();
  name += "crop ";
  return [=](Frame& f) {
    const Size crop{1 + static_cast<int>(w * f.size().width), 1 + static_cast<int>(h * f.size().height)};
    f.crop({static_cast<int>(x * (f.size().width - crop.width + 1)),
            static_cast<int>(y * (f.size().height - crop.height + 1)), crop.width, crop.height});
  };
}

Change a_resize(Draws& draws, std::string& name) {
  const Size size{draws.upto(120), draws.upto(120)};
  const auto filter = static_cast<Filter>(draws.upto(6) - 1);
  name += "resize ";
  return [=](Frame& f) { f.resize(size, filter, true); };
}

std::vector<Change> a_chain(Draws& draws, std::string& name) {
  std::vector<Change> chain;
  const auto crops = [&] {
    while (draws.upto(2) == 1)
      chain.push_back(draws.upto(2) == 1 ? a_center_crop(draws, name) : a_random_crop(draws, name));
  };
  crops();
  if (draws.upto(5) > 1) chain.push_back(a_resize(draws, name));
  crops();
  if (draws.upto(2) == 1) {
    chain.emplace_back([](Frame& f) { f.flip(); });
    name += "flip ";
  }
  return chain;
}

TEST(Renderer, GivesInOnePassWhatTheStepsGiveOneByOne) {
  std::vector<std::vector<std::uint8_t>> files;
  files.push_back(make_jpeg({.width = 203, .height = 117, .h_sampling = 2, .v_sampling = 2}));
  files.push_back(make_jpeg({.width = 61, .height = 190, .h_sampling = 2, .progressive = true}));
  files.push_back(make_jpeg({.width = 90, .height = 90, .components = 4}));
  files.push_back(read_file("trials/hopper.png"));
  files.push_back(read_file("png/type2_8bit_interlaced.png"));
  files.push_back(read_file("trials/pil123rgba.png"));
  const ColourRule rules[] = {{ColourRule::Mode::kRgb, ColourRule::Alpha::kDrop, {}},
                              {ColourRule::Mode::kGrey, ColourRule::Alpha::kDrop, {}},
                              {ColourRule::Mode::kGrey, ColourRule::Alpha::kKeep, {}},
                              {ColourRule::Mode::kRgb, ColourRule::Alpha::kKeep, {}},
                              {ColourRule::Mode::kUnchanged, ColourRule::Alpha::kDrop, {}}};
  PictureDecoder decoder;
  Renderer renderer;
  Draws draws;
  for (int i = 0; i < 2000; ++i) {
    const auto number = static_cast<std::size_t>(i);
    const std::vector<std::uint8_t> file =
        with_orientation(files[number % files.size()], static_cast<int>(number / files.size() % 8) + 1);
    const DecodeOptions options{.colour = rules[number % std::size(rules)], .verify_whole = i % 3 == 0};
    std::string name;
    const std::vector<Change> chain = a_chain(draws, name);
    Image stepwise = decode(decoder, renderer, file, options, {});
    for (const Change& change : chain) stepwise = render(stepwise, change);
    const Image at_once = decode(decoder, renderer, file, options, chain);
    ASSERT_EQ(at_once.size, stepwise.size) << name;
    ASSERT_TRUE(at_once.bytes == stepwise.bytes)
        << i << ": " << name << stepwise.size.width << " x " << stepwise.size.height;
  }
}

TEST(Renderer, PadsWithBlackAndOnlyWhereThePictureEnds) {
  const Image in{{2, 1}, 3, {10, 20, 30, 40, 50, 60}};
  const Image out = render(in, [](Frame& f) { f.crop(center_crop(f.size(), {5, 3})); });
  const std::vector<std::uint8_t> black(15, 0);
  const std::vector<std::uint8_t> middle = {0, 0, 0, 10, 20, 30, 40, 50, 60, 0, 0, 0, 0, 0, 0};
  std::vector<std::uint8_t> expected = black;
  expected.insert(expected.end(), middle.begin(), middle.end());
  expected.insert(expected.end(), black.begin(), black.end());
  EXPECT_EQ(out.bytes, expected);
}

}  // namespace
}  // namespace headrace::image
