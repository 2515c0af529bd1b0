// SPDX-License-Identifier: Apache-2.0
//
// image.grayscale: a picture of bytes or floats in, its gray in one channel or three out. It may change the
// number of channels, and is therefore no Transform. On the host's workers.
#pragma once

#include "ops/transform.h"

namespace headrace::image {

class Grayscale {
 public:
  static constexpr OpInfo kInfo{.name = "image.grayscale",
                                .doc = "Turns a picture gray, as torchvision's Grayscale."};
  static constexpr auto kParams = joined(
      std::array{Param::integer("num_output_channels", "1, or 3 that are alike.").range(1, 3).otherwise("1")},
      kFieldParams);

  static headrace_status declare(Declaration& declaration);
  explicit Grayscale(const Config& config)
      : channels_(static_cast<int>(config.params().integer("num_output_channels"))) {}
  headrace_status process(Call& call) const;

 private:
  int channels_;
};

}  // namespace headrace::image
