// SPDX-License-Identifier: Apache-2.0
//
// image.center_crop and image.random_horizontal_flip as ops of their own: they move pixels and never look at
// them, so they take any dtype, laid out HWC or CHW. When image.decode absorbs them, only their declarations
// come from here. On the host's workers.
#pragma once

#include "ops/parameters.h"
#include "ops/step.h"

namespace headrace::image {

class CenterCrop {
 public:
  static constexpr OpInfo kInfo{
      .name = "image.center_crop",
      .doc = "Crops the middle of a picture, padding a smaller one with 0, as torchvision's CenterCrop."};
  static constexpr std::array kParams{
      Param::integer("size", "Height and width of the result; one number: a square.")
          .required()
          .range(1, kMaxSide)
          .one_or_list(1, 2)
          .unit_of("pixels"),
      field_param(), out_param(), keep_param()};

  static headrace_status declare(Declaration& declaration);
  explicit CenterCrop(const Config& config) : step_(Step::Kind::kCenterCrop, config.node(), 0) {}
  headrace_status process(Call& call);

 private:
  Step step_;
};

class RandomHorizontalFlip {
 public:
  static constexpr OpInfo kInfo{
      .name = "image.random_horizontal_flip",
      .doc = "Swaps left and right with a given chance, as torchvision's RandomHorizontalFlip."};
  static constexpr std::array kParams{
      Param::number("p", "The chance of a flip.").range(0, 1).otherwise("0.5"), field_param(), out_param(),
      keep_param()};

  static headrace_status declare(Declaration& declaration);
  explicit RandomHorizontalFlip(const Config& config)
      : step_(Step::Kind::kRandomHorizontalFlip, config.node(), 0) {}
  headrace_status process(Call& call);

 private:
  Step step_;
};

}  // namespace headrace::image
