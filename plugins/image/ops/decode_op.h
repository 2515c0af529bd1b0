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

inline constexpr const char* kModes[] = {"rgb", "gray", "unchanged"};
inline constexpr const char* kAlphas[] = {"drop", "blend", "keep"};
inline constexpr const char* kExifs[] = {"apply", "ignore"};
inline constexpr const char* kDamages[] = {"refuse", "salvage"};
inline constexpr const char* kAccuracies[] = {"exact", "fast"};
inline constexpr const char* kVerifies[] = {"needed", "whole"};

class Decode {
 public:
  static constexpr OpInfo kInfo{.name = "image.decode",
                                .doc =
                                    "Decodes a JPEG or PNG, recognised by its content, to bytes laid out "
                                    "HWC, turned as its EXIF says."};
  static constexpr std::array kParams{
      Param::string("field", "The file's bytes.").otherwise("bytes"),
      Param::string("out", "Where the picture goes.").otherwise("image"),
      Param::boolean("keep", "Whether the file's bytes stay in the record.").otherwise("false"),
      Param::choice(
          "mode",
          "What colours become: rgb, gray (Pillow's convert(\"L\")), or unchanged: 1 to 4 channels, as "
          "many as the file has. After unchanged only ops can follow that take any number of channels "
          "(center_crop, random_horizontal_flip), not resize, random_resized_crop or normalize; and "
          "batches are of one kind of file.",
          kModes)
          .otherwise("rgb"),
      Param::choice(
          "alpha",
          "What transparency becomes: drop, blend over `background`, or keep as a last channel, 255 "
          "where a file has none. Not with mode unchanged, which keeps the file's own.",
          kAlphas)
          .otherwise("drop"),
      Param::integer("background",
                     "With alpha blend: the colour behind; one number: a grey; not given: black.")
          .range(0, 255)
          .one_or_list(1, 3)
          .nullable(),
      Param::choice("exif", "Whether the picture is turned as its EXIF says.", kExifs).otherwise("apply"),
      Param::integer("max_pixels", "A picture of more is refused by its header.")
          .at_least(1)
          .otherwise("178956970"),
      Param::choice(
          "damaged",
          "What becomes of a damaged file: it is refused; or salvage gives what can still be read, grey "
          "where nothing can, and says so in a field `damaged` of every sample.",
          kDamages)
          .otherwise("refuse"),
      Param::choice("accuracy",
                    "exact: the pixels that a full decode gives. fast: a JPEG that is to be shrunk much, in "
                    "the same pass, is decoded at 1/2, 1/4 or 1/8 of its size, some levels off; see "
                    "docs/image.md for by how much, and what it saves.",
                    kAccuracies)
          .otherwise("exact"),
      Param::choice("verify",
                    "Where damage is sought: in what is needed for the pixels that are used, or in the whole "
                    "file.",
                    kVerifies)
          .otherwise("needed")};

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
  void shrink(Frame& frame, PictureDecoder& decoder) const;
  PixelTarget target(Call& call, Size size, int channels) const;

  DecodeOptions options_;
  bool fast_ = false;
  std::vector<Step> steps_;
  PixelType type_ = PixelType::kUint8;
  PixelLayout layout_ = PixelLayout::kHwc;
  Normalization normalization_;
};

}  // namespace headrace::image
