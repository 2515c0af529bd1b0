// SPDX-License-Identifier: Apache-2.0
//
// The ops for boxes alone: image.clamp_boxes cuts them off at the picture's sides, image.sanitize_boxes drops
// those that are of no use, and their labels. On the host's workers.
#pragma once

#include "ops/warp_parameters.h"

namespace headrace::image {

class ClampBoxes {
 public:
  static constexpr OpInfo kInfo{
      .name = "image.clamp_boxes",
      .doc = "Cuts boxes off at the sides of their picture, as torchvision's ClampBoundingBoxes."};
  static constexpr std::array kParams{
      Param::string("boxes", "The field of boxes, float32[N, 4] in pixels.").otherwise("boxes"),
      box_format_param(), Param::string("field", "The picture.").otherwise("image")};

  static headrace_status declare(Declaration& declaration);
  explicit ClampBoxes(const Config& config) : format_(box_format_of(config.params())) {}
  headrace_status process(Call& call) const;

 private:
  BoxFormat format_;
};

class SanitizeBoxes {
 public:
  static constexpr OpInfo kInfo{
      .name = "image.sanitize_boxes",
      .doc =
          "Drops boxes that are too small or reach outside their picture, and what belongs to them, as "
          "torchvision's SanitizeBoundingBoxes."};
  static constexpr std::array kParams{
      Param::string("boxes", "The field of boxes, float32[N, 4] in pixels.").otherwise("boxes"),
      box_format_param(),
      Param::string("labels", "Fields with an entry for each box, which goes when the box goes.")
          .one_or_list(0)
          .otherwise("[]"),
      Param::number("min_size", "A box that is less wide or high goes.")
          .at_least(1)
          .otherwise("1")
          .unit_of("pixels"),
      Param::number("min_area", "A box of less area goes.")
          .at_least(1)
          .otherwise("1")
          .unit_of("square pixels"),
      Param::string("field", "The picture.").otherwise("image")};

  static headrace_status declare(Declaration& declaration);
  explicit SanitizeBoxes(const Config& config);
  headrace_status process(Call& call) const;

 private:
  BoxFormat format_;
  float min_size_;
  float min_area_;
};

}  // namespace headrace::image
