// SPDX-License-Identifier: Apache-2.0
//
// The colour functions against what torchvision gives on the same pictures (make_color_references.py), and
// against themselves: in place, in the other layout, on sizes that no vector divides.
#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <set>
#include <sstream>

#include "color/adjust.h"
#include "color/convert.h"
#include "color/filter.h"
#include "color/levels.h"
#include "pixels/narrow.h"
#include "references.h"

namespace headrace::image {
namespace {

using testing::picture_pattern;
using testing::reference_rows;

using Arguments = std::vector<double>;
/// shape, in, out, arguments
using Function = std::function<void(const PictureShape&, const void*, void*, const Arguments&)>;

RowFilter& filter() {
  static RowFilter filter;
  return filter;
}

const std::map<std::string, Function>& functions() {
  using Shape = const PictureShape&;
  using Args = const Arguments&;
  static const std::map<std::string, Function> kFunctions{
      {"brightness", [](Shape s, const void* in, void* out, Args a) { adjust_brightness(s, in, out, a[0]); }},
      {"contrast", [](Shape s, const void* in, void* out, Args a) { adjust_contrast(s, in, out, a[0]); }},
      {"saturation", [](Shape s, const void* in, void* out, Args a) { adjust_saturation(s, in, out, a[0]); }},
      {"hue", [](Shape s, const void* in, void* out, Args a) { adjust_hue(s, in, out, a[0]); }},
      {"gamma", [](Shape s, const void* in, void* out, Args a) { adjust_gamma(s, in, out, a[0], a[1]); }},
      {"invert", [](Shape s, const void* in, void* out, Args) { invert(s, in, out); }},
      {"posterize",
       [](Shape s, const void* in, void* out, Args a) { posterize(s, in, out, static_cast<int>(a[0])); }},
      {"solarize", [](Shape s, const void* in, void* out, Args a) { solarize(s, in, out, a[0]); }},
      {"autocontrast", [](Shape s, const void* in, void* out, Args) { autocontrast(s, in, out); }},
      {"equalize", [](Shape s, const void* in, void* out, Args) { equalize(s, in, out); }},
      {"grayscale",
       [](Shape s, const void* in, void* out, Args a) { grayscale(s, in, out, static_cast<int>(a[0])); }},
      {"sharpness",
       [](Shape s, const void* in, void* out, Args a) { filter().adjust_sharpness(s, in, out, a[0]); }},
      {"blur", [](Shape s, const void* in, void* out, Args a) {
         filter().gaussian_blur(s, in, out, static_cast<int>(a[0]), static_cast<int>(a[1]), a[2], a[3]);
       }}};
  return kFunctions;
}

/// A picture with memory of its own, compared value by value.
class Picture {
 public:
  explicit Picture(const PictureShape& shape) : shape_(shape), memory_(shape.bytes()) {}

  const PictureShape& shape() const { return shape_; }
  void* data() { return memory_.data(); }
  const void* data() const { return memory_.data(); }
  bool operator==(const Picture& other) const { return memory_ == other.memory_; }

  /// The element of an interleaved picture with that number.
  double value(std::size_t i) const {
    const auto channels = static_cast<std::size_t>(shape_.channels);
    const std::size_t at =
        shape_.channel_start(static_cast<int>(i % channels)) + i / channels * shape_.step();
    return shape_.type == PixelType::kUint8 ? memory_[at] : static_cast<double>(element(at));
  }
  void set(std::size_t i, std::uint8_t level) {
    const auto channels = static_cast<std::size_t>(shape_.channels);
    const std::size_t at =
        shape_.channel_start(static_cast<int>(i % channels)) + i / channels * shape_.step();
    const float value = static_cast<float>(level) * kLevel;
    if (shape_.type == PixelType::kUint8) {
      memory_[at] = level;
    } else {
      std::memcpy(memory_.data() + at * sizeof value, &value, sizeof value);
    }
  }

 private:
  float element(std::size_t at) const {
    float value = 0;
    std::memcpy(&value, memory_.data() + at * sizeof value, sizeof value);
    return value;
  }

