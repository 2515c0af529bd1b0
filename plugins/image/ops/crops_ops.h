// SPDX-License-Identifier: Apache-2.0
//
// image.five_crop and image.ten_crop: one picture becomes five or ten records, each with a part of it. They
// move pixels and never look at them, so they take any dtype, laid out HWC or CHW. On the host's workers.
#pragma once

#include "ops/warp_parameters.h"

namespace headrace::image {

/// What both share. Children are numbered as torchvision orders its tuple: upper left, upper right, lower
/// left, lower right, middle; then the same of the flipped picture.
class CropsOp {
 public:
  enum class Flip : std::uint8_t { kNone, kAcross, kDown };
  CropsOp(const Params& params, Flip flip) : size_(square_or_size(params)), flip_(flip) {}
  headrace_status run(Call& call) const;

 private:
  Region part_of(Size picture, std::uint32_t child) const;

  Size size_;
  Flip flip_;
};

headrace_status declare_crops(Declaration& declaration);

class FiveCrop {
 public:
  static constexpr OpInfo kInfo{
      .name = "image.five_crop",
      .doc =
          "Makes five records of one: the four corners of a picture and its middle, "
          "in torchvision's order (FiveCrop). Other fields are the same in all.",
      .rate = HEADRACE_EXPAND};
  static constexpr std::array kParams{
      Param::integer("size", "Height and width of each; one number: a square.")
          .required()
          .range(1, kMaxSide)
          .one_or_list(1, 2)
          .unit_of("pixels"),
      field_param(), out_param(), keep_param()};

  static headrace_status declare(Declaration& declaration) { return declare_crops(declaration); }
  explicit FiveCrop(const Config& config) : op_(config.params(), CropsOp::Flip::kNone) {}
  headrace_status process(Call& call) { return op_.run(call); }

 private:
  CropsOp op_;
};

class TenCrop {
 public:
  static constexpr OpInfo kInfo{
      .name = "image.ten_crop",
      .doc =
          "Makes ten records of one: the four corners of a picture and its middle, then those of the flipped "
          "picture, in torchvision's order (TenCrop). Other fields are the same in all.",
      .rate = HEADRACE_EXPAND};
  static constexpr std::array kParams{
      Param::integer("size", "Height and width of each; one number: a square.")
          .required()
          .range(1, kMaxSide)
          .one_or_list(1, 2)
          .unit_of("pixels"),
      Param::boolean("vertical_flip", "Whether top and bottom are exchanged, instead of left and right.")
          .otherwise("false"),
      field_param(), out_param(), keep_param()};

  static headrace_status declare(Declaration& declaration) { return declare_crops(declaration); }
  explicit TenCrop(const Config& config)
      : op_(config.params(),
            config.params().boolean("vertical_flip") ? CropsOp::Flip::kDown : CropsOp::Flip::kAcross) {}
  headrace_status process(Call& call) { return op_.run(call); }

 private:
  CropsOp op_;
};

}  // namespace headrace::image
