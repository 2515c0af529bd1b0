// SPDX-License-Identifier: Apache-2.0
//
// The transforms that draw their own strength: image.color_jitter, image.random_grayscale and
// image.gaussian_blur. Names, parameters and defaults are torchvision's (transforms.v2).
#pragma once

#include "ops/transform.h"

namespace headrace::image {

/// From `low` to `high`, both included as far as a float can tell.
struct Interval {
  double low = 0;
  double high = 0;
  double draw(Random& random) const { return random.uniform(low, high); }
};

class ColorJitter final : public Transform {
 public:
  static constexpr OpInfo kInfo{
      .name = "image.color_jitter",
      .doc =
          "Changes brightness, contrast, saturation and hue at random and in random order, as torchvision's "
          "ColorJitter."};
  static constexpr std::array kParams{
      Param::number("brightness", "b: a factor from max(0, 1 - b) to 1 + b; [low, high]: from low to high.")
          .at_least(0)
          .one_or_list(1, 2)
          .nullable(),
      Param::number("contrast", "The same for adjust_contrast.").at_least(0).one_or_list(1, 2).nullable(),
      Param::number("saturation", "The same for adjust_saturation.").at_least(0).one_or_list(1, 2).nullable(),
      Param::number("hue", "h: a turn from -h to h; [low, high]: from low to high.")
          .range(-0.5, 0.5)
          .one_or_list(1, 2)
          .nullable()
          .unit_of("turns")};
  static Objections check(const Params& params, const PictureSpec& picture);
  ColorJitter(const Params& params, Stream stream);
  void apply(Canvas& canvas, const Call& call, Scratch& scratch) const override;

 private:
  /// In the order of kParams.
  std::array<std::optional<Interval>, 4> ranges_;
};

class RandomGrayscale final : public Transform {
 public:
  static constexpr OpInfo kInfo{
      .name = "image.random_grayscale",
      .doc =
          "Turns a picture gray with a given chance; it keeps its channels, as torchvision's "
          "RandomGrayscale."};
  static constexpr std::array kParams{chance_param("0.1")};
  static Objections check(const Params&, const PictureSpec& picture) { return want_gray_or_rgb(picture); }
  RandomGrayscale(const Params& params, Stream stream) : Transform(stream), p_(params.number("p")) {}
  void apply(Canvas& canvas, const Call& call, Scratch& scratch) const override;

 private:
  double p_;
};

class GaussianBlur final : public Transform {
 public:
  static constexpr OpInfo kInfo{
      .name = "image.gaussian_blur",
      .doc = "Blurs a picture by a Gaussian of random width, as torchvision's GaussianBlur."};
  static constexpr std::array kParams{
      Param::integer("kernel_size", "Width and height of the kernel, odd; one number: both.")
          .required()
          .range(1, kMaxKernel)
          .one_or_list(1, 2)
          .unit_of("pixels"),
      Param::number("sigma", "Standard deviation; [low, high]: drawn from low to high.")
          .above(0)
          .one_or_list(1, 2)
          .unit_of("pixels")
          .otherwise("[0.1, 2.0]")};
  static Objections check(const Params& params, const PictureSpec& picture);
  GaussianBlur(const Params& params, Stream stream);
  void apply(Canvas& canvas, const Call& call, Scratch& scratch) const override;

 private:
  int kernel_width_;
  int kernel_height_;
  Interval sigma_;
};

}  // namespace headrace::image