  PictureShape shape_;
  std::vector<std::uint8_t> memory_;
};

/// picture() of make_color_references.py.
Picture test_picture(const PictureShape& shape, std::uint64_t seed, bool is_dim) {
  const std::vector<std::uint8_t> levels = picture_pattern(shape.elements(), seed);
  Picture picture(shape);
  for (std::size_t i = 0; i < levels.size(); ++i)
    picture.set(i, is_dim ? static_cast<std::uint8_t>(levels[i] * 100 / 256 + 30) : levels[i]);
  return picture;
}

Picture result_of(const std::string& function, const Arguments& arguments, const Picture& in) {
  PictureShape shape = in.shape();
  if (function == "grayscale") shape.channels = static_cast<int>(arguments[0]);
  Picture out(shape);
  functions().at(function)(in.shape(), in.data(), out.data(), arguments);
  return out;
}

Arguments arguments_of(const std::string& word) {
  Arguments arguments;
  std::istringstream words(word == "-" ? "" : word);
  for (std::string one; std::getline(words, one, ',');) arguments.push_back(std::stod(one));
  return arguments;
}

std::uint32_t bits_at(const std::string& hex, std::size_t at, std::size_t digits) {
  std::uint32_t bits = 0;
  std::from_chars(hex.data() + at, hex.data() + at + digits, bits, 16);
  return bits;
}

struct Case {
  explicit Case(const std::vector<std::string>& row)
      : name(row[0]), arguments(arguments_of(row[1])), seed(std::stoull(row[3])), is_dim(row[4] == "1") {
    shape.size = {std::stoi(row[5]), std::stoi(row[6])};
    shape.channels = std::stoi(row[7]);
    shape.type = row[2] == "uint8" ? PixelType::kUint8 : PixelType::kFloat32;
    const std::size_t digits = shape.type == PixelType::kUint8 ? 2 : 8;
    for (std::size_t at = 0; at < row[8].size(); at += digits) {
      const std::uint32_t bits = bits_at(row[8], at, digits);
      expected.push_back(digits == 2 ? bits : static_cast<double>(std::bit_cast<float>(bits)));
    }
  }

