// SPDX-License-Identifier: Apache-2.0
//
// image.resize and image.random_resized_crop as ops of their own: a picture in memory in, a resampled one
// out, uint8 or float32, laid out HWC or CHW. When image.decode absorbs them, their declarations and steps
// still come from here and step.h. Run on the host's workers.
#pragma once

#include "ops/box_port.h"
#include "ops/step.h"
#include "ops/warp_parameters.h"
#include "pixels/renderer.h"
#include "warp/resize.h"

namespace headrace::image {

/// What both need to run: the step, the boxes, and for each worker a renderer.
class ResampleOp {
 public:
  struct Worker {
    explicit Worker(const ResampleOp&) {}
    Renderer renderer;
    PixelWriter writer;
    MemoryRows rows;
    FloatResizer resizer;
  };

  ResampleOp(Step::Kind kind, const Config& config)
      : step_(kind, config.node(), 0), boxes_(config.params()) {}
  headrace_status run(Call& call, Worker& worker) const;

 private:
  static Verdict resample_bytes(const Frame& frame, const Planes& planes, const std::uint8_t* in,
                                std::uint8_t* out, Worker& worker);

  Step step_;
  BoxPort boxes_;
};

class Resize {
 public:
  static constexpr OpInfo kInfo{
      .name = "image.resize",
      .doc = "Resizes a picture as torchvision's Resize does on a Pillow image; floats as on a tensor."};
  static constexpr std::array kParams{
      Param::integer(
          "size",
          "One number: the shorter side's, the aspect ratio stays. Two: height and width. Not given: "
          "max_size alone counts.")
          .nullable()
          .range(1, kMaxSide)
          .one_or_list(1, 2)
          .unit_of("pixels"),
      interpolation_param(),
      Param::integer("max_size",
                     "With one `size`: the most that the longer side may get. Without: what the longer side "
                     "gets.")
          .nullable()
          .range(1, kMaxSide)
          .unit_of("pixels"),
      antialias_param(),
      boxes_param(),
      box_format_param(),
      field_param(),
      out_param(),
      keep_param()};

  static headrace_status declare(Declaration& declaration);
  explicit Resize(const Config& config) : op_(Step::Kind::kResize, config) {}
  struct Worker : ResampleOp::Worker {
    explicit Worker(const Resize& op) : ResampleOp::Worker(op.op_) {}
  };
  headrace_status process(Call& call, Worker& worker) { return op_.run(call, worker); }

 private:
  ResampleOp op_;
};

class RandomResizedCrop {
 public:
  static constexpr OpInfo kInfo{.name = "image.random_resized_crop",
                                .doc =
                                    "Crops a random part of random area and aspect ratio and resizes it, as "
                                    "torchvision's RandomResizedCrop."};
  static constexpr std::array kParams{
      Param::integer("size", "Height and width of the result; one number: a square.")
          .required()
          .range(1, kMaxSide)
          .one_or_list(1, 2)
          .unit_of("pixels"),
      Param::number("scale", "Least and most of the picture's area that the crop takes.")
          .above(0)
          .list(2, 2)
          .otherwise("[0.08, 1.0]"),
      Param::number("ratio", "Least and most aspect ratio (width / height) of the crop.")
          .above(0)
          .list(2, 2)
          .otherwise("[0.75, 1.3333333333333333]"),
      interpolation_param(),
      antialias_param(),
      boxes_param(),
      box_format_param(),
      field_param(),
      out_param(),
      keep_param()};

  static headrace_status declare(Declaration& declaration);
  explicit RandomResizedCrop(const Config& config) : op_(Step::Kind::kRandomResizedCrop, config) {}
  struct Worker : ResampleOp::Worker {
    explicit Worker(const RandomResizedCrop& op) : ResampleOp::Worker(op.op_) {}
  };
  headrace_status process(Call& call, Worker& worker) { return op_.run(call, worker); }

 private:
  ResampleOp op_;
};

}  // namespace headrace::image
