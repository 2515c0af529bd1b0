// SPDX-License-Identifier: Apache-2.0
//
// The transforms that change colours by fixed parameters, and those that do or don't by chance: brightness,
// contrast, saturation, hue, gamma, sharpness, invert, posterize, solarize, equalize, autocontrast. Names,
// parameters and defaults are torchvision's (transforms.v2); random_NAME is Randomly<NAME>.
#pragma once

#include "color/adjust.h"
#include "color/levels.h"
#include "ops/transform.h"

namespace headrace::image {

/// A transform of one factor; T gives kInfo, kParams of one and kPaint(shape, in, out, factor).
template <class T>
class FactorTransform : public Transform {
 public:
  static Objections check(const Params&, const PictureSpec& picture) { return want_gray_or_rgb(picture); }
  FactorTransform(const Params& params, Stream stream)
      : Transform(stream), factor_(params.number(T::kParams[0].name)) {}
  void apply(Canvas& canvas, const Call&, Scratch&) const override {
    canvas.paint(
        [&](const PictureShape& shape, const void* in, void* out) { T::kPaint(shape, in, out, factor_); });
  }

 private:
  double factor_;
};

class AdjustBrightness final : public FactorTransform<AdjustBrightness> {
 public:
  static constexpr OpInfo kInfo{
      .name = "image.adjust_brightness",
      .doc = "Multiplies a picture by a factor, as torchvision's adjust_brightness."};
  static constexpr std::array kParams{
      Param::number("brightness_factor", "0: black, 1: as it is, 2: twice as bright.")
          .required()
          .at_least(0)};
  using FactorTransform::FactorTransform;
  static constexpr auto kPaint = adjust_brightness;
};

class AdjustContrast final : public FactorTransform<AdjustContrast> {
 public:
  static constexpr OpInfo kInfo{
      .name = "image.adjust_contrast",
      .doc = "Moves a picture away from its mean gray by a factor, as torchvision's adjust_contrast."};
  static constexpr std::array kParams{
      Param::number("contrast_factor", "0: its mean gray, 1: as it is, 2: twice the contrast.")
          .required()
          .at_least(0)};
  using FactorTransform::FactorTransform;
  static constexpr auto kPaint = adjust_contrast;
};

class AdjustSaturation final : public FactorTransform<AdjustSaturation> {
 public:
  static constexpr OpInfo kInfo{
      .name = "image.adjust_saturation",
      .doc = "Moves a picture away from its gray version by a factor, as torchvision's adjust_saturation."};
  static constexpr std::array kParams{
      Param::number("saturation_factor", "0: gray, 1: as it is, 2: twice the colour.")
          .required()
          .at_least(0)};
  using FactorTransform::FactorTransform;
  static constexpr auto kPaint = adjust_saturation;
};

class AdjustHue final : public FactorTransform<AdjustHue> {
 public:
  static constexpr OpInfo kInfo{.name = "image.adjust_hue",
                                .doc = "Turns a picture's hue in HSV, as torchvision's adjust_hue."};
  static constexpr std::array kParams{
      Param::number("hue_factor", "How far: 0.5 and -0.5 are the complementary colour.")
          .required()
          .range(-0.5, 0.5)
          .unit_of("turns")};
  using FactorTransform::FactorTransform;
  static constexpr auto kPaint = adjust_hue;
};

class AdjustGamma final : public Transform {
 public:
  static constexpr OpInfo kInfo{.name = "image.adjust_gamma",
                                .doc = "Gives gain * x ^ gamma, as torchvision's adjust_gamma."};
  static constexpr std::array kParams{
      Param::number("gamma", "Above 1: shadows darker; below 1: lighter.").required().at_least(0),
      Param::number("gain", "The factor.").at_least(0).otherwise("1")};
  static Objections check(const Params&, const PictureSpec&) { return {}; }
  AdjustGamma(const Params& params, Stream stream)
      : Transform(stream), gamma_(params.number("gamma")), gain_(params.number("gain")) {}
  void apply(Canvas& canvas, const Call&, Scratch&) const override {
    canvas.paint([&](const PictureShape& shape, const void* in, void* out) {
      adjust_gamma(shape, in, out, gamma_, gain_);
    });
  }

