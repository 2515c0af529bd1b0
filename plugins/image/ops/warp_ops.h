// SPDX-License-Identifier: Apache-2.0
//
// The ops that turn, shear and tilt a picture: image.rotate, random_rotation, affine, random_affine and
// random_perspective. Pictures are uint8 or float32, laid out HWC or CHW. On the host's workers.
#pragma once

#include <optional>

#include "ops/box_port.h"
#include "ops/warp_parameters.h"
#include "warp/draws.h"

namespace headrace::image {

/// What all of them need to run: how to sample, what stands around the picture, and the boxes.
class WarpOp {
 public:
  explicit WarpOp(const Config& config);
  /// `rule` without its centre. Pixels that stay where they are, are handed on.
  headrace_status affine(Call& call, AffineRule rule) const;
  /// torchvision's rotate(): counterclockwise.
  headrace_status rotate(Call& call, double degrees, bool expand) const;
  /// The corners go to `ends`, as draw_corners() gives them.
  headrace_status perspective(Call& call, const std::array<Point, 4>& ends) const;
  /// Nothing changes.
  headrace_status forward(Call& call) const;

  /// The op's parameter `center`, where it has one.
  void set_center(const Params& params);

 private:
  Fill fill() const { return fill_.empty() ? nullptr : fill_.data(); }
  bool turn_by_quarters(Call& call, double degrees, bool expand) const;
  void turn_boxes(Call& call, const AffineRule& rule, bool expand, Size from, Size to) const;

  Sampling sampling_;
  std::vector<float> fill_;
  std::optional<Point> center_;
  BoxPort boxes_;
};

class Rotate {
 public:
  static constexpr OpInfo kInfo{.name = "image.rotate",
                                .doc = "Turns a picture counterclockwise, as torchvision's rotate."};
  static constexpr std::array kParams{
      Param::number("angle", "How far.").required().unit_of("degrees"),
      sampling_param("nearest"),
      Param::boolean("expand", "Whether the result grows to hold all of the picture.").otherwise("false"),
      center_param(),
      fill_param(),
      boxes_param(),
      box_format_param(),
      field_param(),
      out_param(),
      keep_param()};

  static headrace_status declare(Declaration& declaration);
  explicit Rotate(const Config& config);
  headrace_status process(Call& call) { return op_.rotate(call, angle_, expand_); }

 private:
  WarpOp op_;
  double angle_;
  bool expand_;
};

class RandomRotation {
 public:
  static constexpr OpInfo kInfo{
      .name = "image.random_rotation",
      .doc = "Turns a picture counterclockwise by a random angle, as torchvision's RandomRotation."};
  static constexpr std::array kParams{
      Param::number("degrees", "Least and most; one number d: from -d to d.")
          .required()
          .one_or_list(1, 2)
          .unit_of("degrees"),
      sampling_param("nearest"),
      Param::boolean("expand", "Whether the result grows to hold all of the picture.").otherwise("false"),
      center_param(),
      fill_param(),
      boxes_param(),
      box_format_param(),
      field_param(),
      out_param(),
      keep_param()};

  static headrace_status declare(Declaration& declaration);
  explicit RandomRotation(const Config& config);
  headrace_status process(Call& call);

 private:
  WarpOp op_;
  Range degrees_;
  bool expand_;
};

class Affine {
 public:
  static constexpr OpInfo kInfo{
      .name = "image.affine",
      .doc = "Shears a picture, turns it clockwise, scales and moves it, as torchvision's affine."};
  static constexpr std::array kParams{
      Param::number("angle", "How far to turn.").otherwise("0").unit_of("degrees"),
      Param::number("translate", "How far to move: to the right, and down.")
          .list(2, 2)
          .otherwise("[0, 0]")
          .unit_of("pixels"),
      Param::number("scale", "How much larger things become.").above(0).otherwise("1"),
      Param::number("shear", "By what angle to shear along x; two numbers: along x and y.")
          .one_or_list(1, 2)
          .range(-89, 89)
          .otherwise("0")
          .unit_of("degrees"),
      sampling_param("nearest"),
      fill_param(),
      center_param(),
      boxes_param(),
      box_format_param(),
      field_param(),
      out_param(),
      keep_param()};

  static headrace_status declare(Declaration& declaration);
  explicit Affine(const Config& config);
  headrace_status process(Call& call) { return op_.affine(call, rule_); }

 private:
  WarpOp op_;
  AffineRule rule_;
};

class RandomAffine {
 public:
  static constexpr OpInfo kInfo{
      .name = "image.random_affine",
      .doc = "Shears, turns, scales and moves a picture at random, as torchvision's RandomAffine."};
  static constexpr std::array kParams{
      Param::number("degrees", "Least and most that it is turned clockwise; one number d: from -d to d.")
          .required()
          .one_or_list(1, 2)
          .unit_of("degrees"),
      Param::number("translate",
                    "The most it moves each way, as a part of its width and of its height; not "
                    "given: it does not.")
          .nullable()
          .list(2, 2)
          .range(0, 1),
      Param::number("scale", "Least and most that it grows; not given: it does not.")
          .nullable()
          .list(2, 2)
          .above(0),
      Param::number("shear",
                    "Least and most along x, then along y; one number s: from -s to s along x; not given: "
                    "none.")
          .nullable()
          .one_or_list(1, 4)
          .range(-89, 89)
          .unit_of("degrees"),
      sampling_param("nearest"),
      fill_param(),
      center_param(),
      boxes_param(),
      box_format_param(),
      field_param(),
      out_param(),
      keep_param()};

  static headrace_status declare(Declaration& declaration);
  explicit RandomAffine(const Config& config);
  headrace_status process(Call& call);

 private:
  WarpOp op_;
  RandomAffineRule rule_;
};

class RandomPerspective {
 public:
  static constexpr OpInfo kInfo{
      .name = "image.random_perspective",
      .doc = "Tilts a picture at random, with a given chance, as torchvision's RandomPerspective."};
  static constexpr std::array kParams{
      Param::number("distortion_scale", "How far a corner may go inwards, as a part of half the side.")
          .range(0, 1)
          .otherwise("0.5"),
      Param::number("p", "The chance of it.").range(0, 1).otherwise("0.5"),
      sampling_param("bilinear"),
      fill_param(),
      boxes_param(),
      box_format_param(),
      field_param(),
      out_param(),
      keep_param()};

  static headrace_status declare(Declaration& declaration);
  explicit RandomPerspective(const Config& config);
  headrace_status process(Call& call);

 private:
  WarpOp op_;
  double distortion_;
  double p_;
};

}  // namespace headrace::image