  std::string name;
  Arguments arguments;
  PictureShape shape;
  std::uint64_t seed;
  bool is_dim;
  std::vector<double> expected;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const std::vector<std::string>& row : reference_rows("color.txt")) all.emplace_back(row);
  return all;
}

/// As docs/image_ops.md says: bytes are torchvision's to the level, but where a sum of products decides on
/// which side of a level a number comes to lie.
double tolerance(const std::string& name, PixelType type) {
  if (type == PixelType::kFloat32) return 1e-6;
  const bool sums = name == "contrast" || name == "saturation" || name == "hue" || name == "grayscale" ||
                    name == "gamma" || name == "blur";
  return sums ? 1 : 0;
}

TEST(Color, IsTorchvisions) {
  std::set<std::string> seen;
  for (const Case& c : cases()) {
    seen.insert(c.name + (c.shape.type == PixelType::kUint8 ? " of bytes" : " of floats"));
    for (const PixelLayout layout : {PixelLayout::kHwc, PixelLayout::kChw}) {
      PictureShape shape = c.shape;
      shape.layout = layout;
      const Picture out = result_of(c.name, c.arguments, test_picture(shape, c.seed, c.is_dim));
      ASSERT_EQ(out.shape().elements(), c.expected.size()) << c.name;
      for (std::size_t i = 0; i < c.expected.size(); ++i) {
        const double difference = std::abs(out.value(i) - c.expected[i]);
        ASSERT_LE(difference, tolerance(c.name, shape.type))
            << c.name << " " << c.seed << " at " << i << ": " << out.value(i) << " for " << c.expected[i];
      }
    }
  }
  EXPECT_EQ(seen.size(), 2 * functions().size());
}

/// Every function with arguments that change something, on shapes with and without a rest of a vector.
template <class Body>
void each_function(Body&& body) {
  const std::map<std::string, Arguments> arguments{
      {"brightness", {1.3}},     {"contrast", {0.6}}, {"saturation", {1.8}}, {"hue", {0.3}},
      {"gamma", {2.2, 1}},       {"invert", {}},      {"posterize", {3}},    {"solarize", {0.4}},
      {"autocontrast", {}},      {"equalize", {}},    {"grayscale", {3}},    {"sharpness", {1.7}},
      {"blur", {9, 5, 2.0, 0.9}}};
  EXPECT_EQ(arguments.size(), functions().size());
  for (const auto& [name, values] : arguments) {
    for (const PixelType type : {PixelType::kUint8, PixelType::kFloat32}) {
      for (const Size size : {Size{16, 8}, Size{61, 23}, Size{130, 5}, Size{9, 40}}) {
        for (const int channels : {1, 3}) {
          PictureShape shape{size, channels, PixelLayout::kHwc, type};
          if (name == "grayscale" && channels == 1) continue;
          body(name, values, shape);
        }
      }
    }
  }
}

TEST(Color, IsTheSameInBothLayouts) {
  each_function([](const std::string& name, const Arguments& arguments, PictureShape shape) {
    const Picture interleaved = result_of(name, arguments, test_picture(shape, 4, true));
    shape.layout = PixelLayout::kChw;
    const Picture planar = result_of(name, arguments, test_picture(shape, 4, true));
    for (std::size_t i = 0; i < shape.elements(); ++i)
      ASSERT_EQ(interleaved.value(i), planar.value(i)) << name << " at " << i;
  });
}

TEST(Color, IsTheSameInPlace) {
  each_function([](const std::string& name, const Arguments& arguments, PictureShape shape) {
    for (const PixelLayout layout : {PixelLayout::kHwc, PixelLayout::kChw}) {
      shape.layout = layout;
      Picture picture = test_picture(shape, 6, false);
      const Picture apart = result_of(name, arguments, picture);
      functions().at(name)(shape, picture.data(), picture.data(), arguments);
      ASSERT_TRUE(picture == apart) << name;
    }
  });
}

TEST(Color, LeavesAPictureWithoutPixelsAlone) {
  const PictureShape shape{{0, 0}, 3, PixelLayout::kHwc, PixelType::kUint8};
  for (const char* name : {"contrast", "autocontrast", "equalize", "sharpness"}) {
    std::uint8_t none = 7;
    functions().at(name)(shape, &none, &none, {1});
    EXPECT_EQ(none, 7) << name;
  }
}

TEST(Color, TakesNoMoreThanAByteHolds) {
  EXPECT_EQ(level_of(-1.0F), 0);
  EXPECT_EQ(level_of(2.0F), 255);
  EXPECT_EQ(level_of(std::nanf("")), 0);
}

TEST(ToDtype, IsTorchvisionsForEveryLevel) {
  for (const std::vector<std::string>& row : reference_rows("dtypes.txt")) {
    if (row[0] != "uint8") continue;
    const bool scale = row[2] == "1";
    ASSERT_EQ(row.size(), 256 + 3U);
    for (std::size_t level = 0; level < 256; ++level) {
      const auto in = static_cast<std::uint8_t>(level);
      const std::uint32_t expected = bits_at(row[3 + level], 0, row[3 + level].size());
      if (row[1] == "float32") {
        float out = 0;
        bytes_to_float32(&in, 1, scale, &out);
        ASSERT_EQ(std::bit_cast<std::uint32_t>(out), expected) << level;
      } else {
        std::uint16_t out = 0;
        row[1] == "float16" ? bytes_to_float16(&in, 1, scale, &out) : bytes_to_bfloat16(&in, 1, scale, &out);
        ASSERT_EQ(out, expected) << row[1] << " " << level;
      }
    }
  }
}

TEST(ToDtype, RoundsFloatsAsTorchvision) {
  int rows = 0;
  for (const std::vector<std::string>& row : reference_rows("dtypes.txt")) {
    if (row[0] != "float32") continue;
    ++rows;
    for (std::size_t i = 3; i < row.size(); ++i) {
      const std::size_t colon = row[i].find(':');
      const auto in = std::bit_cast<float>(bits_at(row[i], 0, colon));
      const std::uint32_t expected = bits_at(row[i], colon + 1, row[i].size() - colon - 1);
      std::uint16_t half = 0;
      std::uint8_t level = 0;
      if (row[1] == "float16") {
        to_float16(&in, 1, &half);
        ASSERT_EQ(half, expected) << in;
      } else if (row[1] == "bfloat16") {
        to_bfloat16(&in, 1, &half);
        ASSERT_EQ(half, expected) << in;
      } else {
        float32_to_bytes(&in, 1, row[2] == "1", &level);
        ASSERT_EQ(level, expected) << in;
      }
    }
  }
  EXPECT_EQ(rows, 4);
}

}  // namespace
}  // namespace headrace::image
