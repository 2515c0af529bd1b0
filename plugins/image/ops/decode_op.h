// SPDX-License-Identifier: Apache-2.0
//
// image.decode: a file's bytes in, a picture out. It absorbs the crops, the resize, the flips and the
// normalisation that follow, so that one pass decodes only what is needed and writes the final pixels into
// the host's memory, a row of the batch. Runs on the host's workers, with a decoder for each.
#pragma once

#include "codec/picture.h"
#include "ops/normalize_op.h"
#include "ops/parameters.h"
#include "ops/step.h"
#include "pixels/renderer.h"

namespace headrace::image {

inline constexpr const char* kModes[] = {"rgb"};

class Decode {
 public:
  static constexpr OpInfo kInfo{.name = "image.decode",
                                .doc = "Decodes a JPEG or PNG, recognised by its content, to RGB bytes."};
  static constexpr std::array kParams{
      Param::string("field", "The file's bytes.").otherwise("bytes"),
      Param::string("out", "Where the picture goes.").otherwise("image"),
      Param::boolean("keep", "Whether the file's bytes stay in the record.").otherwise("false"),
      Param::choice("mode", "What colours become.", kModes).otherwise("rgb"),
      Param::integer("max_pixels", "A picture of more is refused by its header.")
          .at_least(1)
          .otherwise("178956970")};

  static headrace_status declare(Declaration& declaration);
  static headrace_status absorb(Offer& offer);
  explicit Decode(const Config& config);

  struct Worker {
    explicit Worker(const Decode&) {}
    PictureDecoder decoder;
    Renderer renderer;
    PixelWriter writer;
  };
  headrace_status process(Call& call, Worker& worker);

 private:
  PixelTarget target(Call& call, Size size) const;

  DecodeLimits limits_;
  std::vector<Step> steps_;
  PixelType type_ = PixelType::kUint8;
  PixelLayout layout_ = PixelLayout::kHwc;
  Normalization normalization_;
};

}  // namespace headrace::image
