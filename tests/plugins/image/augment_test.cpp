// SPDX-License-Identifier: Apache-2.0
//
// The augmentation policies against torchvision's: what each draws from the same numbers, and what each
// primitive makes of a picture (make_augment_references.py).
#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <sstream>

#include "augment/policy.h"
#include "color/levels.h"
#include "references.h"

namespace headrace::image {
namespace {

using testing::picture_pattern;
using testing::reference_rows;

constexpr std::pair<const char*, Primitive> kNames[] = {{"Identity", Primitive::kIdentity},
                                                        {"ShearX", Primitive::kShearX},
                                                        {"ShearY", Primitive::kShearY},
                                                        {"TranslateX", Primitive::kTranslateX},
                                                        {"TranslateY", Primitive::kTranslateY},
                                                        {"Rotate", Primitive::kRotate},
                                                        {"Brightness", Primitive::kBrightness},
                                                        {"Color", Primitive::kColor},
                                                        {"Contrast", Primitive::kContrast},
                                                        {"Sharpness", Primitive::kSharpness},
                                                        {"Posterize", Primitive::kPosterize},
                                                        {"Solarize", Primitive::kSolarize},
                                                        {"AutoContrast", Primitive::kAutoContrast},
                                                        {"Equalize", Primitive::kEqualize},
                                                        {"Invert", Primitive::kInvert}};

Primitive primitive_of(const std::string& name) {
  for (const auto& [known, primitive] : kNames) {
    if (name == known) return primitive;
  }
  ADD_FAILURE() << name;
  return Primitive::kIdentity;
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream words(text == "-" ? "" : text);
  for (std::string one; std::getline(words, one, at);) parts.push_back(one);
  return parts;
}

std::vector<Change> changes_of(const std::string& text) {
  std::vector<Change> changes;
  for (const std::string& one : split(text, ';')) {
    const std::vector<std::string> parts = split(one, ',');
    changes.push_back({primitive_of(parts[0]), std::stod(parts[1])});
  }
  return changes;
}

/// The numbers of a row from `first` on, one after the other.
class Prepared {
 public:
  Prepared(const std::vector<std::string>& row, std::size_t first) {
    for (std::size_t i = first; i < row.size(); ++i) draws_.push_back(std::stod(row[i]) / 4096);
  }
  Uniform uniform() {
    return [this] {
      EXPECT_LT(at_, draws_.size()) << "more is drawn than torchvision draws";
      return at_ < draws_.size() ? draws_[at_++] : 0;
    };
  }
  bool is_used_up() const { return at_ == draws_.size(); }

 private:
  std::vector<double> draws_;
  std::size_t at_ = 0;
};

/// Without those that change nothing.
std::vector<Change> without_identities(std::vector<Change> changes) {
  std::erase_if(changes, [](const Change& change) { return change.primitive == Primitive::kIdentity; });
  return changes;
}

void expect_changes(const std::vector<Change>& changes, const std::vector<Change>& expected,
                    const std::string& what) {
  ASSERT_EQ(changes.size(), expected.size()) << what;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    EXPECT_EQ(changes[i].primitive, expected[i].primitive) << what;
    EXPECT_EQ(changes[i].magnitude, expected[i].magnitude) << what;
  }
}

std::vector<Change> drawn(const std::string& policy, const std::vector<std::string>& arguments, Size size,
                          const Uniform& uniform) {
  std::vector<Change> changes;
  const auto number = [&](std::size_t i) { return std::stoi(arguments[i]); };
  if (policy == "rand_augment") {
    rand_augment(number(0), number(1), number(2), size, uniform, changes);
  } else if (policy == "trivial_augment_wide") {
    trivial_augment_wide(number(0), size, uniform, changes);
  } else {
    const LearnedPolicy learned = arguments[0] == "imagenet"  ? LearnedPolicy::kImagenet
                                  : arguments[0] == "cifar10" ? LearnedPolicy::kCifar10
                                                              : LearnedPolicy::kSvhn;
    auto_augment(learned, size, uniform, changes);
  }
  return without_identities(changes);
}

TEST(Policy, DrawsWhatTorchvisionDraws) {
  int rows = 0;
  for (const std::vector<std::string>& row : reference_rows("policies.txt")) {
    if (row[0] == "aug_mix") continue;
    ++rows;
    Prepared prepared(row, 5);
    const Size size{std::stoi(row[2]), std::stoi(row[3])};
    const std::string what = row[0] + " " + row[1] + " row " + std::to_string(rows);
    expect_changes(drawn(row[0], split(row[1], ','), size, prepared.uniform()), changes_of(row[4]), what);
    EXPECT_TRUE(prepared.is_used_up()) << what;
  }
  EXPECT_GT(rows, 400);
}

TEST(Policy, DrawsTheChainsOfAugMix) {
  int rows = 0;
  for (const std::vector<std::string>& row : reference_rows("policies.txt")) {
    if (row[0] != "aug_mix") continue;
    ++rows;
    const std::vector<std::string> arguments = split(row[1], ',');
    AugMixRule rule;
    rule.severity = std::stoi(arguments[0]);
    rule.mixture_width = std::stoi(arguments[1]);
    rule.chain_depth = std::stoi(arguments[2]);
    rule.all_ops = arguments[3] == "1";
    Prepared prepared(row, 5);
    const Uniform uniform = prepared.uniform();
    std::vector<Change> all;
    for (int i = 0; i < rule.mixture_width; ++i) {
      std::vector<Change> chain;
      aug_mix_chain(rule, {std::stoi(row[2]), std::stoi(row[3])}, uniform, chain);
      all.insert(all.end(), chain.begin(), chain.end());
    }
    expect_changes(all, changes_of(row[4]), "aug_mix row " + std::to_string(rows));
    EXPECT_TRUE(prepared.is_used_up());
  }
  EXPECT_EQ(rows, 100);
}

/// A fixed sequence of numbers that look independent (W. H. Press et al., Numerical Recipes, ranqd1).
class Sequence {
 public:
  double operator()() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<double>(state_ >> 11U) * 0x1p-53;
  }

