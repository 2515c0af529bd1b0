// SPDX-License-Identifier: Apache-2.0
//
// Warped, padded and turned pictures are torchvision's, in both layouts and types. Its pixels are in
// references/warp_pictures.txt and warp_padding.txt.
#include <cmath>

#include "instruction_sets.h"
#include "warp/draws.h"
#include "warp/sample.h"
#include "warp_references.h"

namespace headrace::image {
namespace {

using testing::elements_of;
using testing::numbers_of;
using testing::pattern_of;
using testing::planes;
using testing::reference_rows;

/// A row of warp_pictures.txt, word by word.
struct Warped {
  explicit Warped(const std::vector<std::string>& row) : words(row) {
    kind = next();
    is_float = next() == "float";
    channels = number();
    size.width = number();
    size.height = number();
    seed = static_cast<std::uint64_t>(number());
    sampling = next() == "nearest" ? Sampling::kNearest : Sampling::kBilinear;
    for (const double value : numbers_of(next())) fill.push_back(static_cast<float>(value));
    if (fill.size() == 1) fill.resize(static_cast<std::size_t>(channels), fill[0]);
    if (kind == "perspective") {
      const std::vector<double> given = numbers_of(next());
      std::copy(given.begin(), given.end(), coefficients.begin());
    } else {
      rule.angle = real();
      if (kind == "affine") {
        rule.translate = {real(), real()};
        rule.scale = real();
        rule.shear = {real(), real()};
      } else {
        expand = number() != 0;
      }
      const std::vector<double> center = numbers_of(next());
      centered = center.empty();
      if (!centered) rule.center = from_middle({center[0], center[1]}, size);
    }
    out_size.width = number();
    out_size.height = number();
    pixels = next();
  }
  const std::string& next() { return words[at++]; }
  int number() { return std::stoi(next()); }
  double real() { return std::stod(next()); }

