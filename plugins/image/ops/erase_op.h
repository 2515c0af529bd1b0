// SPDX-License-Identifier: Apache-2.0
//
// image.random_erasing: a random part of a picture is overwritten, in the picture's own memory where nobody
// else holds that. Pictures are uint8 or float32, laid out HWC or CHW. On the host's workers.
#pragma once

#include "ops/warp_parameters.h"
#include "warp/draws.h"

namespace headrace::image {

class RandomErasing {
 public:
  static constexpr OpInfo kInfo{.name = "image.random_erasing",
                                .doc =
                                    "Overwrites a random part of a picture, with a given chance, as "
                                    "torchvision's RandomErasing (Zhong et al., 2017)."};
  static constexpr std::array kParams{
      Param::number("p", "The chance of it.").range(0, 1).otherwise("0.5"),
      Param::number("scale", "Least and most of the picture's area that is erased.")
          .range(0, 1)
          .list(2, 2)
          .otherwise("[0.02, 0.33]"),
      Param::number("ratio", "Least and most aspect ratio (height / width) of the part.")
          .above(0)
          .list(2, 2)
          .otherwise("[0.3, 3.3]"),
      Param::scalar("value",
                    "What is written, in the picture's own units; several numbers: one for each channel; "
                    "random: for each value of its own one from a normal distribution, of floats only.")
          .one_or_list(1, kMaxChannels)
          .otherwise("0"),
      field_param(),
      out_param(),
      keep_param()};

  static headrace_status declare(Declaration& declaration);
  explicit RandomErasing(const Config& config);
  headrace_status process(Call& call);

 private:
  EraseRule rule_;
  double p_;
  bool is_noise_;
  std::vector<std::uint8_t> value_;  // a pixel, as fill_part() wants it
};

}  // namespace headrace::image
