// SPDX-License-Identifier: Apache-2.0
//
// Transforms made of transforms: image.random_apply, image.random_choice and image.random_order, as
// torchvision's containers. Their parts are written as ops, checked as ops, and draw each from a stream of
// its own: neither a part's place in a random order nor what another part does changes what it draws.
#pragma once

#include <memory>

#include "ops/transform.h"

namespace headrace::image {

/// The transforms that may be parts, containers among them.
inline constexpr const char* kTransformNames[] = {
    "image.invert",
    "image.posterize",
    "image.solarize",
    "image.equalize",
    "image.autocontrast",
    "image.adjust_brightness",
    "image.adjust_contrast",
    "image.adjust_saturation",
    "image.adjust_hue",
    "image.adjust_gamma",
    "image.adjust_sharpness",
    "image.random_invert",
    "image.random_posterize",
    "image.random_solarize",
    "image.random_equalize",
    "image.random_autocontrast",
    "image.random_adjust_sharpness",
    "image.random_grayscale",
    "image.color_jitter",
    "image.gaussian_blur",
    "image.auto_augment",
    "image.rand_augment",
    "image.trivial_augment_wide",
    "image.aug_mix",
    "image.random_apply",
    "image.random_choice",
    "image.random_order",
};

constexpr Param transforms_param(const char* doc) {
  return Param::op("transforms", doc, kTransformNames).required().list(1, Stream::kMostParts);
}

/// The parts of a container.
class Parts {
 public:
  /// What is wrong with the parts of `transforms`, each at its own parameter.
  static Objections check(const Params& params, const PictureSpec& picture);
  Parts(const Params& params, Stream stream);

  std::size_t size() const { return parts_.size(); }
  const Transform& operator[](std::size_t i) const { return *parts_[i]; }

 private:
  std::vector<std::unique_ptr<Transform>> parts_;
};

class RandomApply final : public Transform {
 public:
  static constexpr OpInfo kInfo{
      .name = "image.random_apply",
      .doc = "Applies all of its transforms, one after the other, or none, as torchvision's RandomApply."};
  static constexpr std::array kParams{transforms_param("What is applied."), chance_param("0.5")};
  static Objections check(const Params& params, const PictureSpec& picture) {
    return Parts::check(params, picture);
  }
  RandomApply(const Params& params, Stream stream)
      : Transform(stream), p_(params.number("p")), parts_(params, stream) {}
  void apply(Canvas& canvas, const Call& call, Scratch& scratch) const override;

 private:
  double p_;
  Parts parts_;
};

class RandomChoice final : public Transform {
 public:
  static constexpr OpInfo kInfo{.name = "image.random_choice",
                                .doc = "Applies one of its transforms, as torchvision's RandomChoice."};
  static constexpr std::array kParams{
      transforms_param("Of which one is applied."),
      Param::number("p", "How likely each is, in relation to the others; not given: all alike.")
          .at_least(0)
          .list(1, Stream::kMostParts)
          .nullable()};
  static Objections check(const Params& params, const PictureSpec& picture);
  RandomChoice(const Params& params, Stream stream);
  void apply(Canvas& canvas, const Call& call, Scratch& scratch) const override;

 private:
  Parts parts_;
  std::vector<double> up_to_;  // the sum of the weights of the first, of the first two, ...
};

class RandomOrder final : public Transform {
 public:
  static constexpr OpInfo kInfo{
      .name = "image.random_order",
      .doc = "Applies all of its transforms in random order, as torchvision's RandomOrder."};
  static constexpr std::array kParams{transforms_param("What is applied.")};
  static Objections check(const Params& params, const PictureSpec& picture) {
    return Parts::check(params, picture);
  }
  RandomOrder(const Params& params, Stream stream) : Transform(stream), parts_(params, stream) {}
  void apply(Canvas& canvas, const Call& call, Scratch& scratch) const override;

 private:
  Parts parts_;
};

}  // namespace headrace::image
