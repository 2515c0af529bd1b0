// SPDX-License-Identifier: Apache-2.0
//
// Contact sheets of tiny batches whose every dot is known.
#include "sheet.h"

#include <gtest/gtest.h>
#include <png.h>

#include <cstdio>
#include <set>
#include <stdexcept>
#include <string>

#include "values.h"

namespace headrace::cli {
namespace {

Color dot(const Picture& picture, int x, int y) {
  const std::uint8_t* at = picture.row(y) + 3 * x;
  return {at[0], at[1], at[2]};
}

bool holds(const Picture& picture, Color wanted) {
  for (int y = 0; y < picture.height(); ++y) {
    for (int x = 0; x < picture.width(); ++x) {
      if (dot(picture, x, y) == wanted) return true;
    }
  }
  return false;
}

/// One sample of 300 x 300 dots in one colour, planes or dots first.
template <class T>
std::vector<T> plain(T r, T g, T b, bool planes) {
  std::vector<T> data;
  constexpr int kDots = 300 * 300;
  if (planes) {
    for (const T value : {r, g, b}) data.insert(data.end(), kDots, value);
  } else {
    for (int i = 0; i < kDots; ++i) data.insert(data.end(), {r, g, b});
  }
  return data;
}

TEST(Sheet, ShowsBytesAsTheyAreInEitherLayout) {
  std::vector<std::uint8_t> planes = plain<std::uint8_t>(10, 130, 250, true);
  std::vector<std::uint8_t> dots = plain<std::uint8_t>(10, 130, 250, false);
  const headrace_value first = tensor(planes, HEADRACE_UINT8, {1, 3, 300, 300}, HEADRACE_LAYOUT_NCHW);
  const headrace_value last = tensor(dots, HEADRACE_UINT8, {1, 300, 300, 3}, HEADRACE_LAYOUT_NHWC);
  for (const headrace_value* value : {&first, &last}) {
    const Picture sheet = contact_sheet({{"image", value}}, {});
    EXPECT_EQ(dot(sheet, sheet.width() / 2, sheet.height() / 2), (Color{10, 130, 250}));
  }
}

TEST(Sheet, UndoesNormalisation) {
  // (200 / 255 - 0.485) / 0.229 and its sisters.
  std::vector<float> data = plain<float>(1.30703F, 0.66527F, -0.58188F, true);
  const headrace_value value = tensor(data, HEADRACE_FLOAT32, {1, 3, 300, 300}, HEADRACE_LAYOUT_NCHW);
  SheetNotes notes;
  notes.normalised["image"] = {{0.485, 0.456, 0.406}, {0.229, 0.224, 0.225}};
  const Picture sheet = contact_sheet({{"image", &value}}, notes);
  EXPECT_EQ(dot(sheet, sheet.width() / 2, sheet.height() / 2), (Color{200, 154, 70}));
}

TEST(Sheet, StretchesWhatItKnowsNothingAbout) {
  std::vector<float> data{-3, 1, -1, 1};
  const headrace_value value = tensor(data, HEADRACE_FLOAT32, {1, 1, 2, 2}, HEADRACE_LAYOUT_NCHW);
  const Picture sheet = contact_sheet({{"image", &value}}, {});
  EXPECT_TRUE(holds(sheet, {0, 0, 0}));
  EXPECT_TRUE(holds(sheet, {255, 255, 255}));
  EXPECT_TRUE(holds(sheet, {128, 128, 128}));
}

TEST(Sheet, TakesFractionsForBrightness) {
  std::vector<float> data{0.2F, 0.2F, 0.2F, 0.4F};
  const headrace_value value = tensor(data, HEADRACE_FLOAT32, {1, 2, 2, 1}, HEADRACE_LAYOUT_NHWC);
  const Picture sheet = contact_sheet({{"image", &value}}, {});
  EXPECT_TRUE(holds(sheet, {51, 51, 51}));
  EXPECT_TRUE(holds(sheet, {102, 102, 102}));
}

TEST(Sheet, AveragesWhenItShrinks) {
  std::vector<std::uint8_t> data(448 * 448);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = i % 2 == 0 ? 100 : 201;
  const headrace_value value = tensor(data, HEADRACE_UINT8, {448, 448, 1}, HEADRACE_LAYOUT_HWC);
  const Picture sheet = contact_sheet({{"image", &value}}, {});
  EXPECT_LT(sheet.width(), 250);
  EXPECT_EQ(dot(sheet, sheet.width() / 2, sheet.height() / 2), (Color{151, 151, 151}));
}

TEST(Sheet, PutsTheViewsOfASampleSideBySide) {
  std::vector<std::uint8_t> a = plain<std::uint8_t>(200, 0, 0, false);
  std::vector<std::uint8_t> b = plain<std::uint8_t>(0, 0, 200, false);
  const headrace_value first = tensor(a, HEADRACE_UINT8, {1, 300, 300, 3}, HEADRACE_LAYOUT_NHWC);
  const headrace_value second = tensor(b, HEADRACE_UINT8, {1, 300, 300, 3}, HEADRACE_LAYOUT_NHWC);
  const Picture sheet = contact_sheet({{"view_a", &first}, {"view_b", &second}}, {});
  EXPECT_GT(sheet.width(), sheet.height());
  EXPECT_EQ(dot(sheet, sheet.width() / 4, sheet.height() / 2), (Color{200, 0, 0}));
  EXPECT_EQ(dot(sheet, sheet.width() * 3 / 4, sheet.height() / 2), (Color{0, 0, 200}));
}

TEST(Sheet, WritesTheNameOfTheClassUnderThePicture) {
  std::vector<std::uint8_t> pixels(3 * 64 * 64 * 3, 128);
  std::vector<std::int64_t> labels{0, 1, 7};
  const headrace_value image = tensor(pixels, HEADRACE_UINT8, {3, 64, 64, 3}, HEADRACE_LAYOUT_NHWC);
  const headrace_value label = tensor(labels, HEADRACE_INT64, {3});
  const Picture bare = contact_sheet({{"image", &image}}, {});
  const Picture named = contact_sheet({{"image", &image}, {"label", &label}}, {{}, {"cat", "dog"}});
  EXPECT_GT(named.height(), bare.height());
  EXPECT_TRUE(holds(named, {50, 50, 50}));
  EXPECT_FALSE(holds(bare, {50, 50, 50}));
}

TEST(Sheet, RefusesABatchWithoutPictures) {
  std::vector<std::int64_t> labels{0, 1};
  const headrace_value label = tensor(labels, HEADRACE_INT64, {2});
  EXPECT_THROW(contact_sheet({{"label", &label}}, {}), std::runtime_error);
}

TEST(Sheet, IsAPngThatLibpngReadsBack) {
  std::vector<std::uint8_t> data = plain<std::uint8_t>(1, 2, 3, false);
  const headrace_value value = tensor(data, HEADRACE_UINT8, {1, 300, 300, 3}, HEADRACE_LAYOUT_NHWC);
  const Picture sheet = contact_sheet({{"image", &value}}, {});
  const std::string path = testing::TempDir() + "sheet_test.png";
  write_png(path, sheet);
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  ASSERT_NE(png_image_begin_read_from_file(&image, path.c_str()), 0) << image.message;
  image.format = PNG_FORMAT_RGB;
  std::vector<std::uint8_t> dots(PNG_IMAGE_SIZE(image));
  ASSERT_NE(png_image_finish_read(&image, nullptr, dots.data(), 0, nullptr), 0) << image.message;
  std::remove(path.c_str());
  ASSERT_EQ(static_cast<int>(image.width), sheet.width());
  ASSERT_EQ(static_cast<int>(image.height), sheet.height());
  EXPECT_TRUE(std::equal(dots.begin(), dots.end(), sheet.row(0)));
}

TEST(Letters, AreAllDifferent) {
  std::set<std::string> shapes;
  for (char c = ' '; c <= '~'; ++c) {
    Picture picture(5, 7, {255, 255, 255});
    draw_text(picture, 0, 0, std::string(1, c), {0, 0, 0}, 1);
    shapes.emplace(reinterpret_cast<const char*>(picture.row(0)), picture.row_bytes() * 7);
  }
  EXPECT_EQ(shapes.size(), 95U);
}

TEST(Letters, CountUtf8CharactersOnce) {
  EXPECT_EQ(text_width("\xc3\xa4x", 1), text_width("ax", 1));
  EXPECT_EQ(text_width("", 3), 0);
  EXPECT_EQ(text_width("ab", 2), 22);
}

}  // namespace
}  // namespace headrace::cli
