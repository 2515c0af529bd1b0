// SPDX-License-Identifier: Apache-2.0
//
// image.to_layout: the same numbers with their axes in the other order, HWC or CHW. Any dtype. image.decode
// absorbs it, and then writes the planes at once. Runs on the host's workers.
#pragma once

#include "ops/parameters.h"

namespace headrace::image {

class ToLayout {
 public:
  static constexpr OpInfo kInfo{
      .name = "image.to_layout",
      .doc = "Orders a picture's axes: CHW (planes, as torchvision's ToImage) or HWC (interleaved)."};
  static constexpr std::array kParams{layout_param(), field_param(), out_param(), keep_param()};

  static headrace_status declare(Declaration& declaration);
  explicit ToLayout(const Config& config);

  struct Worker {
    explicit Worker(const ToLayout&) {}
    PixelWriter writer;
    MemoryRows rows;
  };
  headrace_status process(Call& call, Worker& worker);

 private:
  PixelLayout layout_;
  bool is_there_;  // the picture comes in that layout
};

}  // namespace headrace::image