 private:
  double gamma_;
  double gain_;
};

class AdjustSharpness final : public Transform {
 public:
  static constexpr OpInfo kInfo{
      .name = "image.adjust_sharpness",
      .doc = "Moves a picture away from its blurred version by a factor, as torchvision's adjust_sharpness."};
  static constexpr OpInfo kRandomInfo{
      .name = "image.random_adjust_sharpness",
      .doc = "image.adjust_sharpness with a given chance, as torchvision's RandomAdjustSharpness."};
  static constexpr std::array kParams{
      Param::number("sharpness_factor", "0: blurred, 1: as it is, 2: twice as sharp.")
          .required()
          .at_least(0)};
  static Objections check(const Params&, const PictureSpec& picture) { return want_gray_or_rgb(picture); }
  AdjustSharpness(const Params& params, Stream stream)
      : Transform(stream), factor_(params.number("sharpness_factor")) {}
  void apply(Canvas& canvas, const Call&, Scratch& scratch) const override {
    canvas.paint([&](const PictureShape& shape, const void* in, void* out) {
      scratch.filter.adjust_sharpness(shape, in, out, factor_);
    });
  }

 private:
  double factor_;
};

class Invert final : public Transform {
 public:
  static constexpr OpInfo kInfo{.name = "image.invert",
                                .doc = "Turns black into white, as torchvision's invert."};
  static constexpr OpInfo kRandomInfo{
      .name = "image.random_invert",
      .doc = "image.invert with a given chance, as torchvision's RandomInvert."};
  static constexpr std::array<Param, 0> kParams{};
  static Objections check(const Params&, const PictureSpec&) { return {}; }
  Invert(const Params&, Stream stream) : Transform(stream) {}
  void apply(Canvas& canvas, const Call&, Scratch&) const override { canvas.paint(invert); }
};

class Posterize final : public Transform {
 public:
  static constexpr OpInfo kInfo{.name = "image.posterize",
                                .doc = "Keeps the upper bits of each channel, as torchvision's posterize."};
  static constexpr OpInfo kRandomInfo{
      .name = "image.random_posterize",
      .doc = "image.posterize with a given chance, as torchvision's RandomPosterize."};
  static constexpr std::array kParams{
      Param::integer("bits", "How many are kept; 8: all.").required().range(0, 8)};
  static Objections check(const Params&, const PictureSpec&) { return {}; }
  Posterize(const Params& params, Stream stream)
      : Transform(stream), bits_(static_cast<int>(params.integer("bits"))) {}
  void apply(Canvas& canvas, const Call&, Scratch&) const override {
    canvas.paint(
        [&](const PictureShape& shape, const void* in, void* out) { posterize(shape, in, out, bits_); });
  }

 private:
  int bits_;
};

class Solarize final : public Transform {
 public:
  static constexpr OpInfo kInfo{
      .name = "image.solarize",
      .doc = "Inverts what is at least as bright as a threshold, as torchvision's solarize."};
  static constexpr OpInfo kRandomInfo{
      .name = "image.random_solarize",
      .doc = "image.solarize with a given chance, as torchvision's RandomSolarize."};
  static constexpr std::array kParams{
      Param::number("threshold", "From where on; bytes go to 255, floats to 1.").required().range(0, 255)};
  static Objections check(const Params& params, const PictureSpec& picture);
  Solarize(const Params& params, Stream stream) : Transform(stream), threshold_(params.number("threshold")) {}
  void apply(Canvas& canvas, const Call&, Scratch&) const override {
    canvas.paint(
        [&](const PictureShape& shape, const void* in, void* out) { solarize(shape, in, out, threshold_); });
  }

 private:
  double threshold_;
};

class Equalize final : public Transform {
 public:
  static constexpr OpInfo kInfo{.name = "image.equalize",
                                .doc = "Evens out each channel's histogram, as torchvision's equalize."};
  static constexpr OpInfo kRandomInfo{
      .name = "image.random_equalize",
      .doc = "image.equalize with a given chance, as torchvision's RandomEqualize."};
  static constexpr std::array<Param, 0> kParams{};
  static Objections check(const Params&, const PictureSpec&) { return {}; }
  Equalize(const Params&, Stream stream) : Transform(stream) {}
  void apply(Canvas& canvas, const Call&, Scratch&) const override { canvas.paint(equalize); }
};

class Autocontrast final : public Transform {
 public:
  static constexpr OpInfo kInfo{
      .name = "image.autocontrast",
      .doc = "Stretches each channel to all of black to white, as torchvision's autocontrast."};
  static constexpr OpInfo kRandomInfo{
      .name = "image.random_autocontrast",
      .doc = "image.autocontrast with a given chance, as torchvision's RandomAutocontrast."};
  static constexpr std::array<Param, 0> kParams{};
  static Objections check(const Params&, const PictureSpec& picture) { return want_gray_or_rgb(picture); }
  Autocontrast(const Params&, Stream stream) : Transform(stream) {}
  void apply(Canvas& canvas, const Call&, Scratch&) const override { canvas.paint(autocontrast); }
};

}  // namespace headrace::image
