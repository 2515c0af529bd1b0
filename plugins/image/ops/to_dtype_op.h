// SPDX-License-Identifier: Apache-2.0
//
// image.to_dtype: bytes or floats in, the same numbers as another type out, scaled or not. It takes any
// tensor, a picture or not. On the host's workers.
#pragma once

#include "ops/transform.h"

namespace headrace::image {

inline constexpr const char* kPixelTypes[] = {"uint8", "float16", "bfloat16", "float32"};

class ToDtype {
 public:
  static constexpr OpInfo kInfo{.name = "image.to_dtype",
                                .doc = "Gives a tensor as another type of number, as torchvision's ToDtype."};
  static constexpr auto kParams = joined(
      std::array{Param::choice("dtype", "The type wanted.", kPixelTypes).required(),
                 Param::boolean("scale", "Whether 0 to 255 of bytes is 0 to 1 of floats; else numbers stay.")
                     .otherwise("false")},
      kFieldParams);

  static headrace_status declare(Declaration& declaration);
  explicit ToDtype(const Config& config);
  headrace_status process(Call& call) const;

 private:
  headrace_dtype dtype_;
  bool scale_;
};

}  // namespace headrace::image