  std::vector<std::string> words;
  std::size_t at = 0;
  std::string kind;
  bool is_float;
  int channels;
  Size size;
  std::uint64_t seed;
  Sampling sampling;
  std::vector<float> fill;
  AffineRule rule;
  bool expand = false;
  bool centered = true;
  PerspectiveCoefficients coefficients = {};
  Size out_size;
  std::string pixels;
};

template <class T>
void run(const Warped& w, const PictureView<const T>& in, const PictureView<T>& out) {
  const Fill fill = w.fill.empty() ? nullptr : w.fill.data();
  if (w.kind == "perspective") {
    warp_perspective(in, w.coefficients, w.sampling, fill, out);
    return;
  }
  AffineRule rule = w.rule;
  if (w.kind == "rotate") rule.angle = -rule.angle;
  warp_affine(in, inverse_affine(rule), w.sampling, fill, out);
}

/// Elements, and how many of them are not torchvision's to the bit.
struct Tally {
  std::size_t elements = 0;
  std::size_t apart = 0;
};

template <class T>
void expect_torchvisions(const Warped& w, double tolerance, Tally& tally) {
  const auto channels = static_cast<std::size_t>(w.channels);
  const auto count =
      static_cast<std::size_t>(w.size.width) * static_cast<std::size_t>(w.size.height) * channels;
  const std::vector<T> expected = elements_of<T>(w.pixels);
  const std::vector<T> pixels = pattern_of<T>(count, w.seed);
  for (const PixelLayout layout : {PixelLayout::kHwc, PixelLayout::kChw}) {
    const bool chw = layout == PixelLayout::kChw;
    const std::vector<T> in = chw ? planes(pixels, channels) : pixels;
    std::vector<T> out(expected.size());
    run<T>(w, {in.data(), w.size, w.channels, layout}, {out.data(), w.out_size, w.channels, layout});
    if (chw) out = planes(out, out.size() / channels);
    for (std::size_t i = 0; i < out.size(); ++i) {
      ++tally.elements;
      tally.apart += out[i] == expected[i] ? 0 : 1;
      ASSERT_NEAR(out[i], expected[i], w.sampling == Sampling::kNearest ? 0 : tolerance)
          << w.kind << " seed " << w.seed << " element " << i;
    }
  }
}

/// torchvision turns by quarters without sampling.
bool is_quarter_turn(const Warped& w) {
  const double angle = std::fmod(w.rule.angle + 360, 360);
  return w.kind == "rotate" && w.centered && std::fmod(angle, 90) == 0 &&
         (angle == 0 || angle == 180 || w.expand || w.size.width == w.size.height);
}

TEST(Warp, GivesTorchvisionsPixelsWithEveryInstructionSet) {
  testing::on_every_instruction_set([] {
    int seen = 0;
    Tally bytes;
    Tally floats;
    for (const auto& row : reference_rows("warp_pictures.txt")) {
      const Warped w(row);
      if (is_quarter_turn(w)) continue;
      ++seen;
      if (w.is_float) {
        expect_torchvisions<float>(w, 1e-6, floats);
      } else {
        expect_torchvisions<std::uint8_t>(w, 1, bytes);
      }
    }
    EXPECT_GE(seen, 150);
    // Of the four products torch fuses some with their sum, which moves a byte where it was about a half.
    EXPECT_LE(bytes.apart * 2000, bytes.elements);
    EXPECT_GE(floats.elements, 10000U);
  });
}

TEST(Warp, GivesTheSameBitsWithEveryInstructionSet) {
  const std::vector<float> in = pattern_of<float>(4 * 300 * 20, 6);
  const float fill[] = {0.5F, 0.25F, 2, -1};
  for (int channels = 1; channels <= 4; ++channels) {
    const std::size_t count = static_cast<std::size_t>(channels) * 300 * 20;
    std::vector<float> expected;
    testing::on_every_instruction_set([&] {
      std::vector<float> out(2 * count);
      const PictureView<const float> from{in.data(), {300, 20}, channels, PixelLayout::kHwc};
      AffineRule rule;
      rule.angle = 33;
      rule.shear = {5, 8};
      warp_affine(from, inverse_affine(rule), Sampling::kBilinear, fill,
                  {out.data(), {300, 20}, channels, PixelLayout::kHwc});
      warp_perspective(from, {1.1, 0.1, -3, 0.05, 0.9, 2, 1e-3, -2e-3}, Sampling::kBilinear, fill,
                       {out.data() + count, {300, 20}, channels, PixelLayout::kHwc});
      if (expected.empty()) expected = out;
      EXPECT_EQ(out, expected) << channels;
    });
  }
}

TEST(Warp, ExpandsToTorchvisionsSize) {
  int seen = 0;
  for (const auto& row : reference_rows("warp_pictures.txt")) {
    const Warped w(row);
    if (!w.expand || is_quarter_turn(w)) continue;
    ++seen;
    AffineRule rule;
    rule.angle = -w.rule.angle;
    EXPECT_EQ(expanded(inverse_affine(rule), w.size), w.out_size) << w.rule.angle;
  }
  EXPECT_GE(seen, 10);
}

TEST(Warp, TurnsByQuartersAsTorchvision) {
  int seen = 0;
  for (const auto& row : reference_rows("warp_pictures.txt")) {
    const Warped w(row);
    const int quarters = static_cast<int>(std::fmod(w.rule.angle + 360, 360)) / 90;
    if (!is_quarter_turn(w) || quarters == 0) continue;
    ++seen;
    const std::vector<std::uint8_t> expected = elements_of<std::uint8_t>(w.pixels);
    const auto channels = static_cast<std::size_t>(w.channels);
    const std::size_t count =
        static_cast<std::size_t>(w.size.width) * static_cast<std::size_t>(w.size.height) * channels;
    std::vector<std::uint8_t> in;
    std::size_t element = 1;
    if (w.is_float) {
      element = sizeof(float);
      const std::vector<float> floats = pattern_of<float>(count, w.seed);
      in.resize(count * element);
      std::memcpy(in.data(), floats.data(), in.size());
    } else {
      in = pattern_of<std::uint8_t>(count, w.seed);
    }
    std::vector<std::uint8_t> out(in.size());
    turn(in.data(), {1, w.size, channels * element}, quarters, out.data());
    EXPECT_EQ(out, expected) << w.rule.angle << " of " << w.size.width << " x " << w.size.height;
  }
  EXPECT_GE(seen, 8);
}

TEST(Warp, TurnsEachPlane) {
  const std::vector<std::uint8_t> in{1, 2, 3, 4, 5, 6};  // 2 planes of one row of 3
  std::vector<std::uint8_t> out(6);
  turn(in.data(), {2, {3, 1}, 1}, 1, out.data());
  EXPECT_EQ(out, (std::vector<std::uint8_t>{3, 2, 1, 6, 5, 4}));
  turn(in.data(), {2, {3, 1}, 1}, 3, out.data());
  EXPECT_EQ(out, in);
}

TEST(Warp, BearsPositionsThatAreNoNumbers) {
  const std::vector<std::uint8_t> in(12, 9);
  std::vector<std::uint8_t> out(12);
  const PictureView<const std::uint8_t> from{in.data(), {4, 3}, 1, PixelLayout::kHwc};
  const PictureView<std::uint8_t> to{out.data(), {4, 3}, 1, PixelLayout::kHwc};
  const float fill = 7;
  for (const Sampling sampling : {Sampling::kNearest, Sampling::kBilinear}) {
    // Divides 0 by 0 at x = 0.5, and by almost nothing beside it.
    warp_perspective(from, {0, 0, 0, 0, 0, 0, -2, 0}, sampling, &fill, to);
    EXPECT_EQ(out[0], 7);
    warp_affine(from, {1e30, 0, 1e38, 0, 1e30, -1e38}, sampling, &fill, to);
    EXPECT_EQ(out, std::vector<std::uint8_t>(12, 7));
  }
}

TEST(Warp, KnowsPointsThatAllowNoPerspective) {
  PerspectiveCoefficients coefficients;
  const std::array<Point, 4> square{Point{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  const std::array<Point, 4> line{Point{0, 0}, {1, 0}, {2, 0}, {0, 1}};
  EXPECT_TRUE(perspective_coefficients(square, square, coefficients));
  EXPECT_EQ(coefficients, (PerspectiveCoefficients{1, 0, 0, 0, 1, 0, 0, 0}));
  EXPECT_FALSE(perspective_coefficients(line, square, coefficients) &&
               perspective_coefficients(square, line, coefficients));
}

Surround surround_named(const std::string& name) {
  return name == "constant"  ? Surround::kConstant
         : name == "edge"    ? Surround::kEdge
         : name == "reflect" ? Surround::kReflect
                             : Surround::kSymmetric;
}

template <class T>
void expect_padded(const std::vector<std::string>& row) {
  const auto number = [&row](std::size_t i) { return std::stoi(row[i]); };
  const auto channels = static_cast<std::size_t>(number(1));
  const Size size{number(2), number(3)};
  const Padding padding{number(5), number(6), number(7), number(8)};
  const Surround surround = surround_named(row[9]);
  std::vector<T> fill(channels);
  const std::vector<double> given = numbers_of(row[10]);
  for (std::size_t c = 0; c < channels; ++c) fill[c] = static_cast<T>(given[given.size() == 1 ? 0 : c]);
  const std::vector<T> expected = elements_of<T>(row[13]);
  const std::size_t count =
      static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height) * channels;
  const std::vector<T> pixels = pattern_of<T>(count, static_cast<std::uint64_t>(number(4)));
  const Region part = padded(size, padding);
  ASSERT_EQ(part.size(), (Size{number(11), number(12)}));
  ASSERT_TRUE(check_padding(size, padding, surround).ok());
  for (const bool chw : {false, true}) {
    const std::vector<T> in = chw ? planes(pixels, channels) : pixels;
    const Planes shape{static_cast<std::int64_t>(chw ? channels : 1), size,
                       chw ? sizeof(T) : channels * sizeof(T)};
    std::vector<T> out(expected.size());
    take_part(reinterpret_cast<const std::uint8_t*>(in.data()), shape, part, surround,
              reinterpret_cast<const std::uint8_t*>(fill.data()),
              reinterpret_cast<std::uint8_t*>(out.data()));
    if (chw) out = planes(out, out.size() / channels);
    EXPECT_EQ(out, expected) << row[9] << " seed " << row[4];
  }
}

TEST(Place, PadsAsTorchvision) {
  for (const auto& row : reference_rows("warp_padding.txt")) {
    if (row[0] == "float") {
      expect_padded<float>(row);
    } else {
      expect_padded<std::uint8_t>(row);
    }
  }
}

TEST(Place, RefusesToMirrorMoreThanThereIs) {
  EXPECT_TRUE(check_padding({5, 9}, {4, 8, 4, 8}, Surround::kReflect).ok());
  EXPECT_FALSE(check_padding({5, 9}, {5, 0, 0, 0}, Surround::kReflect).ok());
  EXPECT_FALSE(check_padding({5, 9}, {0, 0, 0, 9}, Surround::kReflect).ok());
  EXPECT_TRUE(check_padding({5, 9}, {5, 9, 5, 9}, Surround::kSymmetric).ok());
  EXPECT_FALSE(check_padding({5, 9}, {0, 0, 6, 0}, Surround::kSymmetric).ok());
  EXPECT_TRUE(check_padding({5, 9}, {50, 90, 50, 90}, Surround::kEdge).ok());
}

TEST(Place, TakesPartsThatMissThePicture) {
  const std::vector<std::uint8_t> in{1, 2, 3, 4};
  std::vector<std::uint8_t> out(4);
  const std::uint8_t fill = 9;
  for (const Region& part : {Region{5, 0, 2, 2}, {-7, 0, 2, 2}, {0, 2, 2, 2}, {0, -2, 2, 2}}) {
    take_part(in.data(), {1, {2, 2}, 1}, part, Surround::kConstant, &fill, out.data());
    EXPECT_EQ(out, std::vector<std::uint8_t>(4, 9)) << part.x << ", " << part.y;
  }
  take_part(in.data(), {1, {2, 2}, 1}, {5, -3, 2, 2}, Surround::kEdge, nullptr, out.data());
  EXPECT_EQ(out, std::vector<std::uint8_t>(4, 2));
}

}  // namespace
}  // namespace headrace::image
