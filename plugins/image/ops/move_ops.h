// SPDX-License-Identifier: Apache-2.0
//
// The ops that move pixels and never look at them, so that they take any dtype, laid out HWC or CHW: parts of
// a picture (image.crop, center_crop, random_crop, pad) and flips. When image.decode absorbs one, only its
// declaration comes from here. On the host's workers.
#pragma once

#include "ops/box_port.h"
#include "ops/step.h"
#include "ops/warp_parameters.h"

namespace headrace::image {

/// What the ops that take a part share: which part, what surrounds it, and the boxes.
class PartOp {
 public:
  /// `surrounded`: the op has the parameters fill and padding_mode.
  PartOp(Step::Kind kind, const Config& config, bool surrounded);
  headrace_status run(Call& call) const;

 private:
  Step step_;
  BoxPort boxes_;
  Surround surround_ = Surround::kConstant;
  std::vector<std::uint8_t> fill_;  // a pixel, as take_part() wants it; empty: zeros
};

class Crop {
 public:
  static constexpr OpInfo kInfo{
      .name = "image.crop",
      .doc = "Takes a part of a picture, with 0 where it reaches beyond, as torchvision's crop."};
  static constexpr std::array kParams{
      Param::integer("top", "The first row.").range(-kMaxSide, kMaxSide).required().unit_of("pixels"),
      Param::integer("left", "The first column.").range(-kMaxSide, kMaxSide).required().unit_of("pixels"),
      Param::integer("height", "Rows.").range(1, kMaxSide).required().unit_of("pixels"),
      Param::integer("width", "Columns.").range(1, kMaxSide).required().unit_of("pixels"),
      boxes_param(),
      box_format_param(),
      field_param(),
      out_param(),
      keep_param()};

  static headrace_status declare(Declaration& declaration);
  explicit Crop(const Config& config) : op_(Step::Kind::kCrop, config, false) {}
  headrace_status process(Call& call) { return op_.run(call); }

 private:
  PartOp op_;
};

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
      boxes_param(),
      box_format_param(),
      field_param(),
      out_param(),
      keep_param()};

  static headrace_status declare(Declaration& declaration);
  explicit CenterCrop(const Config& config) : op_(Step::Kind::kCenterCrop, config, false) {}
  headrace_status process(Call& call) { return op_.run(call); }

 private:
  PartOp op_;
};

class RandomCrop {
 public:
  static constexpr OpInfo kInfo{
      .name = "image.random_crop",
      .doc =
          "Takes a part of a picture at a random place, after padding it if so wished, as torchvision's "
          "RandomCrop."};
  static constexpr std::array kParams{
      Param::integer("size", "Height and width of the result; one number: a square.")
          .required()
          .range(1, kMaxSide)
          .one_or_list(1, 2)
          .unit_of("pixels"),
      padding_param().nullable(),
      Param::boolean(
          "pad_if_needed",
          "Whether a picture that is too small is padded, at both ends by what it lacks, instead of "
          "being an error.")
          .otherwise("false"),
      fill_param(),
      padding_mode_param(),
      boxes_param(),
      box_format_param(),
      field_param(),
      out_param(),
      keep_param()};

  static headrace_status declare(Declaration& declaration);
  explicit RandomCrop(const Config& config) : op_(Step::Kind::kRandomCrop, config, true) {}
  headrace_status process(Call& call) { return op_.run(call); }

 private:
  PartOp op_;
};

class Pad {
 public:
  static constexpr OpInfo kInfo{.name = "image.pad",
                                .doc = "Puts pixels around a picture, as torchvision's Pad."};
  static constexpr std::array kParams{
      padding_param().required(), fill_param(),  padding_mode_param(), boxes_param(),
      box_format_param(),         field_param(), out_param(),          keep_param()};

  static headrace_status declare(Declaration& declaration);
  explicit Pad(const Config& config) : op_(Step::Kind::kPad, config, true) {}
  headrace_status process(Call& call) { return op_.run(call); }

 private:
  PartOp op_;
};

/// What the flips share. A chance of 1 draws nothing.
class FlipOp {
 public:
  enum class Axis : std::uint8_t { kAcross, kDown };
  FlipOp(Axis axis, double p, const Config& config) : axis_(axis), p_(p), boxes_(config.params()) {}
  headrace_status run(Call& call) const;

 private:
  Axis axis_;
  double p_;
  BoxPort boxes_;
};

headrace_status declare_flip(Declaration& declaration);

inline constexpr std::array kFlipParams{boxes_param(), box_format_param(), field_param(), out_param(),
                                        keep_param()};
inline constexpr std::array kRandomFlipParams{
    Param::number("p", "The chance of a flip.").range(0, 1).otherwise("0.5"),
    boxes_param(),
    box_format_param(),
    field_param(),
    out_param(),
    keep_param()};

class HorizontalFlip {
 public:
  static constexpr OpInfo kInfo{.name = "image.horizontal_flip",
                                .doc = "Swaps left and right, as torchvision's horizontal_flip."};
  static constexpr std::array kParams = kFlipParams;
  static headrace_status declare(Declaration& declaration) { return declare_flip(declaration); }
  explicit HorizontalFlip(const Config& config) : op_(FlipOp::Axis::kAcross, 1, config) {}
  headrace_status process(Call& call) { return op_.run(call); }

 private:
  FlipOp op_;
};

class VerticalFlip {
 public:
  static constexpr OpInfo kInfo{.name = "image.vertical_flip",
                                .doc = "Swaps top and bottom, as torchvision's vertical_flip."};
  static constexpr std::array kParams = kFlipParams;
  static headrace_status declare(Declaration& declaration) { return declare_flip(declaration); }
  explicit VerticalFlip(const Config& config) : op_(FlipOp::Axis::kDown, 1, config) {}
  headrace_status process(Call& call) { return op_.run(call); }

 private:
  FlipOp op_;
};

class RandomHorizontalFlip {
 public:
  static constexpr OpInfo kInfo{
      .name = "image.random_horizontal_flip",
      .doc = "Swaps left and right with a given chance, as torchvision's RandomHorizontalFlip."};
  static constexpr std::array kParams = kRandomFlipParams;
  static headrace_status declare(Declaration& declaration) { return declare_flip(declaration); }
  explicit RandomHorizontalFlip(const Config& config)
      : op_(FlipOp::Axis::kAcross, config.params().number("p"), config) {}
  headrace_status process(Call& call) { return op_.run(call); }

 private:
  FlipOp op_;
};

class RandomVerticalFlip {
 public:
  static constexpr OpInfo kInfo{
      .name = "image.random_vertical_flip",
      .doc = "Swaps top and bottom with a given chance, as torchvision's RandomVerticalFlip."};
  static constexpr std::array kParams = kRandomFlipParams;
  static headrace_status declare(Declaration& declaration) { return declare_flip(declaration); }
  explicit RandomVerticalFlip(const Config& config)
      : op_(FlipOp::Axis::kDown, config.params().number("p"), config) {}
  headrace_status process(Call& call) { return op_.run(call); }

 private:
  FlipOp op_;
};

}  // namespace headrace::image