 private:
  std::uint64_t state_ = 42;
};

TEST(Policy, GammaHasItsMeanAndVariance) {
  for (const double shape : {0.3, 1.0, 2.5, 20.0}) {
    Sequence sequence;
    const Uniform uniform = [&] { return sequence(); };
    double sum = 0;
    double squares = 0;
    constexpr int kCount = 200000;
    for (int i = 0; i < kCount; ++i) {
      const double x = draw_gamma(shape, uniform);
      ASSERT_GE(x, 0);
      sum += x;
      squares += x * x;
    }
    const double mean = sum / kCount;
    // Mean and variance are the shape; five standard errors, of the variance by the fourth moment 3 k^2 + 6
    // k.
    EXPECT_NEAR(mean, shape, 5 * std::sqrt(shape / kCount)) << shape;
    EXPECT_NEAR(squares / kCount - mean * mean, shape,
                5 * std::sqrt((2 * shape * shape + 6 * shape) / kCount))
        << shape;
  }
}

TEST(Policy, AugMixWeightsSumUpToOneAndAreAsDirichletsAre) {
  AugMixRule rule;
  rule.mixture_width = 4;
  Sequence sequence;
  const Uniform uniform = [&] { return sequence(); };
  constexpr int kCount = 50000;
  std::vector<double> weights;
  std::vector<double> sums(5);
  for (int i = 0; i < kCount; ++i) {
    aug_mix_weights(rule, uniform, weights);
    ASSERT_EQ(weights.size(), 5U);
    double total = 0;
    for (std::size_t k = 0; k < weights.size(); ++k) {
      total += weights[k];
      sums[k] += weights[k];
    }
    ASSERT_NEAR(total, 1, 1e-12);
  }
  // The picture itself has half on average, the chains share the rest alike; deviations are below 0.3.
  EXPECT_NEAR(sums[0] / kCount, 0.5, 5 * 0.3 / std::sqrt(kCount));
  for (std::size_t k = 1; k < sums.size(); ++k)
    EXPECT_NEAR(sums[k] / kCount, 0.125, 5 * 0.3 / std::sqrt(kCount));
}

std::uint32_t bits_at(const std::string& hex, std::size_t at, std::size_t digits) {
  std::uint32_t bits = 0;
  std::from_chars(hex.data() + at, hex.data() + at + digits, bits, 16);
  return bits;
}

/// picture() of make_color_references.py in its memory.
std::vector<std::uint8_t> test_picture(const PictureShape& shape, std::uint64_t seed) {
  const std::vector<std::uint8_t> levels = picture_pattern(shape.elements(), seed);
  if (shape.type == PixelType::kUint8) return levels;
  std::vector<std::uint8_t> floats(shape.bytes());
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const float value = static_cast<float>(levels[i]) * kLevel;
    std::memcpy(floats.data() + i * sizeof value, &value, sizeof value);
  }
  return floats;
}

double value_at(const PictureShape& shape, const std::vector<std::uint8_t>& memory, std::size_t i) {
  if (shape.type == PixelType::kUint8) return memory[i];
  float value = 0;
  std::memcpy(&value, memory.data() + i * sizeof value, sizeof value);
  return static_cast<double>(value);
}

TEST(Primitive, IsTorchvisions) {
  RowFilter filter;
  std::size_t seen = 0;
  for (const std::vector<std::string>& row : reference_rows("primitives.txt")) {
    ++seen;
    PictureShape shape;
    shape.size = {std::stoi(row[6]), std::stoi(row[7])};
    shape.channels = 3;
    shape.type = row[4] == "uint8" ? PixelType::kUint8 : PixelType::kFloat32;
    const std::vector<std::uint8_t> in = test_picture(shape, std::stoull(row[5]));
    std::vector<std::uint8_t> out(in.size());
    Warping warping;
    if (row[2] == "bilinear") warping.sampling = Sampling::kBilinear;
    const float fill[3] = {100, 100, 100};
    if (row[3] != "-") warping.fill = fill;
    apply_change({primitive_of(row[0]), std::stod(row[1])}, warping, shape, in.data(), out.data(), filter);
    const std::size_t digits = shape.type == PixelType::kUint8 ? 2 : 8;
    ASSERT_EQ(row[8].size(), shape.elements() * digits);
    const double tolerance = shape.type == PixelType::kUint8 ? 1 : 2e-6;
    std::size_t apart = 0;
    for (std::size_t i = 0; i < shape.elements(); ++i) {
      const std::uint32_t bits = bits_at(row[8], i * digits, digits);
      const double expected = digits == 2 ? bits : static_cast<double>(std::bit_cast<float>(bits));
      apart += std::abs(value_at(shape, out, i) - expected) > tolerance ? 1 : 0;
    }
    EXPECT_EQ(apart, 0U) << row[0] << " " << row[1] << " " << row[2] << " fill " << row[3] << " of " << row[4]
                         << " " << row[6] << " x " << row[7];
  }
  EXPECT_GT(seen, 100U);
}

}  // namespace
}  // namespace headrace::image
