// SPDX-License-Identifier: Apache-2.0
//
// The augmentation policies as transforms: image.auto_augment, image.rand_augment, image.trivial_augment_wide
// and image.aug_mix. Names, parameters and defaults are torchvision's (transforms.v2).
#pragma once

#include "augment/policy.h"
#include "ops/transform.h"
#include "ops/warp_parameters.h"

namespace headrace::image {

inline constexpr const char* kPolicies[] = {"imagenet", "cifar10", "svhn"};

constexpr Param bins_param() {
  return Param::integer("num_magnitude_bins", "How many strengths there are.").range(2, 1000).otherwise("31");
}
constexpr Param beyond_param() {
  return Param::number("fill",
                       "What is seen beyond the edges, one for all channels or one each; not given: black.")
      .range(0, 255)
      .one_or_list(1, kMaxChannels)
      .nullable();
}

/// What the policies have in common: how pixels are moved, and changes carried out.
class PolicyTransform : public Transform {
 public:
  static Objections check(const Params& params, const PictureSpec& picture);
  PolicyTransform(const Params& params, Stream stream);

 protected:
  void apply_changes(const std::vector<Change>& changes, Canvas& canvas, Scratch& scratch) const;

 private:
  Sampling sampling_;
  std::vector<float> fill_;  // for each of kMaxChannels, or none
};

class AutoAugment final : public PolicyTransform {
 public:
  static constexpr OpInfo kInfo{.name = "image.auto_augment",
                                .doc =
                                    "Applies one of 25 pairs of changes that were learned on a data set, as "
                                    "torchvision's AutoAugment."};
  static constexpr std::array kParams{
      Param::choice("policy", "The data set that they were learned on.", kPolicies).otherwise("imagenet"),
      sampling_param("nearest"), beyond_param()};
  AutoAugment(const Params& params, Stream stream);
  void apply(Canvas& canvas, const Call& call, Scratch& scratch) const override;

 private:
  LearnedPolicy policy_;
};

class RandAugment final : public PolicyTransform {
 public:
  static constexpr OpInfo kInfo{
      .name = "image.rand_augment",
      .doc = "Applies some of 14 changes at a given strength, as torchvision's RandAugment."};
  static constexpr std::array kParams{
      Param::integer("num_ops", "How many are applied, one after the other.").range(0, 100).otherwise("2"),
      Param::integer("magnitude", "Their strength; below num_magnitude_bins.").range(0, 999).otherwise("9"),
      bins_param(), sampling_param("nearest"), beyond_param()};
  static Objections check(const Params& params, const PictureSpec& picture);
  RandAugment(const Params& params, Stream stream);
  void apply(Canvas& canvas, const Call& call, Scratch& scratch) const override;

 private:
  int num_ops_;
  int magnitude_;
  int bins_;
};

class TrivialAugmentWide final : public PolicyTransform {
 public:
  static constexpr OpInfo kInfo{
      .name = "image.trivial_augment_wide",
      .doc = "Applies one of 14 changes at any strength, as torchvision's TrivialAugmentWide."};
  static constexpr std::array kParams{bins_param(), sampling_param("nearest"), beyond_param()};
  TrivialAugmentWide(const Params& params, Stream stream)
      : PolicyTransform(params, stream), bins_(static_cast<int>(params.integer("num_magnitude_bins"))) {}
  void apply(Canvas& canvas, const Call& call, Scratch& scratch) const override;

 private:
  int bins_;
};

class AugMix final : public PolicyTransform {
 public:
  static constexpr OpInfo kInfo{
      .name = "image.aug_mix",
      .doc = "Mixes a picture with several chains of changes of it, as torchvision's AugMix."};
  static constexpr std::array kParams{
      Param::integer("severity", "How strong the changes can be.").range(1, 10).otherwise("3"),
      Param::integer("mixture_width", "How many chains there are.").range(1, 100).otherwise("3"),
      Param::integer("chain_depth", "How many changes a chain has; below 1: 1 to 3, drawn.")
          .range(-1, 100)
          .otherwise("-1"),
      Param::number("alpha", "Of the Dirichlet distributions of the weights; 1: all mixtures alike.")
          .above(0)
          .otherwise("1.0"),
      Param::boolean("all_ops", "Whether brightness, color, contrast and sharpness are among the changes.")
          .otherwise("true"),
      sampling_param("bilinear"),
      beyond_param()};
  AugMix(const Params& params, Stream stream);
  void apply(Canvas& canvas, const Call& call, Scratch& scratch) const override;

 private:
  AugMixRule rule_;
};

}  // namespace headrace::image
